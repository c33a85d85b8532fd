"""The page of a replay: one file that needs nothing else, and shows what happened, in a real browser."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.patience import patient
from maumau.errors import BadFile
from maumau.game import deal, first_action, load, record, replay, variants
from maumau.page.page import MAX_DEALS, Note, blame, from_record, page
from tests.cli.terminal import Terminal


def data_of(text: str) -> list[dict]:
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    return json.loads(data)


def played(variant: str, seats: int, seed: str) -> str:
    d = deal(load(variant), seats, seed)
    while not d.over:
        d.apply(d.to_act[0], first_action(d, d.to_act[0]))
    return record(d)


@pytest.mark.parametrize("variant", variants())
def test_the_page_has_every_stage_as_everybody_sees_it(variant: str) -> None:
    text = played(variant, 3, "page")
    (found,) = data_of(page([from_record("one", text)]))
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
    assert not re.search(r"(src|href|url)\s*[=(]", text)
    assert not re.search(r"https?://", text)
    assert "default-src 'none'" in text


def test_a_record_becomes_a_page_and_a_set_of_them_several_deals(home: Terminal) -> None:
    (home.home / "deals.txt").write_text(played("prsi", 2, "a") + played("app", 3, "b"))
    assert home.run("replay", "deals.txt", "--html", "out.html").out.strip() == "out.html: 2 deals"
    first, second = data_of((home.home / "out.html").read_text())
    assert (first["rules"], second["rules"]) == ("prsi", "app")
    for found, deal_of_it in ((first, played("prsi", 2, "a")), (second, played("app", 3, "b"))):
        events = [event for stage in found["stages"] for event in stage["open"]]
        assert events == replay(deal_of_it).events
    assert "cannot be written" in home.run("replay", "deals.txt", "--html", "no/out.html", code=1).err


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
    one = from_record("one", played("prsi", 2, "a"))
    with pytest.raises(BadFile, match="not 101; choose some"):
        page([one] * (MAX_DEALS + 1))


HOSTILE = "</script><script>document.title='owned'</script><!--<i>&amp;\u2028"


@pytest.fixture(scope="module")
def tab(chromium):
    """One tab for all pages: a new one costs a process. Its clock is set forward, timers wait for nothing."""
    tab = chromium.new_page()
    tab.set_default_timeout(1000 * patient(20))
    tab.clock.install(time=0)
    return tab


@pytest.fixture
def browse(tab, tmp_path: Path):
    """What the page shows after these keys, as (title, text of the table, text of the list, whole page).

    It is looked at 100 s after it was opened; no error was logged, no policy refused anything.
    """
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))

    def browsed(text: str, *keys: str, run: str = "", size: str = "1440,900") -> tuple[str, str, str, str]:
        press = "".join(
            f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: {json.dumps(key)}}}));"
            for key in keys
        )
        path = tmp_path / "page.html"
        path.write_text(text.replace("</html>", f"<script>{press}{run}</script></html>"), encoding="utf-8")
        tab.set_viewport_size(dict(zip(("width", "height"), map(int, size.split(",")), strict=True)))
        tab.goto(path.as_uri())
        tab.clock.run_for(100_000)
        assert said == []
        shown = re.sub(r"<script.*?</script>", "", tab.content(), flags=re.DOTALL)
        (title,) = re.findall(r"<title>(.*?)</title>", shown, re.DOTALL)
        parts = [
            re.search(rf'id="{name}".*?</{tag}>', shown, re.DOTALL).group()
            for name, tag in (("table", "main"), ("events", "ol"))
        ]
        return html.unescape(title), *parts, shown

    return browsed


@pytest.mark.long
def test_keys_step_and_turn_the_table_to_a_seat(browse) -> None:
    text = played("prsi", 2, "keys")
    whole = page([from_record("the deal", text)])
    stages = data_of(whole)[0]["stages"]
    title, table, listed, shown = browse(whole)
    assert title == "the deal"
    assert "0 of" in shown
    assert table.count('class="card back') == 0
    assert table.count('title="') == sum(len(hand) for hand in stages[0]["hands"]) + 1
    _, table, listed, shown = browse(whole, "ArrowRight", "ArrowRight", "ArrowLeft", "b")
    assert "1 of" in shown
    assert table.count('class="card back') == len(stages[1]["hands"][0])
    draws = [event for stage in stages for event in stage["seen"][1]]
    assert listed.count("<li") == len(draws)
    _, table, _, shown = browse(whole, "End", "ArrowRight")
    assert f"{len(stages) - 1} of {len(stages) - 1}" in shown
    assert "place 1" in table


def test_the_page_of_a_fault_opens_where_it_happened_seen_from_its_seat(browse) -> None:
    d = deal(load("prsi"), 2, "a")
    while not d.over:
        seat = d.to_act[0]
        if seat == 1 and not d.faults:
            d.forfeit(1, "illegal")
        d.apply(seat, first_action(d, seat))
    one = from_record("the deal", record(d))
    one = replace(one, blame=blame(one, 1, "illegal, 7C is not listed", [("asked", HOSTILE)]))
    _, table, listed, shown = browse(page([one]))
    assert "B has lost this deal: illegal, 7C is not listed" in shown
    assert "<i>" not in shown
    assert '<li class="now">forfeit B illegal</li>' in listed
    acting, other = table.split("must decide: turn")[1], table.split("must decide: turn")[0]
    assert "card back" not in acting  # B sees its own cards
    assert "card back" in other
    assert "0 of" in browse(page([one]), "Home")[3]


def test_what_strangers_write_is_shown_as_text(browse) -> None:
    one = from_record(HOSTILE, played("prsi", 2, "a"))
    one = replace(one, names=[HOSTILE, "b"], logs=[HOSTILE, ""], notes=[Note(1, 0, HOSTILE)])
    title, table, listed, shown = browse(page([one]), "n")
    assert title.startswith("</script><script>document.title='owned'")
    assert "<i>" not in shown
    for part in (table, listed):
        assert "&lt;/script&gt;&lt;script&gt;document.title='owned'" in part
    assert "log of A" in shown


def play_button(shown: str) -> str:
    return re.search(r'<button id="play"[^>]*>(.*?)</button>', shown).group(1)


@pytest.mark.parametrize("start", ["document.getElementById('play').click();", ""])
def test_a_deal_plays_by_itself_to_its_end(browse, start: str) -> None:
    """By the button or by the space bar, and then it stands still."""
    whole = page([from_record("the deal", played("prsi", 2, "keys"))])
    last = len(data_of(whole)[0]["stages"]) - 1
    _, _, _, shown = browse(whole, *([] if start else [" "]), run=start)
    assert f"{last} of {last}" in shown
    assert play_button(shown) == "▶ play"


def test_a_deal_that_plays_stops_where_one_presses_pause_and_plays_faster_if_told(browse) -> None:
    whole = page([from_record("the deal", played("prsi", 2, "keys"))])
    faster = """
      const speed = document.getElementById("speed"), button = document.getElementById("play");
      speed.selectedIndex = 3; speed.onchange();
      button.click();
      setTimeout(() => { button.dataset.before = button.textContent; button.click(); }, 3.5 * 300);"""
    _, _, _, shown = browse(whole, run=faster)
    assert "3 of" in shown  # 1200 ms a step, four times as fast
    assert 'data-before="❚❚ pause"' in shown
    assert play_button(shown) == "▶ play"


@pytest.mark.parametrize(("focus", "plays"), [("last", False), ("play", False), ("slider", True)])
def test_space_on_a_focused_button_is_the_buttons(browse, focus: str, plays: bool) -> None:
    """The browser makes a click of it unless the page takes the key; a slider does nothing with it."""
    press = f"""
      const focused = document.getElementById("{focus}"); focused.focus();
      const key = new KeyboardEvent("keydown", {{ key: " ", bubbles: true, cancelable: true }});
      focused.dispatchEvent(key);
      document.title = [key.defaultPrevented, state.timer !== null];"""
    whole = page([from_record("the deal", played("prsi", 2, "keys"))])
    title, _, _, _ = browse(whole, run=press + "pause();")
    assert title == ("true,true" if plays else "false,false")


@pytest.mark.parametrize("size", ["390,844", "820,1180", "1440,900"])
def test_six_seats_with_long_names_fit_the_screen(browse, size: str) -> None:
    one = from_record("the deal", played("mau_mau", 6, "fit"))
    one = replace(one, names=[f"a-name-of-twenty-{number:03}" for number in range(6)])
    fits = """
      const main = document.getElementById("table").getBoundingClientRect();
      const seats = [...document.querySelectorAll(".seat")].map((seat) => seat.getBoundingClientRect());
      document.title = JSON.stringify([innerWidth, document.documentElement.scrollWidth, innerHeight,
        document.documentElement.scrollHeight, seats.length,
        seats.every((seat) => seat.bottom <= main.bottom + 1 && seat.right <= main.right + 1)]);"""
    title, table, _, _ = browse(page([one]), *["ArrowRight"] * 9, run=fits, size=size)
    wide, whole_width, high, whole_height, seats, inside = json.loads(title)
    assert (whole_width, whole_height) == (wide, high)
    assert (seats, inside) == (6, True)
    assert "F a-name-of-twenty-005" in table
