"""A test whether a bot plays better in the seating of a block played second: it may know the deals by then.

The seed draws which seating that is (docs/reference/verify.md), and no result of a bot that remembers nothing
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
from maumau.contest.format.match import Verdict
from maumau.contest.score import SEATINGS, UNITS
from maumau.contest.seed import deal_seed
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.sequential import Z95
from maumau.game import order_seatings

ALPHA = 0.05
"""The chance that anybody is accused in a tournament of honest bots."""

PRIOR = 0.1
"""τ, in deals: the assumed gain of a program that knows the cards."""

LARGEST = 700.0
"""The largest exponent whose power is a float."""


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
    """Return each entrant's test, in the order of entry, over all blocks of these verdicts.

    Tables of more than two are left out: their seatings are played in more than one order.
    """
    found: dict[int, list[tuple[int, _Block]]] = {entrant.number: [] for entrant in entrants}
    pairs = [verdict for verdict in verdicts if not verdict.others]
    for block in _rebuild_blocks(spec, secret, root, pairs):
        found[block.first].append((1, block))
        found[block.second].append((-1, block))
    return [_test_carryover(entrant, found[entrant.number], ALPHA / len(entrants)) for entrant in entrants]


def find_p(sets: int, total: float, variance: float) -> float:
    """Return 1/e, at most 1, for sets with this total and this variance of a set; in deals."""
    whole = variance + sets * PRIOR**2
    exponent = min((PRIOR * total) ** 2 / (2 * variance * whole), LARGEST)
    tail = math.erfc(-PRIOR * total / math.sqrt(2 * variance * whole))  # 2Φ
    evidence = math.sqrt(variance / whole) * math.exp(exponent) * tail
    return min(1.0, 1 / evidence) if evidence else 1.0


def _rebuild_blocks(spec: Spec, secret: str, root: str, verdicts: Sequence[Verdict]) -> Iterator[_Block]:
    deal = UNITS[spec.score] / SEATINGS
    gains = [total for verdict in verdicts for total, _ in verdict.gains]
    lead = sum(gains) / len(gains) if gains else 0.0
    for verdict in verdicts:
        size = spec.choose_match(int(verdict.label.partition(".")[0])).block
        for number, (total, squares) in enumerate(verdict.gains):
            seed = deal_seed(secret, root, verdict.label, number * size, verdict.seed_take)
            sign = 1 if order_seatings([seed], range(SEATINGS)) == [0, 1] else -1
            scatter = (squares - total**2 / size) / deal**2
            yield _Block(verdict.first, verdict.second, size, sign * (total - lead) / deal, scatter)


def _test_carryover(entrant: Entrant, blocks: Sequence[tuple[int, _Block]], alpha: float) -> Carryover:
    sets, total = sum(block.sets for _, block in blocks), sum(sign * block.total for sign, block in blocks)
    estimate, error, p = 0.0, 2.0, 1.0
    if sets:
        variance = _compute_variance(
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


def _compute_variance(sets: int, totals: Sequence[float], scatters: Sequence[float]) -> float:
    """Return the variance of a set, smoothed by a quarter of a set: by sets or by blocks, the larger one."""
    blocks = len(totals)
    by_sets = (sum(scatters) + 0.25) / (sets - blocks + 1)
    mean = sum(totals) / blocks
    by_blocks = sum((total - mean) ** 2 for total in totals) / max(blocks - 1, 1) * blocks / sets
    return max(by_sets, by_blocks)
