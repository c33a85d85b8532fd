"""The page of a replay: one file that needs nothing else, and shows what happened, in a real browser."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.support.patience import patient
from maumau.errors import BadFile
from maumau.game import deal, first_action, load, record, replay, variants
from maumau.page.bundle import bundle_modules, wrap_module
from maumau.page.file import MAX_DEALS, build_file
from maumau.page.page import STATIC, PageNote, blame_seat, tell_record
from tests.support.kinds import one_of
from tests.support.terminal import Terminal


def data_of(text: str) -> list[dict]:
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)["deals"]


def played(variant: str, seats: int, seed: str) -> str:
    d = deal(load(variant), seats, seed)
    while not d.over:
        d.apply(d.to_act[0], first_action(d, d.to_act[0]))
    return record(d)


@pytest.mark.sample(12)
@pytest.mark.parametrize("variant", variants())
def test_the_page_has_every_stage_as_everybody_sees_it(variant: str) -> None:
    text = played(variant, 3, "page")
    (found,) = data_of(build_file([tell_record("one", text)]))
    d = deal(load(variant), 3, "page")
    while not d.over:
        d.apply(d.to_act[0], first_action(d, d.to_act[0]))
    stages = found["stages"]
    assert [event for stage in stages for event in stage["open"]] == d.events
    for seat in range(3):
        assert [event for stage in stages for event in stage["seen"][seat]] == d.seen(seat)
    assert (found["places"], found["points"]) == (d.places, d.points)
    assert stages[-1]["to_act"] == []
    assert all(stage["legal"] for stage in stages[:-1])


def test_it_is_one_file_that_asks_the_network_for_nothing(home: Terminal) -> None:
    home.run("play", "greedy", "first", "--seed", "1", "--replay", "out.html")
    text = (home.home / "out.html").read_text()
    text = text.replace('<link rel="icon" href="data:,">', "")  # asks for nothing: else browsers ask for one
    assert not re.search(r"\b(src|href)\s*=", text)
    assert set(re.findall(r"url\([\"']?(\w+:)", text)) == {"data:"}
    assert set(re.findall(r"https?://[\w.]+", text)) == {"http://www.w3.org"}  # the name of SVG
    assert not re.search(r"\b(fetch|import)\s*\(|^(import|export)\b", text, re.MULTILINE)
    assert len(text.encode()) < 150_000


def test_the_policy_of_the_file_lets_run_what_is_in_it_and_nothing_else() -> None:
    text = build_file([tell_record("one", played("prsi", 2, "a"))])
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', text)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, body in (("style", "<style>"), ("script", '<script type="module">')):
        (inside,) = re.findall(f"{re.escape(body)}(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_a_module_that_cannot_be_bundled_is_an_error(tmp_path: Path) -> None:
    assert bundle_modules(STATIC, "file").count("const module_card = ") == 1
    for text in ('import x from "./x.js";', "export default 1;", 'const x = import("./x.js");'):
        with pytest.raises(ValueError, match=r"odd\.js has an import or export that cannot be bundled"):
            wrap_module("odd", text)
    for one, other in ("ab", "ba"):
        (tmp_path / f"{one}.js").write_text(f'import {{ x }} from "./{other}.js";\n')
    with pytest.raises(ValueError, match="modules import each other: a -> b -> a"):
        bundle_modules(tmp_path, "a")


def test_a_record_becomes_a_page_and_a_set_of_them_several_deals(home: Terminal) -> None:
    (home.home / "deals.txt").write_text(played("prsi", 2, "a") + played("app", 3, "b"))
    assert home.run("replay", "deals.txt", "--html", "out.html").out.strip() == "out.html: 2 deals"
    first, second = data_of((home.home / "out.html").read_text())
    assert (first["rules"], second["rules"]) == ("prsi", "app")
    for found, deal_of_it in ((first, played("prsi", 2, "a")), (second, played("app", 3, "b"))):
        events = [event for stage in found["stages"] for event in stage["open"]]
        assert events == replay(deal_of_it).events
    assert "cannot be written" in home.run("replay", "deals.txt", "--html", "no/out.html", code=1).err


@pytest.mark.long
def test_a_note_stands_at_the_action_with_which_it_was_said(home: Terminal, write) -> None:
    write("talks", "self.note = view.legal[-1]; return view.legal[-1]")
    for seed in map(str, range(3)):
        home.run("play", "talks", "first", "--seed", seed, "--replay", "out.html")
        (found,) = data_of((home.home / "out.html").read_text())
        assert found["notes"]
        for note in found["notes"]:
            stage = next(stage for stage in found["stages"] if stage["event"] >= note["event"])
            assert any(event.startswith(f"A {note['text']}") for event in stage["open"])


def test_a_record_that_breaks_off_is_shown_to_its_end_with_the_reason(home: Terminal) -> None:
    lines = played("prsi", 2, "a").splitlines(keepends=True)
    (home.home / "torn.txt").write_text("".join(lines[:9]))
    home.run("replay", "torn.txt", "--html", "out.html", code=1)
    (found,) = data_of((home.home / "out.html").read_text())
    assert "the record ends here" in found["error"]
    assert found["stages"]


def test_too_many_deals_for_a_page_are_refused() -> None:
    one = tell_record("one", played("prsi", 2, "a"))
    with pytest.raises(BadFile, match="not 101; choose some"):
        build_file([one] * (MAX_DEALS + 1))


HOSTILE = "</script><script>document.title='owned'</script><!--<i>&amp;\u2028"


@pytest.fixture(scope="module")
def tab(chromium):
    """Return one tab for all pages: each costs a process. Its clock is set forward, timers never wait."""
    tab = chromium.new_page()
    tab.set_default_timeout(1000 * patient(20))
    tab.clock.install(time=0)
    return tab


@pytest.fixture
def browse(tab, tmp_path: Path):
    """Return the page in the tab after these keys and `seconds` of its clock; `run` is applied before.

    No error was logged, no policy refused anything, nothing was asked of a network.
    """
    wrong: list[str] = []
    tab.on("console", lambda message: wrong.append(message.text))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("dialog", lambda dialog: (wrong.append("a dialog"), dialog.dismiss()))
    tab.on("request", lambda one: None if one.url.startswith(("file:", "data:")) else wrong.append(one.url))
    opened = iter(range(99))

    def browsed(text: str, *keys: str, run: str = "", size: str = "1440,900", seconds: int = 100):
        path = tmp_path / f"{next(opened)}.html"
        path.write_text(text, encoding="utf-8")
        tab.set_viewport_size(dict(zip(("width", "height"), map(int, size.split(",")), strict=True)))
        tab.goto(path.as_uri())
        for key in keys:
            tab.keyboard.press(key)
        if run:
            tab.evaluate(run)
        tab.clock.run_for(1000 * seconds)
        assert wrong == []
        return tab

    return browsed


@pytest.mark.long
def test_keys_step_and_turn_the_table_to_a_seat(browse) -> None:
    text = played("prsi", 2, "keys")
    whole = build_file([tell_record("the deal", text)])
    stages = data_of(whole)[0]["stages"]
    last = len(stages) - 1
    tab = browse(whole)
    assert tab.title() == "the deal"
    assert tab.inner_text("#step") == f"0 / {last}"
    assert tab.locator("#felt-0 .hand .back").count() == 0
    assert tab.locator("#felt-0 [title]").count() == sum(len(hand) for hand in stages[0]["hands"]) + 1
    browse(whole, "ArrowRight", "ArrowRight", "ArrowLeft", "b")
    assert tab.inner_text("#step") == f"1 / {last}"
    assert tab.locator("#felt-0 .hand .back").count() == len(stages[1]["hands"][0])
    assert tab.locator("#log-0 li").count() == sum(len(stage["seen"][1]) for stage in stages)
    browse(whole, "End", "ArrowRight")
    assert tab.inner_text("#step") == f"{last} / {last}"
    assert "place 1" in tab.inner_text("#felt-0")


def test_the_page_of_a_fault_opens_where_it_happened_seen_from_its_seat(browse) -> None:
    d = deal(load("prsi"), 2, "a")
    while not d.over:
        seat = d.to_act[0]
        if seat == 1 and not d.faults:
            d.forfeit(1, "illegal")
        d.apply(seat, first_action(d, seat))
    one = tell_record("the deal", record(d))
    one = replace(one, blame=blame_seat(one, 1, "illegal, 7C is not listed", [("asked", HOSTILE)]))
    tab = browse(build_file([one]))
    assert "B lost this deal: illegal, 7C is not listed" in tab.inner_text(".blame")
    assert tab.locator("i:not(.card i)").count() == 0
    assert tab.inner_text("#log-0 .now") == (
        "B loses the deal by a fault (illegal); from here on the referee plays these cards"
    )
    assert tab.locator(".seat.acts .back").count() == 0  # B sees its own cards
    assert tab.locator(".seat:not(.acts) .back").count() > 0
    assert "B is to play" in tab.inner_text(".asked")
    assert browse(build_file([one]), "Home").inner_text("#step").startswith("0 /")


def test_what_strangers_write_is_shown_as_text(browse) -> None:
    one = tell_record(HOSTILE, played("prsi", 2, "a"))
    names = [HOSTILE + "\u202e\0", "<script>alert(1)</script>"]
    one = replace(one, names=names, logs=[HOSTILE, ""], notes=[PageNote(1, 0, HOSTILE)])
    tab = browse(build_file([one]))
    assert tab.title().startswith("</script><script>document.title='owned'")
    assert tab.locator("i:not(.card i)").count() == 0
    for part in ("#felt-0", "#log-0"):
        assert "</script><script>document.title='owned'" in tab.inner_text(part)
    assert "\u202e" not in tab.inner_text("#felt-0")  # it would turn the rest of the line around
    assert "log of A" in tab.inner_text(".about")


@pytest.mark.parametrize(
    ("start", "keys"), one_of(2, [("document.getElementById('play').click()", ()), ("", (" ",))])
)
def test_a_deal_plays_by_itself_to_its_end(browse, start: str, keys: tuple[str, ...]) -> None:
    """By the button or by the space bar, and then it stands still."""
    whole = build_file([tell_record("the deal", played("prsi", 2, "keys"))])
    last = len(data_of(whole)[0]["stages"]) - 1
    tab = browse(whole, *keys, run=start)
    assert tab.inner_text("#step") == f"{last} / {last}"
    assert tab.inner_text("#play") == "▶ Play"


def test_a_deal_that_plays_stops_where_one_presses_pause_and_plays_faster_if_told(browse) -> None:
    whole = build_file([tell_record("the deal", played("prsi", 2, "keys"))])
    faster = """() => {
      const speed = document.getElementById("speed"), button = document.getElementById("play");
      speed.selectedIndex = 3; speed.dispatchEvent(new Event("change"));
      button.click();
      setTimeout(() => { button.dataset.before = button.textContent; button.click(); }, 2.5 * 250); }"""
    tab = browse(whole, run=faster)
    assert tab.inner_text("#step").startswith("3 /")  # at once and two more: 250 ms a step
    assert tab.get_attribute("#play", "data-before") == "❚❚ Pause"
    assert tab.inner_text("#play") == "▶ Play"


@pytest.mark.parametrize(("focus", "plays"), one_of(3, [("last", False), ("play", False), ("slider", True)]))
def test_space_on_a_focused_button_is_the_buttons(browse, focus: str, plays: bool) -> None:
    """The browser makes a click of it unless the page takes the key; a slider does nothing with it."""
    press = f"""() => {{
      const focused = document.getElementById("{focus}"); focused.focus();
      const key = new KeyboardEvent("keydown", {{ key: " ", bubbles: true, cancelable: true }});
      focused.dispatchEvent(key);
      document.title = [key.defaultPrevented, document.getElementById("play").textContent]; }}"""
    tab = browse(build_file([tell_record("the deal", played("prsi", 2, "keys"))]), run=press, seconds=0)
    assert tab.title() == ("true,❚❚ Pause" if plays else "false,▶ Play")


@pytest.mark.parametrize("size", one_of(3, ["390,844", "820,1180", "1440,900"]))
def test_six_seats_with_long_names_fit_the_screen(browse, size: str) -> None:
    one = tell_record("the deal", played("mau_mau", 6, "fit"))
    one = replace(one, names=[f"a-name-of-twenty-{number:03}" for number in range(6)])
    fits = """() => {
      const felt = document.getElementById("felt-0").getBoundingClientRect();
      const seats = [...document.querySelectorAll(".seat")].map((seat) => seat.getBoundingClientRect());
      return [innerWidth, document.documentElement.scrollWidth, innerHeight,
        document.documentElement.scrollHeight, seats.length,
        seats.every((seat) => seat.bottom <= felt.bottom + 1 && seat.right <= felt.right + 1)]; }"""
    tab = browse(build_file([one]), *["ArrowRight"] * 9, size=size)
    wide, whole_width, high, whole_height, seats, inside = tab.evaluate(fits)
    assert (whole_width, whole_height) == (wide, high)
    assert (seats, inside) == (6, True)
    assert "a-name-of-twenty-005" in tab.text_content("#felt-0")


def test_the_seatings_of_a_set_stand_beside_each_other_and_speak_german(browse) -> None:
    same, other = played("prsi", 2, "a"), played("prsi", 2, "b")
    tab = browse(
        build_file([tell_record(f"set 1, deal {n}", same) for n in range(2)] + [tell_record("next", other)])
    )
    assert tab.locator(".felt").count() == 2
    assert tab.title() == "set 1"
    tab.keyboard.press("p")
    last = len(data_of(build_file([tell_record("", same)]))[0]["stages"]) - 1
    assert tab.inner_text("#step") == f"{last} / {last}"  # the same record never differs
    tab.keyboard.press("n")
    assert (tab.title(), tab.locator(".felt").count()) == ("next", 1)
    tab.select_option("#language", "de")
    assert tab.inner_text("#play") == "▶ Abspielen"
    assert "wird aufgedeckt" in tab.inner_text("#log-0")
    tab.select_option("#language", "en")


def test_without_scripts_the_file_says_what_happened() -> None:
    text = build_file([tell_record("<i>deal</i>", played("prsi", 2, "a"))])
    (told,) = re.findall(r"<noscript>(.*?)</noscript>", text, re.DOTALL)
    assert "this is what happened" in told
    assert "dies, was geschah" in told
    assert "is turned up</li>" in told
    assert "&lt;i&gt;deal&lt;/i&gt;" in told
