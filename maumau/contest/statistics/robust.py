"""Ratings that cannot be bought: pairs whose score is far from what both have against others count less.

Bots of other accounts that lose on purpose to one bot, and play everybody else honestly, would carry it up by
as much as they lose. Their score against it cannot be explained by any strengths that explain all other
results. So a pair's sets have a weight from 0 to 1, that falls with the distance z between the pair's mean
score and the expected one, in units of its noise: √(Σ(x - p)² / n² + STYLE²). Up to z = 2 sets count fully,
from 4 on not at all (Hampel's redescending function), so that a pair can never move a rating by more than
twice its noise. The noise of a few sets is wide: n sets are never farther away than √n. STYLE is what a pair
of honest bots may be off by for the way they play.

Strengths and weights are found in turn, with a prior so wide that it pulls nobody: a bot that loses to all is
weak, and no pair of it is far from the others. Where anchors hold the scale, the search sets out from the
strengths that games with anchors alone give, whose doubt widens the noise of the first look: then even a
majority of helpers that lose everything is seen. Without anchors the majority of a bot's opponents is
believed; the search sets out from weights that only fall as 1 / z (Huber's function).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from maumau.contest.statistics.author import Owner, share_pairs
from maumau.contest.statistics.prior import widen_posterior
from maumau.contest.statistics.rating import (
    ALL,
    ELO,
    LADDER_SIGMA,
    SIGMA,
    Centre,
    Duel,
    Floats,
    PairSums,
    Posterior,
    add_up_duels,
    add_up_pairs,
    believe_with,
    expect_scores,
    find_information,
    find_step,
    find_strengths,
    scatter_pairs,
)

FULL: Final = 2.0
"""Distances, in units of its noise, up to which a pair counts fully."""

NONE: Final = 4.0
"""The distance from which on a pair does not count."""

STYLE: Final = 0.01
"""By how much the mean score of an honest pair may be off besides noise: 7 Elo."""

ROUNDS: Final = 60
FIRST_ROUNDS: Final = 6
CLOSE: Final = 1e-4
"""A step in θ, 0.02 Elo, below which the weights stay as they are."""


class Doubt(NamedTuple):
    """The number of a player's sets that do not count, and the Elo that it would gain if they did."""

    sets: float
    elo: float


class Weighed(NamedTuple):
    """Strengths, and the weight of each pair's sets: `weights` for its distance, `shares` for its authors."""

    posterior: Posterior
    pairs: PairSums
    weights: Floats
    shares: Floats
    centre: Centre
    sigma: float

    def widen_posterior(self) -> Posterior:
        """Return the posterior with intervals that hold among near equals too (`prior`)."""
        scaled = scale_pairs(self.pairs, self.weights * self.shares)
        return widen_posterior(self.posterior, scaled, self.compute_scatter, self.centre)

    def compute_scatter(self, theta: Floats) -> Floats:
        """Return the covariance of the weighed sets about the scores expected from these strengths."""
        return _scatter_weighed(theta, self.pairs, self.weights * self.shares)

    def list_doubts(self) -> list[Doubt]:
        """Return the doubt about each player."""
        size, theta = len(self.posterior.theta), self.posterior.theta
        if not size:
            return []
        pairs = scale_pairs(self.pairs, self.shares)
        alike = find_strengths(size, pairs, (ELO / self.sigma) ** 2, theta)
        zero = self.centre.weigh_mean(alike, pairs) @ alike
        gained = (alike - zero - theta) * ELO
        return [Doubt(float(a), float(b)) for a, b in zip(self.count_discounted(), gained, strict=True)]

    def count_discounted(self) -> Floats:
        """Return for each player how many of its sets do not count, as a sum of 1 - weight."""
        size, lost = len(self.posterior.theta), self.pairs.n * (1 - self.weights)
        found = np.bincount(self.pairs.i, lost, size) + np.bincount(self.pairs.j, lost, size)
        return np.asarray(found, np.float64)


def weigh_duels(
    size: int,
    duels: Iterable[Duel],
    centre: Centre = ALL,
    sigma: float = LADDER_SIGMA,
    owners: Sequence[Owner] = (),
) -> Weighed:
    """Return the strengths of `size` players from these sets, pairs far from all others weighing less.

    Args:
        size: number of players.
        duels: the results, in any order.
        centre: the mean strength that is 0; its anchors are trusted.
        sigma: the prior's standard deviation in Elo.
        owners: by player, where one author's bots together weigh no more than one of them (`author`).
    """
    pairs = add_up_duels(duels)
    shares = share_pairs(pairs, owners) if owners else np.ones(len(pairs.n))
    theta, weights = _search_strengths(size, pairs, shares, (ELO / SIGMA) ** 2, centre.anchors)
    posterior = believe_with(
        size,
        scale_pairs(pairs, weights * shares),
        lambda found: _scatter_weighed(found, pairs, weights * shares),
        centre,
        sigma,
        theta,
    )
    return Weighed(posterior, pairs, weights, shares, centre, sigma)


def _scatter_weighed(theta: Floats, pairs: PairSums, weights: Floats) -> Floats:
    return add_up_pairs(len(theta), pairs, weights**2 * scatter_pairs(theta, pairs))


def measure_distance(theta: Floats, pairs: PairSums, doubt: Floats | float = 0.0) -> Floats:
    """Return how far each pair's mean score is from the expected one, in units of its noise.

    doubt: variance of the expected scores.
    """
    off = pairs.t / pairs.n - expect_scores(theta, pairs)
    variance = scatter_pairs(theta, pairs) / pairs.n**2 + STYLE**2 + doubt
    distance: Floats = np.abs(off) / np.sqrt(variance)
    return distance


def weigh_distance(distance: Floats) -> Floats:
    """Return the weights at these distances: 1 up to FULL, FULL / z and falling to 0 at NONE."""
    z = np.maximum(distance, FULL)
    weights: Floats = FULL / z * np.clip((NONE - z) / (NONE - FULL), 0, 1)
    return weights


def _search_strengths(
    size: int, pairs: PairSums, shares: Floats, ridge: float, anchors: Collection[int]
) -> tuple[Floats, Floats]:
    """Return strengths and weights, each found in turn until they rest."""
    if not size:  # a ladder without players
        return np.zeros(0), np.zeros(0)
    theta, doubt = _find_start(size, pairs, shares, ridge, anchors)
    weights = weigh_distance(measure_distance(theta, pairs, doubt))
    for _ in range(ROUNDS):
        step = find_step(theta, scale_pairs(pairs, weights * shares), ridge)
        theta = theta + step
        weights = weigh_distance(measure_distance(theta, pairs))
        if float(np.abs(step).max(initial=0)) < CLOSE:
            break
    return theta, weights


def _find_start(
    size: int, pairs: PairSums, shares: Floats, ridge: float, anchors: Collection[int]
) -> tuple[Floats, Floats | float]:
    """Return strengths to set out from, and the variance of the scores that they have pairs expect.

    Of games with anchors alone, if there are any; else of all, but no few pairs can carry a rating far.
    """
    theta = np.zeros(size)
    trusted = (np.isin(pairs.i, list(anchors)) | np.isin(pairs.j, list(anchors))).astype(np.float64)
    weights = trusted if trusted.any() else np.ones(len(pairs.n))
    for _ in range(FIRST_ROUNDS):
        theta = theta + find_step(theta, scale_pairs(pairs, weights * shares), ridge)
        if not trusted.any():
            weights = FULL / np.maximum(measure_distance(theta, pairs), FULL)
    if not trusted.any():
        return theta, 0.0
    p = expect_scores(theta, pairs)
    covariance = np.linalg.inv(find_information(size, scale_pairs(pairs, trusted * shares), p, ridge))
    own = np.diag(covariance)
    gaps = own[pairs.i] + own[pairs.j] - 2 * covariance[pairs.i, pairs.j]
    return theta, (p * (1 - p)) ** 2 * gaps


def scale_pairs(pairs: PairSums, weights: Floats) -> PairSums:
    """Return the pairs with each one's sets counted this often."""
    return pairs._replace(n=pairs.n * weights, t=pairs.t * weights, q=pairs.q * weights)
