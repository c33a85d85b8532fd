"""The chances in a race, and whom it is worth comparing. Pure, and the same on every machine.

The strengths have the joint normal distribution of the ladder's fit (`rating.compute_posterior`). With the
leader b and z = (θb - θj) / deviation, j is better than b with the odds Φ(-z) : Φ(z); the chances to be the
best are these odds, with 1 for the leader, divided by their sum. With two entrants this is exact, and with
more it errs against the leader where others are far behind.

While more than `FEW` have odds of at least `REMOTE` against the leader, these meet in the order of Berger's
tables. From then on the leader meets whoever is likeliest to be better than it, as if each match chosen had
been played (top-two sampling, but deterministic: Russo 2020, "Simple Bayesian algorithms for best-arm
identification"; Qin, Klabjan and Russo 2017). Odds and distances are compared rounded, then by seed, since
floating point differs between processors in the last bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from maumau.contest.format.round_robin import pair_rounds
from maumau.contest.statistics.sequential import Sums

if TYPE_CHECKING:
    from maumau.contest.statistics.rating import Floats, Posterior

FEW: Final = 4
REMOTE: Final = 0.05
LEAST_BATCH: Final = 4
"""Matches of a batch between few entrants, so that several workers have something to do."""
SET_VARIANCE: Final = 0.07
"""Variance of a deal set between equal bots, to predict what a match tells; variants have 0.056 to 0.11."""
DIGITS: Final = 6

Pair = tuple[int, int]
"""Places in the field, from 0; the first sits in seat 0."""
Line = tuple[int, int, Sums]
"""Sets between two places; the sums are the first's."""


class Totals:
    """All sets of a race: one line for each pair, the lower place first, sorted.

    Made by `add_sets`, which gives the same object for the same batches, so that comparing costs nothing.
    """

    __slots__ = ("_hash", "lines")

    def __init__(self, lines: tuple[Line, ...] = ()) -> None:
        self.lines, self._hash = lines, hash(lines)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Totals) and self.lines == other.lines)

    def __hash__(self) -> int:
        return self._hash


NONE: Final = Totals()


class Estimate(NamedTuple):
    """The leader's place, and the chance of each place to be the best; 0 for bots that have left."""

    leader: int
    chances: tuple[float, ...]


@lru_cache(maxsize=1024)
def add_sets(totals: Totals, more: tuple[Line, ...]) -> Totals:
    """Return the totals with these matches added; a match may name either place first."""
    found = {(first, second): sums for first, second, sums in totals.lines}
    for one, other, played in more:
        key, sums = ((one, other), played) if one < other else ((other, one), played.mirrored)
        if sums.sets:
            found[key] = found[key].join_sums(sums) if key in found else sums
    return Totals(tuple((*key, sums) for key, sums in sorted(found.items())))


@lru_cache(maxsize=1024)
def estimate(size: int, totals: Totals, present: tuple[int, ...]) -> Estimate:
    """Return the chances of those present; the leader is the best of them."""
    leader, odds = _compute_odds(_fit_posterior(size, totals), present)
    whole = sum(odds.values())
    return Estimate(leader, tuple(round(odds.get(place, 0.0) / whole, 4) for place in range(size)))


@lru_cache(maxsize=1024)
def choose_pairs(
    size: int, totals: Totals, present: tuple[int, ...], turn: int, sets: int
) -> tuple[Pair, ...]:
    """Return the pairs of the next batch; none if fewer than two are present. sets: of each match."""
    if len(present) < 2:
        return ()
    posterior = _fit_posterior(size, totals)
    leader, odds = _compute_odds(posterior, present)
    near = [place for place in present if round(odds[place], DIGITS) >= REMOTE]
    if len(near) > FEW:
        turns = pair_rounds(len(near))
        return tuple((near[a], near[b]) for a, b in turns[(turn - 1) % len(turns)] if max(a, b) < len(near))
    return tuple(
        _pair_leader_with_rivals(posterior, present, leader, max(LEAST_BATCH, len(present) // 2), sets)
    )


@lru_cache(maxsize=256)
def _fit_posterior(size: int, totals: Totals) -> Posterior:
    from maumau.contest.statistics.rating import (  # imports NumPy: not before the first result
        Duel,
        compute_posterior,
    )

    return compute_posterior(size, [Duel(*line) for line in totals.lines])


def _compute_odds(posterior: Posterior, present: Sequence[int]) -> tuple[int, dict[int, float]]:
    """Return the leader and the odds of everybody present against it, its own being 1."""
    leader = min(present, key=lambda place: (-round(float(posterior.theta[place]), DIGITS), place))
    odds = {leader: 1.0}
    for place in present:
        if place != leader:
            far = _find_distance(posterior, posterior.covariance, leader, place)
            odds[place] = math.erfc(far / math.sqrt(2)) / math.erfc(-far / math.sqrt(2))
    return leader, odds


def _find_distance(posterior: Posterior, covariance: Floats, one: int, other: int) -> float:
    """Return by how many standard deviations one is ahead of another."""
    variance = float(covariance[one, one] + covariance[other, other] - 2 * covariance[one, other])
    return float(posterior.theta[one] - posterior.theta[other]) / math.sqrt(variance)


def _pair_leader_with_rivals(
    posterior: Posterior, present: Sequence[int], leader: int, count: int, sets: int
) -> Iterable[Pair]:
    """Yield the leader with its likeliest rival, as if what was chosen before had been played."""
    covariance = posterior.covariance
    known = sets / 16 / SET_VARIANCE  # information of a match about the difference in strength
    for number in range(count):
        distances = {
            place: round(_find_distance(posterior, covariance, leader, place), DIGITS)
            for place in present
            if place != leader
        }
        rival = min(distances, key=lambda place: (distances[place], place))
        yield (leader, rival) if number % 2 == 0 else (rival, leader)
        column = covariance[:, leader] - covariance[:, rival]
        variance = float(column[leader] - column[rival])
        covariance = covariance - column[:, None] * column[None, :] * (known / (1 + known * variance))
