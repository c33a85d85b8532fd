"""Intervals of a ladder that hold among near equals too, by a second posterior with the field's own prior.

A ladder chooses its pairs by the results so far: a bot with bad luck at first is asked less often whether it
is the best, and keeps the bad luck. A posterior allows for that, whatever rule chose the pairs, if its prior
is that of the field: with one of 90 Elo over bots that are within 10 Elo, 95 % intervals held 87 to 92 % of
the strengths. But a prior that is found from the field draws a good newcomer among equals into the field, and
its interval with it. So strengths, order and chances stay those of the prior of 90 Elo, and the interval that
is shown holds both: that of this prior, and that of the field's own. It is some hundredths wider.

The field's own prior: strengths are normal about the field's centre with the deviation sigma that is the
likeliest for the results (marginal likelihood, strengths integrated out), times a prior of sigma: log-normal
with the median LADDER_SIGMA and the factor FACTOR. Few results leave sigma near the median. A stranger, a bot
far ahead of or behind all others, does not widen what is taken of them, and has LADDER_SIGMA itself.

Dispersion is the variance of the sets' scores in units of p·(1 - p), the variance of single deals: the deals
of a mirrored set are played by the same cards, so that a set tells more than one deal, and the prior is
weighed against what it tells (quasi-likelihood).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maumau.contest.statistics.rating import (
    ELO,
    LADDER_SIGMA,
    SIGMA,
    Centre,
    Floats,
    PairSums,
    Posterior,
    believe_by_ridge,
    expect_scores,
    find_information,
    find_strengths,
)

FACTOR: Final = 2.0
"""The prior of sigma has two thirds of its mass between LADDER_SIGMA / FACTOR and LADDER_SIGMA · FACTOR."""

SIGMAS: Final = np.geomspace(3.0, 600.0, 110)
"""The values of sigma that are compared, in Elo, 5 % apart."""

UNKNOWN: Final = 1e-9
"""The share of the largest precision below which nothing is known of a direction."""

LEAST_DISPERSION: Final = 1e-3
"""The least variance of a set that counts: identical bots that share every set have none."""


FAR, SURE = 3.5, 3.0
"""A stranger's distance from the median, in robust deviations of all (the usual modified z-score of outliers)
and in standard errors of its own."""

TO_DEVIATION: Final = 1.4826
"""The standard deviation of a normal distribution in units of its median absolute deviation."""


class Prior(NamedTuple):
    """The deviation of strengths in Elo, which players are strangers, the dispersion of scores."""

    sigma: float
    strangers: NDArray[np.bool_]
    dispersion: float = 1.0

    @property
    def ridge(self) -> Floats:
        """The prior's information about each strength, in units of the sets' information."""
        sigma = np.where(self.strangers, LADDER_SIGMA, self.sigma)
        return np.asarray((ELO / sigma) ** 2 * self.dispersion, np.float64)


def widen_posterior(
    posterior: Posterior, pairs: PairSums, scatter: Callable[[Floats], Floats], centre: Centre
) -> Posterior:
    """Return the posterior with intervals that also hold those of the field's own prior.

    scatter, centre: as in `believe_with`.
    """
    if not len(posterior.theta):
        return posterior
    theta = find_strengths(len(posterior.theta), pairs, (ELO / SIGMA) ** 2, posterior.theta)
    prior = find_prior(pairs, theta, scatter(theta))
    own = believe_by_ridge(pairs, scatter, centre, prior.ridge, theta, prior.dispersion)
    return posterior._replace(own_field=own)


def find_prior(pairs: PairSums, theta: Floats, scatter: Floats) -> Prior:
    """Return the prior of the field in which these results were made.

    theta: the likeliest strengths with hardly a prior. scatter: the covariance of the scores about those
    expected.
    """
    information = find_information(len(theta), pairs, expect_scores(theta, pairs), 0.0)
    total = float(np.trace(information))
    if not total:
        return Prior(LADDER_SIGMA, np.zeros(len(theta), np.bool_))
    dispersion = max(float(np.trace(scatter)) / total, LEAST_DISPERSION)
    strangers = _find_strangers(theta, information / dispersion)
    return Prior(_find_sigma(theta, information / dispersion, strangers), strangers, dispersion)


def _find_strangers(theta: Floats, precision: Floats) -> NDArray[np.bool_]:
    """Return which players are far from all others, and surely so."""
    off = np.abs(theta - np.median(theta))
    spread = np.linalg.inv(precision + (ELO / SIGMA) ** 2 * np.eye(len(theta)))
    from_others = np.diag(spread) - 2 * spread.mean(axis=0) + spread.mean()  # variance about the mean of all
    error = np.sqrt(from_others)
    return np.asarray((off > FAR * TO_DEVIATION * np.median(off)) & (off > SURE * error), np.bool_)


def _find_sigma(theta: Floats, precision: Floats, strangers: NDArray[np.bool_]) -> float:
    """Return the likeliest deviation of all but strangers, whose strengths could be any."""
    near = ~strangers
    cross = precision[np.ix_(near, strangers)]
    known = precision[np.ix_(near, near)]
    if strangers.any():
        known = known - cross @ np.linalg.solve(precision[np.ix_(strangers, strangers)], cross.T)
    values, directions = np.linalg.eigh(known)
    told = values > UNKNOWN * values[-1]
    found = np.square(directions.T[told] @ (theta[near] - theta[near].mean()))
    variance = (SIGMAS[:, None] / ELO) ** 2 + 1 / values[told]
    likelihood = -(np.log(variance) + found / variance).sum(axis=1) / 2
    likelihood -= np.square(np.log(SIGMAS / LADDER_SIGMA) / np.log(FACTOR)) / 2
    return float(SIGMAS[likelihood.argmax()])
