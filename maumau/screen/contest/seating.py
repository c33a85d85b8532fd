"""Rounds at tables of more than two as text: who sat where, with places and scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from maumau.client.answer import Match
from maumau.client.standing.table_round import TableRound, list_seats, list_table_rounds, tell_level
from maumau.screen.output import plain
from maumau.screen.table import result, table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def describe_tables(matches: Sequence[Match]) -> Iterator[RenderableType]:
    """Yield the tables of each round."""
    rounds = list_table_rounds(matches)
    several = len({one.stage for one in rounds}) > 1
    for one in rounds:
        yield ""
        yield f"round {one.round}" + (f" of stage {one.stage}" if several else "")
        yield _draw_round(one)


def _draw_round(one: TableRound) -> Table:
    made = table("table", "bots by place, with the share of the others that each beat", ">sets", "result")
    for match in one.matches:
        made.add_row(match.label, say_seats(match), str(match.sets), _say_result(match))
    return made


def say_seats(match: Match) -> str:
    """Return the bots of a table, the best one first, with places and scores once there is a set."""
    seats = list_seats(match)
    if not match.sets:
        return ", ".join(plain(one.name) for one in seats)
    return ", ".join(f"{one.place}. {plain(one.name)} {one.score:.3f}" for one in seats)


def _say_result(match: Match) -> str:
    level = [f"{plain(a)} and {plain(b)}" for a, b in tell_level(match)] if match.state == "decided" else []
    return "; ".join([result(match), *(f"{pair} are level" for pair in level)])
