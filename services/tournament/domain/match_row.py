"""A match as it is read: its row, sums of its blocks, its verdict. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.score import BlockSums


class MatchRow(NamedTuple):
    """A take of a match as stored in its table (services/tournament/models/tournament.py)."""

    id: str
    label: str
    take: int
    stage: int
    round: int
    number: int
    first: int
    second: int
    bracket: bool
    better_seed: int
    state: str
    verdict: str
    seed_take: int
    reason: str
    queued_at: int
    started_at: int
    decided_at: int
    withdrawn_at: int
    others: str = ""
    through: int = 0

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of all players, in the order of the plan."""
        return list_players(self.first, self.second, self.others)

    @property
    def place(self) -> tuple[int, int, int]:
        """The sort key of matches; labels as texts would sort differently."""
        return self.stage, self.round, self.number


class PlayedMatch(NamedTuple):
    """A match that counts, with its blocks. prefix: sums of its done blocks, up to the first gap.

    Both are empty once it is decided. blocks: their number, in any state. paused: it waits, for the reason
    in words.
    """

    row: MatchRow
    blocks: int
    prefix: Sequence[BlockSums]
    paused: bool = False
    words: str = ""


@lru_cache(maxsize=10_000)
def read_verdict(text: str) -> Verdict:
    """Return the verdict stored in a match's row."""
    return msgspec.json.decode(text, type=Verdict)


def match_plan(row: MatchRow) -> MatchPlan:
    first, second, *others = row.players
    return MatchPlan(
        row.label,
        row.stage,
        row.round,
        row.number,
        first,
        second,
        row.bracket,
        row.better_seed,
        tuple(others),
        row.through,
    )


def list_players(first: int, second: int, others: str) -> tuple[int, ...]:
    """Return the numbers of all players. others: as stored, such as `3,4`."""
    return first, second, *map(int, filter(None, others.split(",")))


def write_others(plan: MatchPlan) -> str:
    """Return those after the first two as they are stored."""
    return ",".join(map(str, plan.others))
