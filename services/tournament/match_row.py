"""A match as it is read: its row, its blocks, its verdict. Pure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from maumau.contest.match import MatchPlan, Verdict
from maumau.contest.score import BlockSums


class MatchRow(NamedTuple):
    """A take of a match as its table has it (services/tournament/models/tournament.py)."""

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

    @property
    def place(self) -> tuple[int, int, int]:
        """Matches are in this order, which is not that of their labels as texts."""
        return self.stage, self.round, self.number


class Played(NamedTuple):
    """A match that counts, with its blocks. prefix: the sums of its blocks done from the first on.

    Both are empty once it is decided. blocks: how many it has, whatever their state. paused: it waits, and
    words say why.
    """

    row: MatchRow
    blocks: int
    prefix: Sequence[BlockSums]
    paused: bool = False
    words: str = ""


@lru_cache(maxsize=10_000)
def read_verdict(text: str) -> Verdict:
    """As it stands in a match's row."""
    return msgspec.json.decode(text, type=Verdict)


def match_plan(row: MatchRow) -> MatchPlan:
    return MatchPlan(
        row.label, row.stage, row.round, row.number, row.first, row.second, row.bracket, row.better_seed
    )
