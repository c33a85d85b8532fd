"""Ratings: Bradley-Terry by maximum likelihood over deal sets, with deal-clustered intervals.

An entrant has a strength θ; the mean score of i against j over a set is p = 1 / (1 + exp(θj - θi)). The fit
maximises Σ (t·ln p + (n - t)·ln(1 - p)) over the pairs, n their sets and t the sum of i's scores x, minus
Σ θ² / 2s² with s = 1000 Elo: a prior so wide that it moves a rating of 300 sets by hundredths of an Elo, but
that keeps one who won or lost everything, or never played, finite. Newton's method.

A rating's error comes from the sandwich H⁻¹(B + I/s²)H⁻¹, the deal set as the unit: B adds up (x - p)² over
the sets, smoothed by a quarter of a set as in the sequential test, since all seatings of a deal hang
together. It is the error of θ about the mean of the field, each weighed by its information Σ n·p·(1 - p): one
who lost every deal tells nothing of the others and moves no interval but its own. The ratings are about the
same mean; up to version 3 of exports they were about the plain one, so that a rating and its interval had
two centres beside a hopeless bot. Elo = θ·400 / ln 10, rounded to 0.01: floating point differs between
processors in the last bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from maumau.contest.statistics.sequential import Z95, Sums
from maumau.errors import RatingDiverged

ELO = 400 / math.log(10)
SIGMA = 1000.0
"""The prior's standard deviation in Elo."""

STEPS = 100
RESTS = 1e-7
"""A step in θ so short that the one after it, by its square, is below all rounding."""

LONGEST = 2.0
"""The longest step in θ that Newton's method may take at once."""

LADDER_SIGMA = 90.0
"""The prior's standard deviation on a ladder, in Elo: so far bots of a game of luck are apart."""

JITTER = 1e-12
"""Added to variances so that a matrix that is singular by one dimension has a root."""

BLOCK = 125  # rows of a triangular root that are multiplied at once

Floats = NDArray[np.float64]
Single = TypeVar("Single", np.float32, np.float64)


class Duel(NamedTuple):
    """The sets of one match between two players, numbered from 0; the sums are the first's."""

    first: int
    second: int
    sums: Sums


class Rating(msgspec.Struct, frozen=True):
    """In Elo, rounded to 0.01. low and high: the 95 % interval."""

    elo: float
    low: float
    high: float


class PairSums(NamedTuple):
    """All sets of a tournament, a line each pair: players i < j, sets n, Σx and Σx² of i."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    n: Floats
    t: Floats
    q: Floats


def fit_ratings(
    size: int, duels: Iterable[Duel], sigma: float = SIGMA, *, about_known: bool = True
) -> list[Rating]:
    """Return the ratings of `size` players. sigma: the prior's standard deviation in Elo.

    about_known: the mean that is 0 is that of the intervals, each player weighed by what is known of it;
    False: the plain mean, as exports up to version 3 have it.
    """
    pairs = add_up_duels(duels)
    return fit_pairs(
        size, pairs, lambda theta: scatter_duels(theta, pairs), sigma=sigma, about_known=about_known
    )


def fit_pairs(
    size: int,
    pairs: PairSums,
    scatter: Callable[[Floats], Floats],
    *,
    sigma: float = SIGMA,
    about_known: bool = True,
) -> list[Rating]:
    """Return the ratings; scatter: the covariance of the sets about the scores expected from strengths."""
    ridge = (ELO / sigma) ** 2
    theta = find_strengths(size, pairs, ridge)
    if about_known:
        theta -= _share_information(theta, pairs, ridge) @ theta
    error = Z95 * ELO * np.sqrt(np.diag(_compute_covariance(theta, pairs, ridge, scatter)))
    return [_build_rating(float(a), float(b)) for a, b in zip(theta * ELO, error, strict=True)]


def multiply_by_root(normals: NDArray[Single], root: NDArray[Single]) -> NDArray[Single]:
    """Return `normals @ root.T` for a lower triangular root, skipping most of the zeros."""
    found = np.empty((len(normals), len(root)), root.dtype)
    for start in range(0, len(root), BLOCK):
        end = min(start + BLOCK, len(root))
        np.matmul(normals[:, :end], root[start:end, :end].T, out=found[:, start:end])
    return found


class Centre(NamedTuple):
    """The mean strength that is 0: that of the anchors, or of all players if there are none.

    by_information: each of them counts by what its sets tell of it, so that one with few of them hardly moves
    the others' ratings and intervals; else all count equally.
    """

    anchors: Collection[int] = ()
    by_information: bool = False

    def weigh_mean(self, theta: Floats, pairs: PairSums) -> Floats:
        """Return each player's share of the mean."""
        size = len(theta)
        chosen = sorted(self.anchors) or range(size)
        known = np.ones(size)
        if self.by_information:
            told = np.diag(find_information(size, pairs, expect_scores(theta, pairs), 0.0))
            known = told if told[chosen].any() else known
        weight = np.zeros(size)
        weight[chosen] = known[chosen] / known[chosen].sum()
        return weight


ALL = Centre()
"""The plain mean of all players."""


class Posterior(NamedTuple):
    """The joint normal distribution of all strengths.

    theta: in logits, with the anchors' mean at 0. own_field: with the prior of the field (`prior`), if the
    intervals that are shown are to hold its own as well.
    """

    theta: Floats
    covariance: Floats
    own_field: Posterior | None = None

    @property
    def intervals(self) -> tuple[Floats, Floats]:
        """The lower and the upper ends of the 95 % intervals in Elo, by player."""
        error = Z95 * ELO * np.sqrt(np.diag(self.covariance))
        low, high = self.theta * ELO - error, self.theta * ELO + error
        if self.own_field is None:
            return low, high
        others = self.own_field.intervals
        return np.minimum(low, others[0]), np.maximum(high, others[1])

    @property
    def ratings(self) -> list[Rating]:
        """The ratings of all players, in the order of their numbers."""
        rows = zip(self.theta * ELO, *self.intervals, strict=True)
        return [Rating(*(round(float(value), 2) + 0.0 for value in row)) for row in rows]

    def draw_samples(self, count: int, rng: np.random.Generator) -> Floats:
        """Return joint samples, a line each: `count` by players."""
        samples = multiply_by_root(rng.standard_normal((count, len(self.theta))), self.factor_covariance())
        samples += self.theta
        return samples

    def spread_players(self, size: int, players: Sequence[int]) -> Posterior:
        """Return that of `size` players, of whom these are known; of the others only the prior tells."""
        prior = (LADDER_SIGMA / ELO) ** 2
        theta, covariance = np.zeros(size), prior * np.eye(size)
        theta[players] = self.theta
        covariance[np.ix_(players, players)] = self.covariance
        return Posterior(theta, covariance)

    def factor_covariance(self) -> Floats:
        """Return the lower triangular factor of the covariance."""
        safe = self.covariance.copy()
        safe.flat[:: len(safe) + 1] += JITTER
        found: Floats = np.asarray(np.linalg.cholesky(safe), np.float64)
        return found


def compute_posterior(
    size: int, duels: Iterable[Duel], anchors: Collection[int] = (), sigma: float = LADDER_SIGMA
) -> Posterior:
    """Return the posterior of `size` players from the sets of these duels.

    anchors: players whose mean strength is 0 and holds the scale; all of them if there are none.
    """
    pairs = add_up_duels(duels)
    return believe_with(size, pairs, lambda theta: scatter_duels(theta, pairs), Centre(anchors), sigma)


def believe_with(
    size: int,
    pairs: PairSums,
    scatter: Callable[[Floats], Floats],
    centre: Centre,
    sigma: float,
    start: Floats | None = None,
) -> Posterior:
    """Return the posterior; scatter: the covariance of the sets about the scores expected from strengths.

    start: strengths from which the search sets out.
    """
    if not size:  # a ladder without players
        return Posterior(np.zeros(0), np.zeros((0, 0)))
    ridge = np.full(size, (ELO / sigma) ** 2)
    return believe_by_ridge(pairs, scatter, centre, ridge, np.zeros(size) if start is None else start)


def believe_by_ridge(
    pairs: PairSums,
    scatter: Callable[[Floats], Floats],
    centre: Centre,
    ridge: Floats,
    start: Floats,
    dispersion: float = 1.0,
) -> Posterior:
    """Return the posterior with a prior of its own for each player.

    ridge: the prior's information about each strength, in units of the sets'. dispersion: the variance of the
    sets' scores in units of p·(1 - p), by which the prior was weighed.
    """
    size = len(ridge)
    theta = find_strengths(size, pairs, ridge, start)
    inverse = np.linalg.inv(find_information(size, pairs, expect_scores(theta, pairs), ridge))
    covariance = inverse @ (scatter(theta) + ridge * dispersion * np.eye(size)) @ inverse
    about = np.eye(size) - centre.weigh_mean(theta, pairs)
    return Posterior(about @ theta, about @ covariance @ about.T)


def _build_rating(elo: float, error: float) -> Rating:
    return Rating(*(round(value, 2) + 0.0 for value in (elo, elo - error, elo + error)))


def add_up_duels(duels: Iterable[Duel]) -> PairSums:
    """Add up in whole numbers, so that no order of the matches can be seen in the last bits.

    A pair that met at tables of several sizes, whose units differ, has a line for each.
    """
    table: dict[tuple[int, int, int], Sums] = {}
    for duel in duels:
        key = min(duel.first, duel.second), max(duel.first, duel.second), duel.sums.unit
        sums = duel.sums if duel.first < duel.second else duel.sums.mirrored
        table[key] = table[key].join_sums(sums) if key in table else sums
    lines = sorted((key, sums) for key, sums in table.items() if sums.sets)
    i, j = (np.array([key[side] for key, _ in lines], dtype=np.int64) for side in (0, 1))
    return PairSums(
        i,
        j,
        np.array([float(sums.sets) for _, sums in lines]),
        np.array([sums.total / sums.unit for _, sums in lines]),
        np.array([sums.squares / sums.unit**2 for _, sums in lines]),
    )


def expect_scores(theta: Floats, pairs: PairSums) -> Floats:
    """Return the mean score of i over a set, for each pair."""
    return win_chance(theta[pairs.i], theta[pairs.j])


def win_chance(theta: Floats, other: Floats) -> Floats:
    """Return the mean score of strength `theta` against `other`."""
    p: Floats = 1 / (1 + np.exp(other - theta))
    return p


def add_up_pairs(size: int, pairs: PairSums, weight: Floats) -> Floats:
    """Return Σ weight·(e_i - e_j)(e_i - e_j)ᵀ over the pairs."""
    matrix = np.zeros((size, size))
    np.add.at(matrix, (pairs.i, pairs.i), weight)
    np.add.at(matrix, (pairs.j, pairs.j), weight)
    np.add.at(matrix, (pairs.i, pairs.j), -weight)
    np.add.at(matrix, (pairs.j, pairs.i), -weight)
    return matrix


def find_strengths(size: int, pairs: PairSums, ridge: Floats | float, start: Floats | None = None) -> Floats:
    """Return the likeliest strengths, about the plain mean; start: where the search begins."""
    theta = np.zeros(size) if start is None else start.copy()
    for _ in range(STEPS):
        step = find_step(theta, pairs, ridge)
        theta += step
        if float(np.abs(step).max()) < RESTS:
            return theta
    raise RatingDiverged


def find_step(theta: Floats, pairs: PairSums, ridge: Floats | float) -> Floats:
    """Return the step of Newton's method from these strengths, at most LONGEST, about the plain mean."""
    p = expect_scores(theta, pairs)
    gradient = -ridge * theta
    np.add.at(gradient, pairs.i, pairs.t - pairs.n * p)
    np.add.at(gradient, pairs.j, pairs.n * p - pairs.t)
    step = np.linalg.solve(find_information(len(theta), pairs, p, ridge), gradient)
    step -= step.mean()
    return np.asarray(step * min(1.0, LONGEST / max(float(np.abs(step).max()), LONGEST)), np.float64)


def find_information(size: int, pairs: PairSums, p: Floats, ridge: Floats | float) -> Floats:
    """Return the information of all sets and of the prior about the strengths; p: scores expected."""
    return add_up_pairs(size, pairs, pairs.n * p * (1 - p)) + ridge * np.eye(size)


def _compute_covariance(
    theta: Floats, pairs: PairSums, ridge: float, scatter: Callable[[Floats], Floats]
) -> Floats:
    """Return the covariance of θ about the mean of the field, each weighed by its information.

    A player that lost every deal could be anywhere below: about the plain mean this widens all intervals.
    """
    size = len(theta)
    information = find_information(size, pairs, expect_scores(theta, pairs), ridge)
    about = (np.eye(size) - _share_information(theta, pairs, ridge)) @ np.linalg.inv(information)
    meat = scatter(theta) + ridge * np.eye(size)  # the scores about their expectation, with the prior
    covariance: Floats = about @ meat @ about.T
    return covariance


def _share_information(theta: Floats, pairs: PairSums, ridge: float) -> Floats:
    """Return what is known of each player, by the information of its sets, as shares of all."""
    known = np.diag(find_information(len(theta), pairs, expect_scores(theta, pairs), ridge))
    return np.asarray(known / known.sum(), np.float64)


def scatter_duels(theta: Floats, pairs: PairSums) -> Floats:
    """Return Σ(x - p)(x - p)ᵀ of matches of two (the sandwich's middle)."""
    return add_up_pairs(len(theta), pairs, scatter_pairs(theta, pairs))


def scatter_pairs(theta: Floats, pairs: PairSums) -> Floats:
    """Return Σ(x - p)² over the sets of each pair, smoothed by a quarter of a set."""
    p = expect_scores(theta, pairs)
    scatter: Floats = pairs.q - 2 * p * pairs.t + pairs.n * p**2
    return (scatter + 0.25) * pairs.n / (pairs.n + 1)
