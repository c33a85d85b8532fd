"""A tournament in terminals of all sizes: what moves is seen, and nothing is cut off below."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime

import msgspec
import pytest
from rich.console import Console

from maumau.client.answer import (
    Carryover,
    Foreknowledge,
    LiveDeal,
    Match,
    Standing,
    Tournament,
    TournamentEvent,
)
from maumau.page.pile import top_after
from maumau.screen import live_deal as live
from maumau.screen.board import Board
from maumau.screen.contest import report
from maumau.screen.contest.foreknowledge import describe_foreknowledge
from maumau.screen.layout import MatchPicture, Picture
from maumau.screen.output import has_pictures, wrap_words
from maumau.screen.table import match_table, rating_cells, score_cells
from tests.support.fake import a_tournament
from tests.support.library import replace_functions

NAMES = ("counter", "rollout", "greedy", "hoarder", "first", "random")
PAIRS = [(a, b) for a in range(1, 7) for b in range(a + 1, 7)]
EVENTS = ("up AS", "A 7S", "B take", "B +2", "B TS", "A 9S!", "B JH>D")
HANDS = ((5, 5), (4, 5), (4, 5), (4, 7), (4, 6), (3, 6), (3, 5))
FOOTER = "valkey 1234  registry 1235  tournament 1236  worker-1 1237"
SIZES = [(60, 20), (80, 24), (100, 30), (120, 40), (200, 60)]


def match(number: int, state: str = "playing", sets: int = 0) -> Match:
    first, second = PAIRS[number - 1]
    return Match(
        label=f"1.1.{number}", first=first, second=second, first_name=NAMES[first - 1],
        second_name=NAMES[second - 1], state=state, winner=first if state == "decided" else 0, rule="cap",
        sets=sets, estimate=0.6, low=0.55, high=0.65, llr=0.0, faults=(0, 0), format="round_robin",
        id=f"match_{number}", take=1, seed_take=0,
    )  # fmt: skip


def tournament(state: str = "running", words: str = "") -> Tournament:
    return Tournament(
        id="t", name="demo-mau_mau", state=state, spec_toml="", rules=None, commitment="", secret="",
        secret_given=False, entries_root="", entries=(), matches_decided=2, matches_known=15, created_at=None,
        words=words,
    )  # fmt: skip


def event(kind: str, of: Match, ahead: int = 0) -> TournamentEvent:
    return TournamentEvent("1-0", datetime.now(UTC), kind, of, "", ahead)


def standing(rank: int, low: float = -20.0, high: float = 40.0, deals: int = 400) -> Standing:
    middle = (low + high) / 2
    return Standing(rank, rank, NAMES[rank - 1], middle, low, high, deals, 2, 1, 0, 0, "rating")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time of the show's clock, which tests may change."""
    now = [100.0]
    replace_functions(monkeypatch, live, "time", monotonic=lambda: now[0])
    return now


@pytest.fixture
def board(clock: list[float]) -> Board:
    """Fifteen matches: two decided, two being played, eleven that wait; and a deal in its seventh event."""
    made = Board("demo-mau_mau")
    made.feed(tournament())
    for number in range(1, 16):
        made.feed(event("match_started", match(number)))
    for number in (1, 2):
        made.feed(event("match_decided", match(number, "decided", 300)))
    for number in (3, 4):
        made.feed(event("progress", match(number, sets=100), ahead=20))
    made.standings = tuple(standing(rank) for rank in range(1, 7))
    counts = tuple(count for hands in HANDS for count in hands)
    made.show(match(3, sets=100), LiveDeal(12, 0, (0, 1), 0, EVENTS, counts, (), ()))
    drawn(made, 80, 24)
    clock[0] += 60
    return made


def drawn(board: Board | MatchPicture, width: int, height: int, **given: bool | str) -> list[str]:
    """Return the lines of the picture in a terminal of this size, without colours."""
    out = Console(
        file=io.StringIO(), width=width, height=height, force_terminal=True, highlight=False, markup=False,
        color_system=None, legacy_windows=False, **given,
    )  # fmt: skip
    with out.capture() as shown:
        out.print(Picture([board], FOOTER) if isinstance(board, Board) else board)
    return shown.get().splitlines()


@pytest.mark.parametrize("size", SIZES)
def test_what_moves_is_seen_at_every_size_and_all_of_it_fits(board: Board, size: tuple[int, int]) -> None:
    width, height = size
    lines = drawn(board, width, height)
    shown = "\n".join(lines)
    assert len(lines) < height
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("demo-mau_mau: running, 2 of 15 matches decided")
    assert lines[-1].startswith("valkey 1234  registry 1235")
    assert re.search(r"^1\.1\.3 counter against hoarder, set 12, seating 0", shown, re.MULTILINE)
    assert re.search(r"A counter  ░░ ░░ ░░ +3 in hand", shown)
    assert re.search(r"B hoarder  ░░ ░░ ░░ ░░ ░░ +5 in hand", shown)
    assert "on top J♥, wished for ♦" in shown
    assert "B J♥>♦" in shown  # the event that came last, whatever there is no room for
    assert re.search(r"1 +counter +\+10 +-20 to \+40 +400", shown)
    assert re.search(r"4 +hoarder +\+10 +-20 to \+40 +400", shown)
    for label in ("1.1.3", "1.1.4"):
        assert re.search(rf"^{label} .* 100 \+ 20 +playing", shown, re.MULTILINE)
    assert "11 matches wait for a first result" in shown


def test_where_there_is_room_everything_is_seen(board: Board) -> None:
    shown = "\n".join(drawn(board, 120, 40))
    for number, told in enumerate(["up A♠", "A 7♠", "B take", "B +2", "B 10♠", "A 9♠!", "B J♥>♦"], 1):
        assert re.search(rf"^ +{number}  {re.escape(told)}(\s|$)", shown, re.MULTILINE)
    assert "counter (cap)" in shown
    assert "6  random" in shown
    assert "ratings are Elo" in shown


def test_the_hands_are_those_after_the_event_that_is_shown_last(board: Board, clock: list[float]) -> None:
    board.show(match(3), LiveDeal(13, 1, (1, 0), 0, EVENTS, sum(HANDS, ()), (), ()))
    drawn(board, 80, 24)  # the deal before it to its end
    clock[0] += 60
    for number, (first, second) in enumerate(HANDS):
        shown = "\n".join(drawn(board, 80, 24))
        assert "set 13, seating 1" in shown
        assert re.search(rf"A hoarder .* {first} in hand", shown), EVENTS[number]
        assert re.search(rf"B counter .* {second} in hand", shown), EVENTS[number]
        clock[0] += 1 / live.PACE


def test_a_terminal_of_letters_alone_sees_letters(board: Board) -> None:
    class Letters(io.StringIO):
        encoding = "ascii"

    out = Console(file=Letters(), width=80, height=24, force_terminal=True, color_system=None)
    with out.capture() as shown:
        out.print(Picture([board], FOOTER))
    assert shown.get().isascii()
    assert "on top JH, wished for D" in shown.get()
    assert re.search(r"A counter  ## ## ## +3 in hand", shown.get())


def test_a_terminal_without_colours_loses_no_words(board: Board) -> None:
    plain = drawn(board, 80, 24)
    out = Console(
        file=io.StringIO(), width=80, height=24, force_terminal=True, no_color=True, highlight=False
    )
    with out.capture() as shown:
        out.print(Picture([board], FOOTER))
    assert re.sub(r"\x1b\[[0-9;]*m", "", shown.get()).splitlines() == plain
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown.get())


def test_a_dumb_terminal_gets_lines_and_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert not has_pictures(Console(force_terminal=True))
    monkeypatch.setenv("TERM", "xterm")
    assert has_pictures(Console(force_terminal=True))


def test_many_cards_stay_in_one_row(board: Board) -> None:
    hands = tuple((5 + number, 40 + number) for number in range(7))
    board.show(match(4), LiveDeal(1, 0, (0, 1), 0, EVENTS, sum(hands, ()), (), ()))
    lines = drawn(board, 60, 20)
    assert any(re.search(r"B first +▮{20,} +40 in hand", line) for line in lines)
    assert max(map(len, lines)) <= 60


def test_a_deal_that_is_over_says_who_won(board: Board, clock: list[float]) -> None:
    board.show(match(3), LiveDeal(12, 0, (0, 1), len(EVENTS), ("A 9D",), (0, 5), (1, 2), (0, 30)))
    drawn(board, 60, 20)
    clock[0] += 60
    assert "counter wins, points 0 30" in "\n".join(drawn(board, 60, 20))


def test_a_match_that_is_watched_fits_too(board: Board) -> None:
    assert board.table
    for width, height in SIZES:
        lines = drawn(MatchPicture(board.table, match_table([match(3)], tight=True)), width, height)
        assert len(lines) < height
        assert "on top J♥, wished for ♦" in lines or any("on top J♥" in line for line in lines)


def test_other_tournaments_have_a_line_each(board: Board) -> None:
    other = Board("cup")
    out = Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None)
    with out.capture() as shown:
        out.print(Picture([board, other], FOOTER))
    lines = shown.get().splitlines()
    assert len(lines) < 24
    assert lines[-2].startswith("cup")


@pytest.mark.parametrize(
    ("elo", "low", "high", "deals", "cells"),
    [
        (29.8, -1102.4, 1162.0, 1, ("", "about 127 sets short")),
        (0.0, -1789.2, 1789.2, 0, ("", "no result yet")),
        (540.0, -534.2, 1614.2, 100, ("", "needs more opponents")),
        (12.4, -87.6, 112.4, 20, ("+12", "-88 to +112")),
        (12.4, -88.6, 113.4, 20, ("", "about 1 set short")),
        (-900.0, -1135.0, -665.0, 2000, ("-900", "-1135 to -665")),
    ],
)
def test_a_rating_is_shown_when_its_interval_says_something(
    elo: float, low: float, high: float, deals: int, cells: tuple[str, str]
) -> None:
    assert rating_cells(elo, low, high, deals) == cells


def test_a_score_is_shown_when_its_interval_says_something() -> None:
    assert score_cells(0.5, 0.0, 1.0, 5) == ("", "about 51 sets short")
    assert score_cells(0.61, 0.47, 0.75, 60) == ("0.610", "0.470 to 0.750")


@pytest.mark.parametrize(
    ("events", "top"),
    [
        (["up AS", "A 7S", "B take", "B +2"], ("7S", "", "")),
        (["up AS", "A JH>D"], ("JH", "D", "")),
        (["up JS", "B wish:H"], ("JS", "H", "")),
        (["up AS", "A 7S+7H!"], ("7H", "", "")),
        (["up AS", "A ~9S"], ("AS", "", "9S")),
        (["up AS", "A ~9S", "B accept"], ("9S", "", "")),
        (["up AS", "A ~9S", "B doubt", "A shows KD", "A +1"], ("AS", "", "")),
        (["up AS", "A ~JD>C", "B doubt", "A shows JD", "B +1"], ("JD", "C", "")),
        (["up AS", "A 9S", "B KH", "B back KH"], ("9S", "", "")),
        (["up AS", "C KH in"], ("KH", "", "")),
    ],
)
def test_the_top_of_the_pile_follows_from_the_events(events: list[str], top: tuple[str, ...]) -> None:
    assert top_after(events) == top


def ended(state: str = "finished", words: str = "") -> report.TournamentReport:
    table = tuple(standing(rank) for rank in range(1, 7))
    return report.TournamentReport(tournament(state, words), table, True, (), (), ())


def test_the_end_says_who_won_with_the_table_and_what_to_do_next() -> None:
    out = Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None)
    with out.capture() as shown:
        for part in report.conclusion(ended()):
            out.print(part)
    words = shown.get()
    assert "counter wins demo-mau_mau" in words
    assert re.search(r"6 +random +\+10 +-20 to \+40", words)
    for command in ("show demo-mau_mau", "export demo-mau_mau", "verify demo-mau_mau.export.jsonl"):
        assert command in words


def test_organisers_are_told_who_plays_better_in_the_seating_played_second() -> None:
    none = Carryover(1, "new", 0, 0.0, -1.0, 1.0, 1.0, suspicious=False)
    few = Carryover(2, "a", 100, 0.02, -0.1, 0.14, 0.6, suspicious=False)
    found = Carryover(3, "b", 2400, 0.113, 0.085, 0.141, 0.00041, suspicious=True)
    assert list(report.carryover(())) == []
    assert list(report.carryover((none,))) == []
    assert list(report.carryover((none, few))) == [
        "",
        (
            "no bot is suspected of knowing deals from the other seating: the least likely gain is a's, "
            "and chance gives as large a one in 60 % of contests (suspicious from 2.5 % down)"
        ),
    ]  # fmt: skip
    said = list(report.carryover((none, few, found)))
    assert said[1] == (
        "b plays better in the seating played second: by +11.3% of a deal (95 %: +8.5% to +14.1%), "
        "p ≤ 0.00041, 2,400 mirrored sets"
    )
    assert len(said) == 2


def test_organisers_are_told_whose_decisions_depended_on_what_was_played_before() -> None:
    unknown = Foreknowledge(1, "new", 0, 0, 0, 0, 0, 0, 1.0, suspicious=False)
    clean = Foreknowledge(2, "a", 0, 0, 0, 0, 20, 0, 1.0, suspicious=False)
    clock = Foreknowledge(3, "c", 60, 22, 60, 20, 20, 9, 0.9, suspicious=False)
    found = Foreknowledge(4, "b", 60, 25, 60, 0, 20, 8, 0.00034, suspicious=True)
    assert list(describe_foreknowledge(())) == list(describe_foreknowledge((unknown,))) == []
    assert list(describe_foreknowledge((unknown, clean))) == [
        "",
        (
            "no bot's decisions depended on whether the deal had been played before (20 deals played again "
            "alone, of 1 of 2 bots; the least likely differences are a's, which chance gives in 100 % of "
            "contests; suspicious from 2.5 % down)"
        ),
        "no deal was played again alone of new",
    ]
    said = list(describe_foreknowledge((clean, clock, found)))
    assert said[1:] == [
        (
            "c decides differently when it plays a deal again, whether it had been played before (22 of 60) "
            "or not (20 of 60), as bots do that decide by the clock; this test says little about it"
        ),
        (
            "b's decisions depended on whether the deal had been played before: played again alone, it "
            "decided differently in 25 of 60 deals that had, and in 0 of 60 that had not; p ≤ 0.00034"
        ),
    ]


def test_whoever_has_withdrawn_says_so_among_the_entrants_and_is_not_counted() -> None:
    cup = a_tournament("cup", "open", bots=("greedy", "rollout"))
    assert "cup: mau_mau, open, 2 entries" in report.headline(cup)
    gone = msgspec.structs.replace(cup.entries[0], withdrawn=True)
    cup = msgspec.structs.replace(cup, entries=(gone, *cup.entries[1:]))
    assert "cup: mau_mau, open, 1 entry" in report.headline(cup)
    out = Console(file=io.StringIO(), width=80, color_system=None)
    out.print(*report.entrants(cup), report.tournament_table([cup]))
    shown = out.file.getvalue()
    assert re.search(r"1 +greedy \(withdrawn\) +house", shown)
    assert re.search(r"cup +mau_mau +open +1 ", shown)


def test_a_cancelled_tournament_has_no_winner_and_says_why() -> None:
    assert report.winner(ended("cancelled", "by ada")) == "demo-mau_mau is cancelled: by ada"


@pytest.mark.parametrize(("state", "told"), [("running", "playing"), ("cancelled", "stopped")])
def test_a_match_that_a_cancellation_left_undecided_is_told_as_stopped(state: str, told: str) -> None:
    matches = match(1, sets=50), match(2, "decided", 80)
    found = report.TournamentReport(
        tournament(state), (), final=False, bracket=(), matches=matches, carryover=()
    )
    out = Console(file=io.StringIO(), width=100)
    out.print(*report.parts(found), sep="\n")
    shown = out.file.getvalue()
    assert re.search(rf"1\.1\.1 .* 50 +{told}", shown)
    assert re.search(r"1\.1\.2 .* 80 +counter \(cap\)", shown)


class Screen(io.StringIO):
    """A terminal's stdout."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_its_lines_broken_between_words(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "it is over now, and a-long-word-with-hyphens stays\nmaumau seat --table TOKEN --arena HOST"
    assert wrap_words(text, Screen()).split("\n") == [
        "it is over now, and", "a-long-word-with-hyphens", "stays", "maumau seat --table TOKEN --arena HOST",
    ]  # fmt: skip
    assert wrap_words(text, io.StringIO()) == text


def test_what_a_command_does_goes_below_it_where_a_line_is_too_short_for_both(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = "  .venv/bin/maumau verify k.jsonl  recompute the table from that file, without the arena"
    assert wrap_words(text, Screen()).split("\n") == [
        "  .venv/bin/maumau verify k.jsonl",
        "    recompute the table from that file,",
        "    without the arena",
    ]
