"""The pages in a real browser: what scripts do, what keys do, and what nobody should have to put up with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maumau.answer import Round, StateCount
from maumau.game import record
from tests.supervisor.polling import until
from tests.web.browser import find_serious, opened
from tests.web.fake import (
    DEAL,
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
from tests.web.fake_status import a_status

PATHS = (
    "/", "/contests", "/contests/cup", "/contests/cup/matches/1.1.1", "/contests/old/matches/1.1.2/sets/3",
    "/rules", "/rules/prsi", "/status", "/nowhere", "/ladders", "/ladders/prsi", "/ladders/prsi/pairings",
    "/contests/old/matches/1.1.2", "/contests/old/matches/1.1.2/sets", "/contests/cup?wall=1",
    "/bots", "/bots/greedy", "/tables", "/tables/table_1", "/tables/table_2", "/tables/table_3",
)  # fmt: skip
LATE = StateCount("tournament", "block", "void", 2, False, 95_000, 0)
NAMES = ("greedy", "<script>alert(1)</script>", "rollout", "a-bot-with-a-name-as-long-as-they-may-be")


@pytest.fixture
def lively(site):
    """A contest that is played and one that is over."""
    arena = site.arena
    arena.contests = [a_tournament("cup", bots=NAMES), a_tournament("old", "finished", NAMES)]
    decided = a_match("1.1.2", 2, 3, NAMES[1:3], state="decided", winner=3, estimate=0.4, high=0.45)
    arena.games = {"cup": [a_match(names=NAMES[:2]), decided], "old": [decided]}
    for name in arena.games:
        arena.ranks[name] = [a_standing(n, n, bot, 60.0 - 30 * n) for n, bot in enumerate(NAMES, 1)]
    arena.rounds["cup"] = (Round(1, "final", (decided,), ()),)
    arena.scores = (4, 3, 2, 1, 0, 2) * 50
    arena.deals, arena.sets = [DEAL], {3: a_set(3, note="<b>bold</b>")}
    arena.all_bots = tuple(map(a_bot, NAMES))
    arena.boards["prsi"] = [a_line(n, name, 60.0 - 30 * n) for n, name in enumerate(NAMES, 1)]
    arena.paired = [a_pairing("3.1", *NAMES[:2]), a_pairing("2.9", *NAMES[2:], state="over")]
    told, d = table_news()
    ended = {"record": record(d), "places": tuple(d.places), "points": tuple(d.points), "turn": None}
    arena.live = {
        "table_1": [a_table(names=NAMES[:2]), *table_news(9)[0]],
        "table_2": [a_table("table_2", NAMES[1:3], state="over", secret="91" * 32, **ended), *told],
        "table_3": [a_table("table_3", state="void", words="<b>nobody</b> came", turn=None)],
    }  # fmt: skip
    return site


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_every_page_fits_and_has_no_serious_finding(chromium, lively, width, scheme) -> None:
    for path in PATHS:
        size = {"width": width, "height": 900}
        with opened(chromium, lively, path, viewport=size, color_scheme=scheme) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert find_serious(page) == [], path


@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_what_is_late_is_said_without_a_serious_finding(chromium, lively, width, scheme) -> None:
    lively.arena.status, lively.arena.ladders_down = a_status(LATE), True
    size = {"width": width, "height": 900}
    with opened(chromium, lively, "/status", viewport=size, color_scheme=scheme) as page:
        page.locator("#arena_status", has_text="LATE").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert find_serious(page) == []


def test_nothing_moves_when_something_becomes_late(chromium, lively) -> None:
    with opened(chromium, lively, "/status") as page:
        page.locator("#arena_status", has_text="All is well.").wait_for()
        before = [one.bounding_box() for one in page.locator("#arena_status h2").all()]
        lively.arena.status = a_status(LATE)
        page.locator("#arena_status", has_text="LATE").wait_for()
        assert [one.bounding_box() for one in page.locator("#arena_status h2").all()] == before


def test_a_deal_is_shown_card_by_card_and_the_score_changes_in_place(chromium, lively) -> None:
    with opened(chromium, lively, "/") as page:
        page.wait_for_selector("#table .pile .card")
        before = page.locator("#score").bounding_box()
        lively.arena.games["cup"][0] = a_match(names=NAMES[:2], estimate=0.61, low=0.58, high=0.64, sets=900)
        lively.change()
        page.locator("#score .big", has_text="61.0").wait_for()
        assert page.locator("#score").bounding_box()["y"] == before["y"]
        page.locator(".said", has_text="is out").wait_for()


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
    for path, words in {"/": "47.0 : 53.0", "/contests/cup": "Crosstable", PATHS[4]: "lays"}.items():
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
