"""Ratings: Bradley-Terry by maximum likelihood over deal sets, with deal-clustered intervals.

An entrant has a strength θ; the mean score of i against j over a set is p = 1 / (1 + exp(θj - θi)). The fit
maximises Σ (t·ln p + (n - t)·ln(1 - p)) over the pairs, n their sets and t the sum of i's scores x, minus
Σ θ² / 2s² with s = 1000 Elo: a prior so wide that it moves a rating of 300 sets by hundredths of an Elo, but
that keeps one who won or lost everything, or never played, finite. Newton's method; the mean of all is 0.

A rating's error comes from the sandwich H⁻¹(B + I/s²)H⁻¹, the deal set as the unit: B adds up (x - p)² over
the sets, smoothed by a quarter of a set as in the sequential test, since all seatings of a deal hang
together. It is the error of θ about the mean of the field, each weighed by its information Σ n·p·(1 - p): one
who lost every deal tells nothing of the others and moves no interval but its own. The ratings themselves
stay about the plain mean. Elo = θ·400 / ln 10, rounded to 0.01: floating point differs between processors in
the last bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from maumau.contest.sequential import Z95, Sums
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


def fit(size: int, duels: Iterable[Duel], sigma: float = SIGMA) -> list[Rating]:
    """The ratings of `size` players. `sigma`: the prior's standard deviation in Elo."""
    pairs = add_up_duels(duels)
    ridge = (ELO / sigma) ** 2
    theta = _newton(size, pairs, ridge)
    error = Z95 * ELO * np.sqrt(np.diag(_covariance(theta, pairs, ridge)))
    return [_rating(float(a), float(b)) for a, b in zip(theta * ELO, error, strict=True)]


def multiply_by_root(normals: NDArray[Single], root: NDArray[Single]) -> NDArray[Single]:
    """`normals @ root.T` for a lower triangular root, without most of what is multiplied by 0."""
    found = np.empty((len(normals), len(root)), root.dtype)
    for start in range(0, len(root), BLOCK):
        end = min(start + BLOCK, len(root))
        np.matmul(normals[:, :end], root[start:end, :end].T, out=found[:, start:end])
    return found


class Posterior(NamedTuple):
    """What is believed of all strengths at once: a normal distribution. theta: in logits, anchors about 0."""

    theta: Floats
    covariance: Floats

    @property
    def ratings(self) -> list[Rating]:
        """Of all players, in the order of their numbers."""
        error = Z95 * ELO * np.sqrt(np.diag(self.covariance))
        return [_rating(float(a), float(b)) for a, b in zip(self.theta * ELO, error, strict=True)]

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Joint samples, a line each: `count` by players."""
        samples = multiply_by_root(rng.standard_normal((count, len(self.theta))), self.root())
        samples += self.theta
        return samples

    def root(self) -> Floats:
        """The lower triangular factor of the covariance."""
        safe = self.covariance.copy()
        safe.flat[:: len(safe) + 1] += JITTER
        found: Floats = np.asarray(np.linalg.cholesky(safe), np.float64)
        return found


def believe(
    size: int, duels: Iterable[Duel], anchors: Collection[int] = (), sigma: float = LADDER_SIGMA
) -> Posterior:
    """What the sets of these duels say of `size` players.

    anchors: players whose mean strength is 0 and holds the scale; all of them if there are none.
    """
    pairs = add_up_duels(duels)
    return believe_with(size, pairs, lambda theta: _scatter(theta, pairs), anchors, sigma)


def believe_with(
    size: int, pairs: PairSums, scatter: Callable[[Floats], Floats], anchors: Collection[int],
    sigma: float,
) -> Posterior:  # fmt: skip
    """The same; scatter: how far the sets are from what these strengths have them expect, as a covariance."""
    if not size:  # a ladder that nobody has joined yet
        return Posterior(np.zeros(0), np.zeros((0, 0)))
    ridge = (ELO / sigma) ** 2
    theta = _newton(size, pairs, ridge)
    inverse = np.linalg.inv(_information(size, pairs, _expected(theta, pairs), ridge))
    covariance = inverse @ (scatter(theta) + ridge * np.eye(size)) @ inverse
    weight = np.full(size, 1 / size)
    if anchors:
        weight = np.zeros(size)
        weight[sorted(anchors)] = 1 / len(anchors)
    about = np.eye(size) - weight
    return Posterior(about @ theta, about @ covariance @ about.T)


def _rating(elo: float, error: float) -> Rating:
    return Rating(*(round(value, 2) + 0.0 for value in (elo, elo - error, elo + error)))


def add_up_duels(duels: Iterable[Duel]) -> PairSums:
    """Add up in whole numbers, so that no order of the matches can be seen in the last bits."""
    table: dict[tuple[int, int], Sums] = {}
    for duel in duels:
        key = min(duel.first, duel.second), max(duel.first, duel.second)
        sums = duel.sums if duel.first < duel.second else duel.sums.mirrored
        table[key] = table[key].joined(sums) if key in table else sums
    lines = sorted((key, sums) for key, sums in table.items() if sums.sets)
    i, j = (np.array([key[side] for key, _ in lines], dtype=np.int64) for side in (0, 1))
    return PairSums(
        i,
        j,
        np.array([float(sums.sets) for _, sums in lines]),
        np.array([sums.total / sums.unit for _, sums in lines]),
        np.array([sums.squares / sums.unit**2 for _, sums in lines]),
    )


def _expected(theta: Floats, pairs: PairSums) -> Floats:
    """Mean score of i over a set, for each pair."""
    return win_chance(theta[pairs.i], theta[pairs.j])


def win_chance(theta: Floats, other: Floats) -> Floats:
    """The mean score of one of strength theta against the other."""
    p: Floats = 1 / (1 + np.exp(other - theta))
    return p


def _laplacian(size: int, pairs: PairSums, weight: Floats) -> Floats:
    """Σ weight·(e_i - e_j)(e_i - e_j)ᵀ over the pairs."""
    matrix = np.zeros((size, size))
    np.add.at(matrix, (pairs.i, pairs.i), weight)
    np.add.at(matrix, (pairs.j, pairs.j), weight)
    np.add.at(matrix, (pairs.i, pairs.j), -weight)
    np.add.at(matrix, (pairs.j, pairs.i), -weight)
    return matrix


def _newton(size: int, pairs: PairSums, ridge: float) -> Floats:
    theta = np.zeros(size)
    for _ in range(STEPS):
        p = _expected(theta, pairs)
        gradient = -ridge * theta
        np.add.at(gradient, pairs.i, pairs.t - pairs.n * p)
        np.add.at(gradient, pairs.j, pairs.n * p - pairs.t)
        step = np.linalg.solve(_information(size, pairs, p, ridge), gradient)
        step -= step.mean()
        longest = float(np.abs(step).max())
        theta += step * min(1.0, LONGEST / max(longest, LONGEST))
        if longest < RESTS:
            return theta
    raise RatingDiverged


def _information(size: int, pairs: PairSums, p: Floats, ridge: float) -> Floats:
    return _laplacian(size, pairs, pairs.n * p * (1 - p)) + ridge * np.eye(size)


def _covariance(theta: Floats, pairs: PairSums, ridge: float) -> Floats:
    """Of θ about the mean of the field, in which each counts by what its sets tell of it.

    Who lost every deal could be anywhere below: about the plain mean that would be everybody's error.
    """
    size = len(theta)
    information = _information(size, pairs, _expected(theta, pairs), ridge)
    known = np.diag(information)
    about = (np.eye(size) - known / known.sum()) @ np.linalg.inv(information)
    covariance: Floats = about @ _meat(theta, pairs, ridge) @ about.T
    return covariance


def _meat(theta: Floats, pairs: PairSums, ridge: float) -> Floats:
    """How far the sets scatter about what was expected, and the prior."""
    return _scatter(theta, pairs) + ridge * np.eye(len(theta))


def _scatter(theta: Floats, pairs: PairSums) -> Floats:
    """Σ(x - p)² over the sets of each pair, smoothed by a quarter of a set."""
    p = _expected(theta, pairs)
    scatter = pairs.q - 2 * p * pairs.t + pairs.n * p**2
    weight = (scatter + 0.25) * pairs.n / (pairs.n + 1)
    return _laplacian(len(theta), pairs, weight)
