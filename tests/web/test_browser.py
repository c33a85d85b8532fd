"""The pages in a real browser: what scripts do, what keys do, and what nobody should have to put up with."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.support.patience import patient
from maumau.client.answer import Round, StateCount, WalkPoint
from maumau.game import record
from maumau.page.catalogue import LANGUAGES
from maumau.page.catalogue import NAMES as NAMES_OF_LANGUAGES
from services.web.http.response import EMBED
from tests.support.fake import (
    DEAL,
    NOW,
    a_bot,
    a_line,
    a_match,
    a_pairing,
    a_set,
    a_standing,
    a_table,
    a_tournament,
    table_news,
)
from tests.support.fake_status import a_status
from tests.support.kinds import one_of
from tests.support.polling import until
from tests.web.addresses import OTHERS, PATHS, fill_route, list_routes
from tests.web.browser import find_cut, find_serious, find_squeezed, opened
from tests.web.explained import list_repeated, list_unexplained

PHONE = 360  # px: a small one
FINGER = 24  # px: WCAG 2.5.8, the least size of a target
LATE = StateCount("tournament", "block", "void", 2, False, 95_000, 0)
NAMES = ("greedy", "<script>alert(1)</script>", "rollout", "a-bot-with-a-name-as-long-as-they-may-be")


def add_language(path: str, language: str) -> str:
    """Return the address of a page in a language."""
    return f"{path}{'&' if '?' in path else '?'}lang={language}"


def count_watchers(site) -> float | None:
    """Return how many streams of the pages are open."""
    return site.registry.get_sample_value("maumau_web_watchers")


def wait_until_heard(page) -> None:
    """Wait until the page's stream is not silent, as it may be for a while on a busy host: a note says so."""
    page.locator("#lost").wait_for(state="detached")


def hide(page, *, hidden: bool) -> None:
    """Make a page hidden or visible, as its browser does when another tab is chosen."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


@pytest.fixture
def lively(site):
    """Return a contest that is played and one that is over."""
    arena = site.arena
    soon = a_tournament("soon", "open", NAMES, starting=True, due_at=NOW, words="its entries are closed")
    awaited = tuple(replace(one, commitment="c0" * 32, confirmed=False) for one in soon.entries)
    over = a_tournament("old", "finished", NAMES)
    arena.contests = [a_tournament("cup", bots=NAMES), over, replace(soon, entries=awaited)]
    decided = a_match("1.1.2", 2, 3, NAMES[1:3], state="decided", winner=3, estimate=0.4, high=0.45)
    arena.games = {"cup": [a_match(names=NAMES[:2]), decided], "old": [decided]}
    for name in arena.games:
        arena.ranks[name] = [a_standing(n, n, bot, 60.0 - 30 * n) for n, bot in enumerate(NAMES, 1)]
    arena.rounds["cup"] = (Round(1, "final", (decided,), ()),)
    arena.scores = (4, 3, 2, 1, 0, 2) * 50
    arena.deals, arena.sets = [DEAL], {3: a_set(3, note="<b>bold</b>")}
    arena.all_bots = tuple(map(a_bot, NAMES))
    arena.teams = {"reds": ("ada", "grace")}
    arena.boards["prsi"] = [a_line(n, name, 60.0 - 30 * n) for n, name in enumerate(NAMES, 1)]
    arena.paired = [
        a_pairing("3.1", *NAMES[:2], booked=0),
        a_pairing("2.9", *NAMES[2:], state="over", booked=20),
        a_pairing("2.8", *NAMES[:2], state="over", booked=20, others=NAMES[2:]),
    ]
    arena.walk = tuple(WalkPoint(100 * n, llr) for n, llr in ((1, -0.9), (2, 0.4), (3, -0.8)))
    told, d = table_news()
    ended = {"record": record(d), "places": tuple(d.places), "points": tuple(d.points), "turn": None}
    arena.live = {
        "table_1": [a_table(names=NAMES[:2]), *table_news(9)[0]],
        "table_2": [a_table("table_2", NAMES[1:3], state="over", secret="91" * 32, **ended), *told],
        "table_3": [a_table("table_3", state="void", words="<b>nobody</b> came", turn=None)],
    }  # fmt: skip
    return site


def test_every_public_page_has_an_address_at_which_it_is_shown(lively) -> None:
    statuses = {path: lively.get(path).status for path in map(fill_route, list_routes())}
    assert len(statuses) > 20
    assert set(statuses.values()) == {200}, statuses
    assert len(PATHS) == len({*statuses, *OTHERS}) == len(statuses) + len(OTHERS)


def test_head_answers_like_get_at_every_public_page(lively) -> None:
    for path in PATHS:
        whole, head = lively.get(path), lively.get(path, "HEAD")
        assert (head.status, head.text) == (whole.status, ""), path
        assert {**head.headers, "date": ""} == {**whole.headers, "date": ""}, path


def test_every_term_on_a_public_page_is_explained_there(lively) -> None:
    """A frame of another site leads to the page of the same thing, which explains it."""
    found = {
        path: terms
        for path in PATHS
        if not path.startswith(EMBED)
        if (terms := list_unexplained(lively.get(add_language(path, "en")).text))
    }
    assert not found


def test_no_public_page_explains_a_term_twice(lively) -> None:
    pages = {path: lively.get(path).text for path in PATHS if path != "/help"}
    assert not {path: terms for path, text in pages.items() if (terms := list_repeated(text))}


@pytest.mark.long
def test_a_projector_shows_the_whole_table_and_no_way_to_play(chromium, lively) -> None:
    with opened(chromium, lively, "/?wall=1", viewport={"width": 1440, "height": 900}) as page:
        stage = page.locator(".stage").bounding_box()
        assert stage["y"] + stage["height"] <= 900
        assert not page.locator(".to-play").is_visible()
        assert not page.locator(".words").first.is_visible()


@pytest.mark.long
def test_a_part_without_content_leaves_no_gap(chromium, lively) -> None:
    with opened(chromium, lively, "/contests/cup") as page:
        assert page.locator("main > section").count() > page.locator("main > section:has(*)").count()
        assert page.locator("main > section:not(:has(*))").evaluate_all(
            "parts => parts.every(part => getComputedStyle(part).display === 'none')"
        )


@pytest.mark.long
def test_a_phone_shows_what_an_option_decides_without_scrolling(chromium, lively) -> None:
    with opened(chromium, lively, "/rules/prsi", viewport={"width": 390, "height": 900}) as page:
        cell = page.locator("table.options tbody tr td:nth-child(3)").first.bounding_box()
        assert cell["x"] >= 0
        assert cell["x"] + cell["width"] <= 390
        assert cell["width"] > 250


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_every_page_fits_and_has_no_serious_finding(chromium, lively, width, scheme) -> None:
    for path in PATHS:
        size = {"width": width, "height": 900}
        with opened(chromium, lively, path, viewport=size, color_scheme=scheme) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert find_squeezed(page) == [], path
            assert find_cut(page) == [], path
            assert find_serious(page) == [], path


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_head_of_a_page_has_its_name_and_switches_in_one_row(chromium, lively, language) -> None:
    with opened(chromium, lively, "/") as page:
        for width in (640, 1024, 1152, 1280, 1366, 1400, 1440, 1536, 1540):
            page.set_viewport_size({"width": width, "height": 700})
            for path in ("/", "/help"):
                page.goto(lively.url + add_language(path, language))
                middles = page.evaluate("""() => [...document.querySelectorAll("header > *")].map((one) => {
                  const { top, bottom } = one.getBoundingClientRect(); return (top + bottom) / 2;
                })""")
                rows = {round(middle / 20) for middle in middles}
                assert len(rows) <= 2, (width, path, middles)
                assert abs(middles[0] - middles[-1]) < 10, (width, path, middles)


@pytest.mark.long
@pytest.mark.parametrize("language", one_of(5, LANGUAGES[1:]))
def test_every_page_is_there_in_every_language(lively, language) -> None:
    for path in PATHS:
        english, found = (lively.get(add_language(path, one)) for one in ("en", language))
        assert found.status == english.status, path
        assert f'<html lang="{language}"' in found.text, path


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_fits_a_small_phone_in_every_language(chromium, lively, language) -> None:
    size = {"width": PHONE, "height": 700}
    with opened(chromium, lively, "/", viewport=size) as page:
        wide = []
        for path in PATHS:
            page.goto(lively.url + add_language(path, language))
            assert page.evaluate("document.documentElement.lang") == language, path
            if (width := page.evaluate("document.documentElement.scrollWidth")) > PHONE:
                wide.append((path, width))
            assert find_squeezed(page) == [], path
        assert wide == []


def test_a_contest_that_is_starting_stands_in_lines_of_the_first_page(chromium, lively) -> None:
    with opened(chromium, lively, "/", viewport={"width": 390, "height": 900}) as page:
        assert "It starts at" in page.locator("p.starting").inner_text()
        assert find_squeezed(page) == []


@pytest.mark.long
def test_the_languages_are_offered_by_their_own_names_and_one_is_kept(chromium, lively) -> None:
    size = {"width": PHONE, "height": 700}
    with opened(chromium, lively, "/contests", viewport=size) as page:
        page.click(".languages summary")
        assert page.locator(".languages a").all_inner_texts() == [*NAMES_OF_LANGUAGES.values()]
        boxes = [one.bounding_box() for one in page.locator(".languages a").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= PHONE for box in boxes)
        assert min(box["height"] for box in boxes) >= FINGER
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
        assert find_serious(page) == []
        page.click(".languages a[lang=cs]")
        page.wait_for_url("**/contests?lang=cs")
        page.goto(f"{lively.url}/rules/prsi")
        assert page.locator("html").get_attribute("lang") == "cs"
        assert page.locator("article h1").get_attribute("lang") == "en"  # rules in words have no Czech


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_what_is_late_is_said_without_a_serious_finding(chromium, lively, width, scheme) -> None:
    lively.arena.status, lively.arena.ladders_down = a_status(LATE), True
    size = {"width": width, "height": 900}
    with opened(chromium, lively, "/status", viewport=size, color_scheme=scheme) as page:
        page.locator("#arena_status", has_text="LATE").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert find_serious(page) == []


@pytest.mark.long
def test_nothing_moves_when_something_becomes_late(chromium, lively) -> None:
    with opened(chromium, lively, "/status") as page:
        page.locator("#arena_status", has_text="All is well.").wait_for()
        wait_until_heard(page)
        before = [one.bounding_box() for one in page.locator("#arena_status h2").all()]
        lively.arena.status = a_status(LATE)
        page.locator("#arena_status", has_text="LATE").wait_for()
        wait_until_heard(page)
        assert [one.bounding_box() for one in page.locator("#arena_status h2").all()] == before


def test_a_deal_is_shown_card_by_card_and_the_score_changes_in_place(chromium, lively) -> None:
    with opened(chromium, lively, "/") as page:
        page.wait_for_selector("#table .pile .card")
        wait_until_heard(page)
        before = page.locator("#score").bounding_box()
        lively.arena.games["cup"][0] = a_match(names=NAMES[:2], estimate=0.61, low=0.58, high=0.64, sets=900)
        lively.change()
        page.locator("#score .big", has_text="61.0").wait_for()
        wait_until_heard(page)
        assert page.locator("#score").bounding_box()["y"] == before["y"]
        page.locator(".said", has_text="is out").wait_for()


READABLE = 4.5
"""The contrast that WCAG 2 asks of text (1.4.3)."""

FLIGHT = """() => {
  const said = document.querySelector(".said").getBoundingClientRect(), card = document.querySelector(".pile .card:last-child");
  const from = card.getBoundingClientRect();
  const x = said.x + said.width / 2 - from.x - from.width / 2, y = said.y + said.height / 2 - from.y - from.height / 2;
  card.animate([{ transform: `translate(${x}px, ${y}px)` }], { duration: 1, fill: "both" });
  card.getAnimations().forEach((one) => one.finish());
  const over = card.getBoundingClientRect(), at = [over.x + over.width / 2, over.y + over.height / 2];
  return document.elementsFromPoint(...at).map((one) => one.closest(".said, .card")?.classList[0] ?? "").filter(Boolean);
}"""  # noqa: E501


@pytest.mark.long
def test_a_card_in_flight_passes_below_the_sentence_that_explains_it(chromium, lively) -> None:
    with opened(chromium, lively, "/") as page:
        page.locator(".said", has_text="is out").wait_for()
        layers = page.evaluate(FLIGHT)
        assert layers[0] == "said"
        assert "card" in layers


GROUND = """() => {
  const said = document.querySelector(".said"), light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).map((each) => each / 255).slice(0, 3);
    const [r, g, b] = parts.map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const ground = getComputedStyle(said).backgroundColor, texts = [said, said.querySelector(".deal")];
  return [ground, Math.min(...texts.map((each) => light(getComputedStyle(each).color) / light(ground)))];
}"""


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "dark"), (1440, "light")])
def test_the_sentence_stays_readable_while_a_white_card_passes_below_it(
    chromium, lively, width, scheme
) -> None:
    size = {"width": width, "height": 900}
    with opened(chromium, lively, "/", viewport=size, color_scheme=scheme) as page:
        page.locator(".said", has_text="is out").wait_for()
        ground, contrast = page.evaluate(GROUND)
        assert ground.startswith("rgb(")  # opaque: rgba() has an alpha of its own
        assert contrast >= READABLE


@pytest.mark.long
def test_the_sets_of_a_match_are_wide_enough_for_a_finger(chromium, lively) -> None:
    size = {"width": 390, "height": 844}
    path = "/contests/old/matches/1.1.2"
    with opened(chromium, lively, path, viewport=size, has_touch=True, is_mobile=True) as page:
        box = page.locator(".set").first.bounding_box()
        assert min(box["width"], box["height"]) >= FINGER
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.long
def test_the_sets_of_a_match_are_reached_by_arrow_keys(chromium, lively) -> None:
    with opened(chromium, lively, "/contests/old/matches/1.1.2") as page:
        page.locator(".set").first.focus()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.dataset.set") == "100"
        assert "Set 100, block 1" in page.locator("#strips output").inner_text()
        assert page.locator(".set[tabindex='0']").count() == 1
        page.keyboard.press("End")
        assert page.evaluate("document.activeElement.getAttribute('href')").endswith("/sets/299")


@pytest.mark.long
def test_a_silent_arena_is_said_while_one_watches(chromium, lively) -> None:
    with opened(chromium, lively, "/contests/cup") as page:
        until("the page watches", lambda: lively.arena.streams == 1)
        lively.arena.down = True
        lively.change()
        page.locator("#trouble", has_text="not answered").wait_for()
        lively.arena.down = False
        page.locator("#trouble:empty").wait_for(state="attached")


@pytest.mark.long
def test_seven_live_pages_are_open_and_the_eighth_loads_and_all_stay_live(chromium, lively) -> None:
    """A browser opens six connections to a host; a stream that stays would keep one for itself."""
    with opened(chromium, lively, "/contests/cup") as first:
        pages = [first, *(first.context.new_page() for _ in range(7))]
        for page in pages[1:]:
            began = time.monotonic()
            page.goto(f"{lively.url}/contests/cup")
        assert time.monotonic() - began < patient(2)
        assert pages[7].locator("h1", has_text="cup").count() == 1
        lively.arena.contests = [a_tournament("cup", "paused", NAMES), *lively.arena.contests[1:]]
        lively.change()
        for page in pages:
            page.locator("h1 .state.paused").wait_for()


@pytest.mark.long
def test_a_hidden_page_keeps_no_stream_and_is_fresh_when_it_is_seen_again(chromium, lively) -> None:
    with opened(chromium, lively, "/contests/cup") as page:
        until("the page watches", lambda: count_watchers(lively) == 1)
        hide(page, hidden=True)
        until("its stream ended", lambda: count_watchers(lively) == 0)
        lively.arena.contests = [a_tournament("cup", "paused", NAMES), *lively.arena.contests[1:]]
        lively.change()
        assert page.locator("h1 .state.running").count() == 1
        hide(page, hidden=False)
        page.locator("h1 .state.paused").wait_for()
        assert page.locator("#lost").count() == 0


@pytest.mark.long
def test_the_replay_is_stepped_by_keys_and_has_an_address_for_each_step(chromium, lively) -> None:
    path = "/contests/old/matches/1.1.2/sets/3"
    with opened(chromium, lively, path + "?at=2") as page:
        page.wait_for_selector("#felt-1 .card")
        assert page.locator("#step").inner_text().startswith("2 /")
        page.keyboard.press("ArrowRight")
        page.wait_for_url("**?at=3")
        page.keyboard.press("p")
        parted = int(page.url.partition("at=")[2])
        words = [page.locator(f"#felt-{side} .said").inner_text() for side in (0, 1)]
        assert parted > 0
        assert words[0].partition(" ")[2] != words[1].partition(" ")[2]
        page.keyboard.press("End")
        assert "place 1" in page.locator("#felt-0").inner_text()
        assert page.locator("#felt-0 .back").count() == 1  # the stock: all hands lie open
        page.select_option("#view", index=1)
        assert page.locator("#felt-0 .hand:not(.open)").count() == 1


@pytest.mark.long
def test_everything_is_reached_by_keys_alone(chromium, lively) -> None:
    with opened(chromium, lively, "/") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.getAttribute('href')") == "/contests":
                break
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(r"/contests$"))


@pytest.mark.long
def test_without_scripts_pages_are_read(chromium, lively) -> None:
    for path, words in {
        "/": "47.0 : 53.0",
        "/contests/cup": "Crosstable",
        "/contests/old/matches/1.1.2/sets/3": "lays",
    }.items():
        with opened(chromium, lively, path, java_script_enabled=False) as page:
            assert words in page.locator("main").inner_text()


@pytest.mark.long
def test_nothing_moves_for_whom_it_should_not(chromium, lively) -> None:
    with opened(chromium, lively, "/", reduced_motion="reduce") as page:
        page.wait_for_selector("#table .pile .card")
        moving = "[...document.querySelectorAll('*')].map((one) => getComputedStyle(one).animationName)"
        assert set(page.evaluate(moving)) == {"none"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("width", "scheme", "language"),
    [(390, "light", "de"), (390, "dark", "en"), (820, "light", "en"), (1440, "dark", "de")],
)
def test_screenshots_of_every_page(chromium, lively, tmp_path: Path, width, scheme, language) -> None:
    """For people to look at: they lie in the test's folder."""
    for number, path in enumerate(PATHS):
        size = {"width": width, "height": 900}
        with opened(chromium, lively, f"{path}?lang={language}", viewport=size, color_scheme=scheme) as page:
            page.wait_for_load_state("load")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.screenshot(path=tmp_path / f"{number}-{width}-{scheme}-{language}.png", full_page=True)
