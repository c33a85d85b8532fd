"""A match as it is planned, and the state that its deals come to."""

from __future__ import annotations

from typing import Literal

import msgspec

from maumau.contest.claim import WalkoverRule
from maumau.contest.statistics.sequential import Sums
from maumau.contest.statistics.table_sums import TableSums

Rule = (
    Literal[
        "", "sequential", "cap: not separated", "points", "sudden death", "seed", "fixed", "tie", "first to"
    ]
    | WalkoverRule
)


class MatchPlan(msgspec.Struct, frozen=True):
    """Two entrants (by number) that meet, or up to ten. label: stage.round.number, each from 1.

    bracket: the match needs a winner. better_seed: the entrant that advances if nothing else decides.
    others: those at the table after the first two. through: how many of more than two go on, 0 where nobody
    is knocked out.
    """

    label: str
    stage: int
    round: int
    number: int
    first: int
    second: int
    bracket: bool
    better_seed: int
    others: tuple[int, ...] = ()
    through: int = 0

    @property
    def players(self) -> tuple[int, ...]:
        """All players, in the order in which they sit in the first seating."""
        return self.first, self.second, *self.others

    @property
    def place(self) -> tuple[int, int, int]:
        """The sort key of matches, whose labels would sort differently as texts."""
        return self.stage, self.round, self.number


class Verdict(msgspec.Struct, frozen=True):
    """The state of a match, from the first's side.

    winner: an entrant's number, None while open and where nobody won. rule: what decided it, "" while open.
    counted: deal sets that count. total and squares: Σh and Σh² over them, of `unit` a set. points: what the
    variant counted, of the first and of the second. estimate: the first's mean score, 0 to 1, with its 95 %
    interval. llr: the evidence (`weigh_evidence`), rounded to four places. wanted: blocks of this match, from
    its first, that may be played now. gains: of each block that counts, in order, Σg and Σg² of its sets,
    where g is what the first scored in seating 1 less what it scored in seating 0; none in a verdict that an
    earlier arena stored.
    seed_take: the take whose fresh seeds the sets have, 0 if they have the first ones (`deal_seed`).
    wins: in a match to a number of won sets, those that the first and the second have won, up to the one that
    decides. reached: the number of sets up to that one, 0 before.

    At a table of more than two (`others`) the winner is ahead of all others, each pair separated; total,
    squares and interval are the first's, the interval without regard to the stop; llr is that of the pair
    with the least evidence, regardless of its sign. totals, products: Σu of each player, Σu·v of each two
    (`TableSums`). level: the pairs that the test does not separate.
    Where of such a table the best `through` go on, `level` and llr are those of the pairs of one who does and
    one who does not; the winner is the one that goes on alone, if only one does.
    """

    label: str
    first: int
    second: int
    decided: bool
    winner: int | None
    rule: Rule
    counted: int
    unit: int
    total: int
    squares: int
    points: tuple[int, ...]
    estimate: float
    interval: tuple[float, float]
    llr: float
    wanted: int
    gains: tuple[tuple[int, int], ...] = ()
    seed_take: int = 0
    others: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    products: tuple[int, ...] = ()
    level: tuple[tuple[int, int], ...] = ()
    through: int = 0
    wins: tuple[int, ...] = ()
    reached: int = 0

    @property
    def ahead(self) -> tuple[int, ...]:
        """The players of a table who go on as it stands, best first; of equals, the better seed."""
        order = sorted(range(len(self.totals)), key=lambda one: -self.totals[one])
        return tuple(self.players[one] for one in order[: self.through])

    @property
    def players(self) -> tuple[int, ...]:
        """All players, in the order of their plan."""
        return self.first, self.second, *self.others

    @property
    def table(self) -> TableSums:
        """The sums of a table of more than two."""
        return TableSums(self.unit, self.counted, self.totals, self.products)

    @property
    def sums(self) -> Sums:
        """The sums this verdict is based on."""
        return Sums(self.unit, self.counted, self.total, self.squares)
