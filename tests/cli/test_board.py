"""A tournament in a terminal, protected against untrusted text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec import structs
from rich.console import ConsoleDimensions

from maumau.client.answer import Entry, Match, Standing, Tournament, TournamentEvent
from maumau.screen.board import Board, event_line, score_line
from maumau.screen.layout import Picture
from maumau.screen.output import console, plain
from maumau.screen.table import explain_scores, match_table, result, standing_table, write_legend

MATCH: dict[str, Any] = {
    "label": "1.2.1", "first": 1, "second": 2, "first_name": "ada", "second_name": "bob", "state": "playing",
    "winner": 0, "rule": "", "sets": 200, "estimate": 0.6125, "low": 0.5561, "high": 0.6689, "llr": 1.5,
    "faults": (0, 0), "format": "round_robin", "id": "match_1",
    "take": 1, "seed_take": 0,
}  # fmt: skip


def match(**changes: Any) -> Match:
    return Match(**{**MATCH, **changes})


def event(kind: str, of: Match | None = None, words: str = "", ahead: int = 0) -> TournamentEvent:
    return TournamentEvent("1-0", datetime.now(UTC), kind, of, words, ahead)


def tournament(**changes: Any) -> Tournament:
    given = {
        "id": "t", "name": "cup", "state": "running", "spec_toml": "", "rules": None, "commitment": "",
        "secret": "", "secret_given": False, "entries_root": "", "entries": (), "matches_decided": 0,
        "matches_known": 3, "created_at": None, "words": "",
    }  # fmt: skip
    return Tournament(**{**given, **changes})


def text(renderable: Any, size: tuple[int, int] = (200, 50)) -> str:
    out = console()
    out.size = ConsoleDimensions(*size)
    with out.capture() as shown:
        out.print(renderable)
    return shown.get()


def test_a_decided_match_is_one_line_with_score_interval_deals_winner_and_rule() -> None:
    decided = match(state="decided", winner=1, rule="sequential")
    assert score_line(decided) == "ada is better than bob, score 0.613 (0.556 to 0.669) after 200 sets"
    assert event_line("cup", event("match_decided", decided)).startswith("cup 1.2.1: ada is better than bob")
    lost = match(state="decided", winner=2, rule="sequential", estimate=0.25, low=0.125, high=0.375)
    assert score_line(lost) == "bob is better than ada, score 0.750 (0.625 to 0.875) after 200 sets"


def test_who_won_a_match_only_leads_while_the_interval_includes_one_half() -> None:
    ahead = match(state="decided", winner=1, rule="sequential", estimate=0.55, low=0.49, high=0.61)
    assert score_line(ahead).startswith("ada leads bob, score 0.550")
    behind = match(state="decided", winner=2, rule="sequential", estimate=0.45, low=0.39, high=0.51)
    assert score_line(behind).startswith("bob leads ada, score 0.550")


def test_a_table_of_matches_tells_better_from_leads_and_names_other_rules() -> None:
    won = match(state="decided", winner=1, rule="sequential")
    assert result(won) == "ada is better"
    ahead = match(state="decided", winner=2, rule="sequential", estimate=0.45, low=0.39, high=0.51)
    assert result(ahead) == "bob leads"
    assert result(match(state="decided", winner=1, rule="points")) == "ada (points)"
    gone = match(state="decided", winner=1, rule="withdrawn", sets=0, estimate=0.5, low=0.0, high=1.0)
    assert result(gone) == "ada (walkover)"
    assert score_line(gone).startswith("ada wins against bob")


STOPPED = {"state": "decided", "winner": 2, "rule": "sequential", "sets": 10, "estimate": 0.075}


@pytest.mark.parametrize(
    ("changes", "is_explained"),
    [
        ({**STOPPED, "low": 0.124, "high": 0.379}, True),
        ({**STOPPED, "low": 0.075, "high": 0.379}, False),
        ({**STOPPED, "winner": 1, "estimate": 0.925, "low": 0.621, "high": 0.876}, True),
        ({**STOPPED, "rule": "withdrawn", "sets": 0, "estimate": 0.5, "low": 0.0, "high": 0.0}, False),
        ({**STOPPED, "state": "playing", "winner": 0, "rule": "", "low": 0.1, "high": 0.7}, False),
    ],
    ids=["below", "at the end", "above", "no set", "score not shown yet"],
)
def test_a_score_outside_its_interval_is_explained_and_no_other(changes, is_explained) -> None:
    lines = explain_scores([match(), match(**changes)])
    assert bool(lines) == is_explained
    assert all("allows for the early stop" in line for line in lines)


def test_a_match_that_begins_says_who_plays() -> None:
    assert event_line("cup", event("match_started", match())) == "cup 1.2.1: ada against bob"


def test_a_match_that_nobody_won_says_so() -> None:
    level = match(state="decided", winner=0, rule="cap: not separated")
    assert score_line(level).startswith("ada is level with bob, score 0.613")
    assert "(cap: not separated)" in score_line(level)
    assert result(level) == "cap: not separated"


def test_an_event_names_its_tournament_once() -> None:
    assert event_line("cup", event("state", words="cup is running")) == "cup is running"
    assert event_line("cup", event("alert", words="a block was given up")) == "cup: a block was given up"


def test_mere_progress_is_no_line_but_is_seen_in_the_picture() -> None:
    board = Board("cup")
    board.feed(tournament())
    assert board.feed(event("progress", match(), ahead=40)) == ""
    assert board.feed(event("block_done", match(), ahead=0)) == ""
    board.feed(event("progress", match(), ahead=40))
    shown = text(Picture([board]))
    for words in ("cup: running", "0 of 3 matches", "0.1 blocks/s", "ada", "bob", "0.613", "0.556 to 0.669"):
        assert words in shown
    assert "200 + 40" in shown


def test_links_are_told_to_watchers_and_not_in_an_arenas_own_lines() -> None:
    decided = structs.replace(
        event("match_decided", match(state="decided", winner=1)), chain="3 0123456789abcdef"
    )
    assert Board("cup").feed(decided).endswith(", chain 3 0123456789abcd")
    assert "chain" not in Board("cup", tells_links=False).feed(decided)


def test_what_is_being_played_stands_before_what_is_decided() -> None:
    board = Board("cup")
    for number in range(20):
        board.feed(event("match_decided", match(label=f"1.1.{number}", state="decided", winner=1)))
    board.feed(event("progress", match(label="2.1.1", sets=0), ahead=7))
    board.feed(event("match_started", match(label="2.1.2", sets=0)))
    rows = [line.split()[0] for line in text(Picture([board])).splitlines() if line[:2] in {"1.", "2."}]
    assert rows == ["2.1.1", *(f"1.1.{number}" for number in range(19, 8, -1))]
    assert "1 match waits for a first result" in text(Picture([board]))


def test_the_table_says_what_decided_each_place() -> None:
    line = Standing(1, 3, "ada", 61.523, 48.1, 74.94, 300, 5, 0, 1, 2, "final")
    shown = text(standing_table([line]))
    for words in ("ada", "+62", "+48 to +75", "300", "final"):
        assert words in shown


@pytest.mark.parametrize("rule", ["withdrawn", "disqualified"])
def test_a_walkover_is_no_lead(rule: str) -> None:
    walkover = match(state="decided", winner=2, rule=rule, sets=0, estimate=0.5, low=0.0, high=1.0)
    assert result(walkover) == "bob (walkover)"  # bob is not the one who was disqualified or has left
    assert score_line(walkover) == "bob wins against ada without a deal (walkover)"


def test_the_legend_computes_the_odds_from_alpha() -> None:
    assert any("19 times as likely (alpha 0.05)" in line for line in write_legend(""))
    tables = '[[stage]]\nformat = "tables"\nseats = 3\n'
    assert "At a table of 3 its 3 pairs share alpha: 59 times." in write_legend(tables)
    assert not any("At a table" in line for line in write_legend(""))
    assert any("4 times as likely (alpha 0.2)" in line for line in write_legend("[match]\nalpha = 0.2\n"))


@pytest.mark.parametrize(
    ("spec", "unit"),
    [
        ('[[stage]]\nformat = "swiss"\n', "A deal is"),
        ('[game]\ntarget = 50\n[[stage]]\nformat = "swiss"\n', "A game is"),
        ("[[stage]]\ngame = { rounds = 3 }\n[[stage]]\nseats = 2\n", "A deal or game is"),
    ],
)  # fmt: skip
def test_the_legend_names_what_is_played_in_every_seating(spec: str, unit: str) -> None:
    assert write_legend(spec)[0].startswith(f"{unit} played once in every seating.")


@pytest.mark.parametrize(
    ("spec", "tested"),
    [
        ('[[stage]]\nformat = "race"\nbudget = 400\n', False),
        ('[match]\nkind = "first_to"\nwins = 20\n[[stage]]\nformat = "swiss"\n', False),
        ('[match]\nkind = "fixed"\nsets = 20\n[[stage]]\nformat = "swiss"\n', False),
        ('[[stage]]\nformat = "swiss"\n[[stage]]\nformat = "race"\nbudget = 400\n', True),
    ],
)
def test_the_legend_tells_of_a_test_only_where_one_decides(spec: str, tested: bool) -> None:
    lines = write_legend(spec)
    assert any("19 times as likely" in line for line in lines) is tested
    assert any(line.startswith("No test decides a match") for line in lines) is not tested


def test_a_disqualification_stands_in_the_bot_s_own_row() -> None:
    ben = Entry(2, "ben", "", "", False, "ben", "", disqualified="copied")
    rows = [
        Standing(1, 1, "finn", 9.0, 1.0, 17.0, 300, 5, 0, 1, 2, "disqualified"),
        Standing(2, 2, "ben", 0.0, 0.0, 0.0, 0, 0, 6, 0, 0, ""),
    ]
    finn, last = text(standing_table(rows, [ben]), (110, 20)).splitlines()[-2:]
    assert "disqualified" not in finn
    assert finn.rstrip().endswith("staying in")
    assert "ben (disqualified)" in last


def test_a_narrow_terminal_is_told_what_a_wider_one_would_show() -> None:
    line = Standing(1, 3, "ada", 61.523, 48.1, 74.94, 300, 5, 0, 1, 2, "final")
    left_out = {59: "won, lost, level, faults, above the next by", 80: "level, faults, above the next by"}
    for width, names in left_out.items():
        shown = text(standing_table([line]), (width, 20)).splitlines()
        assert " ".join(" ".join(shown).split()).endswith(f"in a wider terminal or with --json: {names}")
        assert all(len(each) <= width for each in shown)
    assert "wider" not in text(standing_table([line]), (100, 20))
    assert "wider" not in text(standing_table([line], tight=True), (59, 20))


def test_who_has_played_nothing_has_no_rating_yet() -> None:
    line = Standing(1, 3, "ada", 0.0, -1789.19, 1789.19, 0, 0, 0, 0, 0, "order of entry")
    assert "1789" not in text(standing_table([line]))


@pytest.mark.parametrize("words", ["[bold]loud[/bold]", "[link=http://x]x[/link]", ":smile:"])
def test_names_are_shown_as_they_are(words: str) -> None:
    assert words in text(match_table([match(first_name=words)]))


def test_no_text_of_strangers_steers_the_terminal() -> None:
    assert plain("a\x1b[2Jb\rc\x07\u202ed\n\te") == "a�[2Jb�c��d\n\te"
