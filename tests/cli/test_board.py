"""What a terminal shows of a tournament, and what strangers cannot do to it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import ConsoleDimensions

from maumau.answer import Match, Standing, Tournament, TournamentEvent
from maumau.cli.board import Board, event_line, score_line
from maumau.cli.layout import Picture
from maumau.cli.output import console, plain
from maumau.cli.table import match_table, result, standing_table

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
    assert (
        score_line(decided)
        == "ada is better than bob, score 0.613 (0.556 to 0.669) after 200 deals (sequential)"
    )
    assert event_line("cup", event("match_decided", decided)).startswith("cup 1.2.1: ada is better than bob")
    lost = match(state="decided", winner=2, rule="sequential", estimate=0.25, low=0.125, high=0.375)
    assert (
        score_line(lost)
        == "bob is better than ada, score 0.750 (0.625 to 0.875) after 200 deals (sequential)"
    )


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
    gone = match(state="decided", winner=1, rule="walkover", sets=0, estimate=0.5, low=0.0, high=1.0)
    assert result(gone) == "ada (walkover)"
    assert score_line(gone).startswith("ada wins against bob")


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


def test_a_narrow_terminal_is_told_what_a_wider_one_would_show() -> None:
    line = Standing(1, 3, "ada", 61.523, 48.1, 74.94, 300, 5, 0, 1, 2, "final")
    left_out = {59: "won, lost, level, faults, decided by", 80: "level, faults, decided by"}
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
