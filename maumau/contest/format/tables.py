"""Tables: rounds at tables of more than two, in which all pairs meet as equally often as possible.

A leaver costs the others nothing: those who stay play an undecided table anew, and a player who stays alone
has a bye. A table that was decided before stands, unless its player is disqualified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from msgspec import Meta

from maumau.contest.format.draw import Draw, Find, Group, Round
from maumau.contest.format.format import Format, refuse_third_place
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.stage import PAIR, Stage
from maumau.contest.format.table_draw import Table, Turn, count_rounds, draw_tables
from maumau.contest.score import MOST_SEATS

FEWEST_SEATS: Final = 3
SEATS: Final = 4


class TablesStage(Stage, frozen=True, kw_only=True):
    """A stage in rounds at tables."""

    seats: Annotated[int, Meta(ge=FEWEST_SEATS, le=MOST_SEATS)]
    """How many sit at a table. If a field does not fill all tables, their sizes differ by at most one."""
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    """How many rounds are played; without it, the fewest in which everybody can meet everybody."""

    @property
    def table_seats(self) -> int:
        """The largest number of seats of a table."""
        return self.seats


def list_table_stages(stages: Sequence[Stage]) -> set[int]:
    """Return the numbers, from 1, of those stages that are played at tables."""
    return {number for number, stage in enumerate(stages, start=1) if stage.table_seats > PAIR}


def schedule(stage: TablesStage, number: int, seeds: Sequence[int], find: Find) -> Draw:
    """Return all matches at once; the tables depend on the number of entrants alone."""
    rank = {entrant: place for place, entrant in enumerate(seeds)}
    rounds = tuple(
        _plan_round(number, turn, tables, rank, find)
        for turn, tables in enumerate(_draw_rounds(stage, len(seeds)), start=1)
    )
    decided = [find(plan) for one in rounds for plan in one.matches]
    return Draw(
        tuple(seeds),
        rounds,
        (Group(tuple(seeds)),),
        all(decided),
        fixed=True,
        drawn=_list_drawn(stage, number, seeds),
    )


def _list_drawn(stage: TablesStage, number: int, seeds: Sequence[int]) -> tuple[tuple[str, Table], ...]:
    """Return each table's label and the players drawn to it, including players that have left."""
    return tuple(
        (f"{number}.{turn}.{board}", tuple(seeds[place] for place in table))
        for turn, tables in enumerate(_draw_rounds(stage, len(seeds)), start=1)
        for board, table in enumerate(tables, start=1)
    )


def _draw_rounds(stage: TablesStage, players: int) -> tuple[Turn, ...]:
    return draw_tables(players, stage.seats, stage.rounds or count_rounds(players, stage.seats))


def _plan_round(stage: int, turn: int, tables: Turn, rank: Mapping[int, int], find: Find) -> Round:
    seeds = list(rank)
    matches: list[MatchPlan] = []
    byes: list[int] = []
    for board, table in enumerate(tables, start=1):
        label = f"{stage}.{turn}.{board}"
        players = find.find_players(label, [seeds[place] for place in table])
        if len(players) < 2:
            byes += players
            continue
        first, second, *others = players
        better = min(players, key=rank.__getitem__)
        plan = MatchPlan(label, stage, turn, board, first, second, False, better, tuple(others))  # noqa: FBT003
        matches.append(plan)
    return Round(turn, f"round {turn}", tuple(matches), tuple(byes))


TABLES: Final = Format(
    name="tables",
    label="tables",
    title="rounds at tables of three to ten, where everybody meets everybody about equally often",
    schedule=schedule,
    stage=TablesStage,
    seats=range(FEWEST_SEATS, MOST_SEATS + 1),
    usual={"seats": SEATS},
    check=refuse_third_place,
)
