"""The interval of a match that was stopped by its sequential test: it still covers 95 %.

A test that stops when the lead is large has looked for large leads: the usual interval about the mean is
right too seldom then. This one orders what could have happened by stages (Armitage 1957; Tsiatis, Rosner and
Mehta 1984; Jennison and Turnbull 2000, chapter 8): a stop at the upper bound speaks the more for the first
the earlier it came, one at the lower bound the less. Its ends are the two means for which what happened, or
what speaks more for the first, has a chance of 2.5 % and 97.5 %.

Near-equal bots that stop early are those with a lucky start, for whom this alone covers too seldom. So the
end on the side of one half is the mean for which the chance is 2.5 % *given that the test has stopped by
then*. For every look k, this covers at least 95 % of the matches that stop by look k: among these the tail
beyond a stop at look j <= k is the chance above divided by the chance to stop by k, which is at most the one
divided by the chance to stop by j; and at the other end a smaller tail only widens the interval.

The lead S = Σ(x - ½) is taken as a normal walk of drift μ = p - ½ and of the variance v found; the test stops
it at ±B with B = bound·v / 2δ. Its density before each look is integrated by Gauss and Legendre for μ = 0;
any other μ only weighs it by exp((μS - ½μ²n) / v).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maumau.contest.match_rule import MatchRule, parse_exact
from maumau.contest.statistics.evidence import cover_always
from maumau.contest.statistics.sequential import Sums, compute_bound

Floats = NDArray[np.float64]

TAIL = 0.025
WIDEST = 30.0
"""The bound, in standard deviations of the lead between two looks; where it is wider looks are left out."""

MOST_LOOKS = 400
STEPS = 100
NEAR = 1e-10
"""Steps in which an end is found at most, and how near its chance comes to the one wanted."""

LARGEST = 700.0
"""The largest exponent whose power is a float."""

FARTHEST = 15.0
"""The largest distance of an end from the mean, in usual standard errors."""


class _Walk(NamedTuple):
    """The observed walk. looks: the sets at each look before the last. edge: B."""

    sets: int
    lead: float
    variance: float
    edge: float
    looks: list[int]


def compute_interval(match: MatchRule, sums: Sums) -> tuple[float, float]:
    """Return the 95 % interval of the first's mean score in a match, within 0 and 1, to six places."""
    if match.decide == "better" or match.kind == "first_to":  # whatever it is that stops it
        return cover_always(match, sums)
    if match.kind == "fixed":
        return sums.interval
    return stopped_interval(sums, range(match.block, match.cap, match.block), match.delta, match.alpha)


@lru_cache(maxsize=4096)
def stopped_interval(sums: Sums, looks: Sequence[int], delta: float, alpha: float) -> tuple[float, float]:
    """Return the interval of such a test. looks: numbers of sets at which it could stop, future ones too."""
    if not sums.sets:
        return 0.0, 1.0
    variance = float(sums.variance)
    edge = float(compute_bound(parse_exact(alpha))) * variance / (2 * delta)
    past = _thin_looks([look for look in looks if look < sums.sets], sums.sets, edge / math.sqrt(variance))
    walk = _Walk(sums.sets, sums.lead / (2 * sums.unit), variance, edge, past)
    chance = _Chance(walk)
    low, high = (_find_end(chance, walk, wanted) for wanted in (TAIL, 1 - TAIL))
    if sums.sets in looks and abs(walk.lead) >= edge:
        low, high = _given_stop(chance, walk, low, high)
    return round(max(0.5 + low, 0.0), 6) + 0.0, round(min(0.5 + high, 1.0), 6)


def _given_stop(chance: _Chance, walk: _Walk, low: float, high: float) -> tuple[float, float]:
    """Return the ends, the one nearer to one half moved out, given that the test has stopped by now."""

    def given(drift: float) -> float:
        stopped = chance(drift, walk.edge) + chance(-drift, walk.edge)
        return chance(drift) / stopped if walk.lead > 0 else 1 - chance_below(drift) / stopped

    def chance_below(drift: float) -> float:
        return chance(-drift, -walk.lead)

    if walk.lead > 0:
        return min(low, _find_end(given, walk, TAIL)), high
    return low, max(high, _find_end(given, walk, 1 - TAIL))


def _thin_looks(looks: list[int], sets: int, width: float) -> list[int]:
    """Return fewer looks where they are so dense that the lead hardly moves between them."""
    apart = max((width / WIDEST) ** 2, (looks[-1] if looks else 0) / MOST_LOOKS)
    kept: list[int] = []
    for look in looks:
        if min(look - (kept[-1] if kept else 0), sets - look) >= apart:
            kept.append(look)
    return kept


class _Chance:
    """The chance of the observed lead, or of a larger one, as a function of the drift."""

    def __init__(self, walk: _Walk) -> None:
        self.walk = walk
        self.nodes, weights = _build_grid(walk)
        density = [_compute_density(self.nodes, walk.looks[0], walk.variance)] if walk.looks else []
        for before, after in pairwise(walk.looks):
            kernel = _compute_density(
                self.nodes[:, None] - self.nodes[None, :], after - before, walk.variance
            )
            density.append(kernel @ (weights * density[-1]))
        self.weighted = weights * np.array(density) if density else weights[:0]  # by look, then by node

    def __call__(self, drift: float, lead: float | None = None) -> float:
        """Return the chance for this drift. lead: in place of the walk's, after the same number of sets."""
        walk, lead = self.walk, self.walk.lead if lead is None else lead
        if not walk.looks:
            return float(self._integrate_beyond(lead, np.zeros(1), walk.sets, drift)[0])
        found = float(self._integrate_beyond(walk.edge, np.zeros(1), walk.looks[0], drift)[0])
        sets = np.array(walk.looks)[:, None]
        tilt = np.minimum(drift * (self.nodes[None, :] - drift * sets / 2) / walk.variance, LARGEST)
        tilted = self.weighted * np.exp(tilt)
        steps = [after - before for before, after in pairwise(walk.looks)]
        beyond = {step: self._integrate_beyond(walk.edge, self.nodes, step, drift) for step in set(steps)}
        found += sum(float(line @ beyond[step]) for line, step in zip(tilted, steps, strict=False))
        last = self._integrate_beyond(lead, self.nodes, walk.sets - walk.looks[-1], drift)
        return found + float(tilted[-1] @ last)

    def _integrate_beyond(self, edge: float, start: Floats, sets: int, drift: float) -> Floats:
        """Return for each start the chance that the lead is beyond the edge after this many more sets."""
        deviations = (edge - start - drift * sets) / math.sqrt(sets * self.walk.variance)
        return np.array([math.erfc(one / math.sqrt(2)) / 2 for one in deviations])


def _build_grid(walk: _Walk) -> tuple[Floats, Floats]:
    """Return nodes between the bounds, closer than the lead moves between two looks, and their weights."""
    step = min(after - before for before, after in pairwise([0, *walk.looks, walk.sets]))
    width = walk.edge / math.sqrt(step * walk.variance) if walk.looks else 0.0
    nodes, weights = _find_nodes(24 + math.ceil(5 * width))
    return nodes * walk.edge, weights * walk.edge


@lru_cache(maxsize=256)
def _find_nodes(count: int) -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return nodes, weights


def _compute_density(distance: Floats, sets: int, variance: float) -> Floats:
    """Return the density of the lead's change over this many sets, without drift."""
    spread = sets * variance
    density: Floats = np.exp(-(distance**2) / (2 * spread)) / math.sqrt(2 * math.pi * spread)
    return density


def _find_end(chance: Callable[[float], float], walk: _Walk, wanted: float) -> float:
    """Return the drift with the chance `wanted`, which grows with the drift (the Illinois method)."""
    middle, error = walk.lead / walk.sets, math.sqrt(walk.variance / walk.sets)
    low, high = middle - FARTHEST * error, middle + FARTHEST * error
    under, over = -wanted, 1 - wanted
    drift, side = middle, 0
    for _ in range(STEPS):
        missed = chance(drift) - wanted
        if abs(missed) < NEAR:
            break
        if missed < 0:
            low, under, over = drift, missed, over / 2 if side < 0 else over
        else:
            high, over, under = drift, missed, under / 2 if side > 0 else under
        side = -1 if missed < 0 else 1
        drift = (low * over - high * under) / (over - under)
    return drift
