"""Whether a bot plays better in the seating of a block that is played second: it may know the deals by then.

Which seating that is is drawn by the seed (docs/verify.md), and no result of a bot that remembers nothing
depends on it. Of a match, let g be what its first scored in seating 1 of a set less what it scored in
seating 0, and a the mean g of the tournament: what it is worth to lead. The first's difference in that set is
d = g - a if seating 1 was played second, else a - g; the second's is -d. Honest differences have the mean 0.

The test is the mixture of Robbins (1970), one-sided: N sets of the sum S and the variance v a set speak for
a bot that carries over by, with s = τ² / (v + Nτ²),

    e = 2·√(v / (v + Nτ²))·exp(sS² / 2v)·Φ(S·√(s / v))

where what it gains has the half-normal prior of the deviation τ. Under honesty e is ever above 1 / p, at
whatever moment somebody looks, with a chance of at most p. v is the larger of the variance of the sets about
the mean of their block and that of the blocks' sums, so that neither noise of whole processes nor a lead that
is worth more to one than to another accuses anybody. An entrant is suspicious if p = 1/e ≤ ALPHA / entrants.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from maumau.contest.entrant import Entrant
from maumau.contest.match import Verdict
from maumau.contest.score import SEATINGS, UNITS
from maumau.contest.seed import deal_seed
from maumau.contest.sequential import Z95
from maumau.contest.spec import Spec
from maumau.game import order_seatings

ALPHA = 0.05
"""The chance that anybody is accused in a tournament of honest bots."""

PRIOR = 0.1
"""τ, in deals: what a program that knows the cards is thought to gain."""

LARGEST = 700.0
"""An exponent whose power can still be written."""


class Carryover(msgspec.Struct, frozen=True):
    """An entrant over the `sets` that count.

    estimate: by how much of a deal it scored more where it was played second, -1 to 1, with its 95 %
    interval. p: at least the chance that a bot that remembers nothing ever seems to gain so much.
    """

    entrant: int
    name: str
    sets: int
    estimate: float
    low: float
    high: float
    p: float
    suspicious: bool


class _Block(NamedTuple):
    """A block of `sets`, in deals: Σd of the first, its scatter Σ(d - mean of the block)²."""

    first: int
    second: int
    sets: int
    total: float
    scatter: float


def find_carryover(
    spec: Spec, secret: str, root: str, entrants: Sequence[Entrant], verdicts: Iterable[Verdict]
) -> list[Carryover]:
    """Each entrant, in the order of entry, over all blocks of these verdicts."""
    found: dict[int, list[tuple[int, _Block]]] = {entrant.number: [] for entrant in entrants}
    for block in _blocks(spec, secret, root, list(verdicts)):
        found[block.first].append((1, block))
        found[block.second].append((-1, block))
    return [_carryover(entrant, found[entrant.number], ALPHA / len(entrants)) for entrant in entrants]


def find_p(sets: int, total: float, variance: float) -> float:
    """1/e, at most 1, for this number of sets with this sum and this variance of a set; in deals."""
    whole = variance + sets * PRIOR**2
    exponent = min((PRIOR * total) ** 2 / (2 * variance * whole), LARGEST)
    tail = math.erfc(-PRIOR * total / math.sqrt(2 * variance * whole))  # 2Φ
    evidence = math.sqrt(variance / whole) * math.exp(exponent) * tail
    return min(1.0, 1 / evidence) if evidence else 1.0


def _blocks(spec: Spec, secret: str, root: str, verdicts: Sequence[Verdict]) -> Iterator[_Block]:
    size, deal = spec.match.block, UNITS[spec.score] / SEATINGS
    gains = [total for verdict in verdicts for total, _ in verdict.gains]
    lead = sum(gains) / len(gains) if gains else 0.0
    for verdict in verdicts:
        for number, (total, squares) in enumerate(verdict.gains):
            seed = deal_seed(secret, root, verdict.label, number * size, verdict.seed_take)
            sign = 1 if order_seatings([seed], range(SEATINGS)) == [0, 1] else -1
            scatter = (squares - total**2 / size) / deal**2
            yield _Block(verdict.first, verdict.second, size, sign * (total - lead) / deal, scatter)


def _carryover(entrant: Entrant, blocks: Sequence[tuple[int, _Block]], alpha: float) -> Carryover:
    sets, total = sum(block.sets for _, block in blocks), sum(sign * block.total for sign, block in blocks)
    estimate, error, p = 0.0, 2.0, 1.0
    if sets:
        variance = _variance(
            sets, [sign * block.total for sign, block in blocks], [b.scatter for _, b in blocks]
        )
        estimate, error = total / sets, Z95 * math.sqrt(variance / sets)
        p = find_p(sets, total, variance)
    return Carryover(
        entrant=entrant.number,
        name=entrant.name,
        sets=sets,
        estimate=round(estimate, 4) + 0.0,
        low=round(max(estimate - error, -1.0), 4) + 0.0,
        high=round(min(estimate + error, 1.0), 4) + 0.0,
        p=float(f"{p:.3g}"),
        suspicious=p <= alpha,
    )


def _variance(sets: int, totals: Sequence[float], scatters: Sequence[float]) -> float:
    """Of a set, smoothed by a quarter of an imagined set more: by sets or by blocks, whichever is larger."""
    blocks = len(totals)
    by_sets = (sum(scatters) + 0.25) / (sets - blocks + 1)
    mean = sum(totals) / blocks
    by_blocks = sum((total - mean) ** 2 for total in totals) / max(blocks - 1, 1) * blocks / sets
    return max(by_sets, by_blocks)
