"""The test of a match after each of its blocks. Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from maumau.contest.score import UNITS, BlockSums
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.evidence import weigh_evidence
from maumau.contest.statistics.sequential import Sums

MOST_POINTS = 200  # of a match; a longer one is told after every second, third … block, and after its last


class WalkPoint(NamedTuple):
    """The log likelihood ratio after so many sets, rounded as in a verdict."""

    sets: int
    llr: float


def follow_blocks(spec: Spec, blocks: Iterable[BlockSums], counted: int) -> list[WalkPoint]:
    """Return the points after blocks 0, 1, 2 … as far as their sets count."""
    sums, ends = Sums(UNITS[spec.score]), list[Sums]()
    for block in blocks:
        sums = sums.join_sums(Sums(sums.unit, block.sets, block.total, block.squares))
        if sums.sets > counted:
            break
        ends.append(sums)
    weighed = ((end.sets, weigh_evidence(spec.match, end)) for end in _thin_points(ends))
    return [WalkPoint(sets, round(float(llr), 4) + 0.0) for sets, llr in weighed]


def _thin_points(ends: Sequence[Sums]) -> Sequence[Sums]:
    """Return at most MOST_POINTS of these, evenly spread, with the last one."""
    step = -(-len(ends) // MOST_POINTS) or 1
    return ends[::-1][::step][::-1]
