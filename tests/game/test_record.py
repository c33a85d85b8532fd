"""Records are strict: an error names the line and says why."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from maumau.errors import BadRecord
from maumau.game import (
    count_early_forfeits,
    deal,
    deal_by_hand,
    drop_mark,
    first_action,
    list_lost_seats,
    load,
    record,
    replay,
)
from maumau.game.replay import replay_stages
from tests.support.house_rules import load_house_rules


def finished() -> str:
    d = deal_by_hand(load("prsi"), {0: "7H 9C", 1: "7S KD", 2: "QD 8C AC"}, "9H", "JS TD 8S AD KC", first=1)
    for action in ("draw", "take", "draw", "7S", "take", "9C"):
        seat = d.to_act[0]
        d.apply(seat, action if d.allows(seat, action) else d.legal(seat)[0])
    while not d.over:
        d.apply(d.seat, first_action(d, d.seat))
    return record(d)


LINES = finished().split("\n")
PAGE = Path(__file__).parents[2] / "docs/reference/notation.md"


def test_a_record_shows_the_deal_and_what_happened() -> None:
    assert LINES[0] == "[maumau 1]"
    assert LINES[2:9] == [
        "[seats 3]",
        "[hand]",
        "[first B]",
        "deal A 7H 9C",
        "deal B 7S KD",
        "deal C QD 8C AC",
        "up 9H",
    ]
    assert LINES[9] == "stock JS TD 8S AD KC"
    assert LINES[10] == "B draw JS"
    assert LINES[-2].startswith("result places ")
    assert record(replay("\n".join(LINES))) == "\n".join(LINES)


def test_a_record_that_stops_after_a_window_in_which_all_held_opens_it_again() -> None:
    """C has the identical nine and holds: that is in no record (docs/how-to/live.md)."""
    rules = load_house_rules("twins")
    d = deal_by_hand(rules, {0: "9H 9C KC", 1: "9S KD QC", 2: "9H 8C AC"}, "TH", "JS TD", first=0)
    d.apply(0, "9H")
    assert (d.asks, d.to_act) == ("window", (2,))
    d.apply(2, "hold")
    assert (d.asks, d.to_act) == ("turn", (1,))
    again = replay(record(d), own=rules)
    assert (again.asks, again.to_act) == ("window", (2,))
    again.apply(2, "hold")
    assert [again.view(seat) for seat in range(3)] == [d.view(seat) for seat in range(3)]


def test_a_record_may_stop_after_any_action_with_what_comes_of_it() -> None:
    for stop in range(10, len(LINES) - 1):
        text = "\n".join(LINES[:stop]) + "\n"
        if LINES[stop].endswith("out") or " +" in LINES[stop]:
            with pytest.raises(BadRecord, match=f"line {stop + 1}: the record ends where"):
                replay(text)
        else:
            assert record(replay(text)) == text or LINES[stop].startswith("result")


@pytest.mark.parametrize(
    ("line", "text", "words"),
    [
        (0, "[maumau 2]", "line 1: this is not version 1"),
        (0, "", r"line 1: expected \[maumau"),
        (1, "[rules nosuch {} 0]", "line 2: there is no variant 'nosuch'; known: app"),
        (1, "[rules prsi {} 00]", "line 2: these are not the rules"),
        (
            1,
            '[rules prsi {"ace_stack":"x"} 00]',
            "line 2: option ace_stack cannot be x: it is pass_on or none",
        ),
        (1, "[rules prsi {broken 00]", "line 2: "),
        (2, "[seats 0]", "line 3: '0' is not a number of seats"),
        (2, "[seats 9]", "line [0-9]+: "),
        (3, "[seed a b]", "line 4: the seed cannot be read"),
        (3, "[seed x]", "line 6: the seed deals 'deal A"),
        (4, "[first D]", "line 5: 'D' is not a seat"),
        (5, "deal A 7H 9X", "line 10: '9X' is not a card"),
        (5, "deal A 7H 7H", "line 10: the pack does not contain that many 7H"),
        (8, "9H", "line 9: expected 'up' and cards"),
        (10, "B draw TD", "line 11: by the rules 'B draw JS' happens here"),
        (10, "B fly", "line 11: 'fly' is not an action"),
        (10, "A draw", "line 11: draw: it is B's turn, not A's"),
        (10, "D draw", "line 11: 'D draw' is not what a seat does"),
        (10, "forfeit D crash", "line 11: 'forfeit D crash' is not what a seat does"),
        (-2, "result places 1 1 1 points 0 0 0", "line [0-9]+: by the rules this is 'result places"),
    ],
)
def test_a_wrong_line_is_named(line: int, text: str, words: str) -> None:
    lines = LINES[:]
    lines[line] = text
    with pytest.raises(BadRecord, match=words):
        replay("\n".join(lines))


def test_a_record_that_breaks_off_in_a_line_says_so() -> None:
    with pytest.raises(BadRecord, match="the record breaks off"):
        replay("\n".join(LINES)[:-1])


def test_nothing_follows_the_result() -> None:
    with pytest.raises(BadRecord, match="nothing follows the result"):
        replay("\n".join([*LINES[:-1], "A draw", ""]))


def test_a_result_before_the_end_is_refused() -> None:
    with pytest.raises(BadRecord, match="line 11: the deal is not over here"):
        replay("\n".join([*LINES[:10], LINES[-2], ""]))


@pytest.mark.parametrize("seed", ["plain", "with space", "[brackets]", 'quote "', "line\nbreak", "ünï"])
def test_any_text_is_a_seed(seed: str) -> None:
    d = deal(load("app"), 2, seed)
    assert replay(record(d)).seed.text == seed


def test_a_forfeit_stands_where_it_happened() -> None:
    d = deal(load("prsi"), 2, "f")
    d.apply(0, first_action(d, 0))
    d.forfeit(0, "crash")
    while not d.over:
        d.apply(d.seat, first_action(d, d.seat))
    assert d.places == [2, 1]
    assert d.points[0] == max(d.points)
    assert "forfeit A crash" in record(d).split("\n")
    assert record(replay(record(d))) == record(d)


def test_the_faulted_share_the_last_places() -> None:
    d = deal(load("prsi", places=True), 4, "g")
    d.forfeit(2, "time")
    d.forfeit(0, "illegal")
    while not d.over:
        d.apply(d.seat, first_action(d, d.seat))
    assert d.places[0] == d.places[2] == 3
    assert sorted(d.places) == [1, 2, 3, 3]


def test_too_many_seats_are_refused_again_and_again() -> None:
    text = record(deal(load("prsi"), 2, "few")).replace("[seats 2]", "[seats 9]")
    for _ in range(2):
        with pytest.raises(BadRecord, match="prsi is played by 2 to 5, not by 9"):
            replay(text)


def test_the_stages_of_a_record_are_the_deal_after_each_action() -> None:
    text = "\n".join(LINES)
    told = [(record(d), line) for d, line in replay_stages(text)]
    assert told[0][0] == "\n".join(LINES[:10]) + "\n"
    assert [line for _, line in told] == sorted({line for _, line in told})
    for state, line in told[:-1]:
        assert state == "\n".join(LINES[:line]) + "\n"


def test_the_record_on_the_page_on_notation_is_played_again() -> None:
    found = re.search(r"<!-- record -->\n```\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    assert record(replay(found[1])) == found[1]
    assert replay(found[1]).places == [1, 2]


EARLY = """[maumau 1]
[rules mau_mau {"cut_on":false} HASH]
[seats 2]
[hand]
deal A 9C
deal B TC AC
up KC
stock 8S 8H 8D
A 9C!
A out
forfeit A forfeit
result places 2 1 points 21 21
"""


def test_a_record_from_before_version_2_of_forfeits_counts_them_as_it_did() -> None:
    """The deal was over, and A had won, when A lost it by a fault of another one."""
    text = EARLY.replace("HASH", load("mau_mau", cut_on=False).hash)
    d = replay(text)
    assert (d.winner, d.places, d.points) == (0, [2, 1], [21, 21])
    assert record(d) == text
    with pytest.raises(BadRecord, match="line 12: the deal is over: nobody can lose it any more"):
        replay(text.replace("[hand]\n", "[hand]\n[forfeits 2]\n"))


def test_a_record_says_by_which_version_its_forfeits_count() -> None:
    d = deal(load("mau_mau", cut_on=False), 2, "seed")
    d.forfeit(0, "crash")
    text = record(d)
    assert "[forfeits 2]\n" in text
    assert record(replay(text)) == text
    before = record(deal(load("mau_mau", cut_on=False), 2, "seed"))
    assert drop_mark(text).startswith(before)
    assert drop_mark(before) == before
    assert list_lost_seats(text) == (0,)
    assert list_lost_seats(text, is_game=True) == ()  # a fault loses its deal, and the game goes on
    assert list_lost_seats(text.replace("[forfeits 2]\n", "")) == ()
    assert count_early_forfeits(text + text.replace("[forfeits 2]\n", "") + finished()) == 1
    with pytest.raises(BadRecord, match="the header speaks of forfeits, and nobody forfeited"):
        replay(finished().replace("[first B]\n", "[first B]\n[forfeits 2]\n"))
    with pytest.raises(BadRecord, match="line 5: forfeits count by version 2 here"):
        replay(text.replace("[forfeits 2]", "[forfeits 3]"))
