"""The distribution of a deal set's score between two bots of a rehearsal.

Between equal bots a set has one of a few scores, symmetric about one half, with the variance that real sets
have. Where one is stronger the chances are tilted, that of score x by exp(t·x), with the t that gives the
mean which the ratings expect: of all distributions with this mean it is the nearest to that of equal bots.

Where deals are won or lost a set has three scores: both lost, one each, both won. With points it may have
any; there the chances are those of a normal variable, at scores half a standard deviation apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maumau.contest.rehearsal.variance_table import VARIANCES
from maumau.contest.score import UNITS
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.rating import Floats
from maumau.errors import BadRequest

Whole = NDArray[np.int64]

TYPICAL: Final = {"win": 0.08, "places": 0.08, "points": 0.006}
"""For other variants: near the median of those measured."""

MOST_VARIANCE: Final = {"win": 0.24, "places": 0.24, "points": 0.08}
"""Of sets that are hardly ever level; of points, whose distribution is then nearly flat."""

LEAST_VARIANCE: Final = 1e-5
STEPS: Final = 60
FARTHEST: Final = 1e6
"""The tilt at which one score is certain."""


@dataclass(frozen=True)
class SetScores:
    """Scores h of a set of `unit`, and the logs of their chances between equal bots, up to a constant."""

    unit: int
    scores: tuple[int, ...]
    logs: tuple[float, ...]

    @cached_property
    def values(self) -> Whole:
        """The scores as an array."""
        return np.array(self.scores, dtype=np.int64)

    @cached_property
    def variance(self) -> float:
        """The variance of a score between equal bots, of a set that is worth 1."""
        chances = self._tilt_by(np.zeros(1))[0]
        return float(chances @ (self.values / self.unit - 0.5) ** 2)

    def tilt_scores(self, mean: Floats) -> Floats:
        """Return the chances of each score for each of these means between 0 and 1, a row each."""
        low, high = np.full(mean.shape, -FARTHEST), np.full(mean.shape, FARTHEST)
        for _ in range(STEPS):
            middle = (low + high) / 2
            short = self._tilt_by(middle) @ (self.values / self.unit) < mean
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        return self._tilt_by((low + high) / 2)

    def _tilt_by(self, by: Floats) -> Floats:
        logs = np.array(self.logs) + by[:, None] * (self.values / self.unit - 0.5)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        found: Floats = weights / weights.sum(axis=1, keepdims=True)
        return found


@dataclass(frozen=True)
class Variance:
    """The variance of a set between equal bots. source: where it comes from, in words."""

    value: float
    source: str


def find_variance(spec: Spec, given: float | None = None) -> Variance:
    """Return the given variance, else that of the contest's variant, else a usual one; with its source."""
    if given is not None:
        most = MOST_VARIANCE[spec.score]
        if not LEAST_VARIANCE <= given <= most:
            raise BadRequest(
                f'a variance of {given:g}: with score = "{spec.score}" that of a deal set is from'
                f" {LEAST_VARIANCE:g} to {most}"
            )
        return Variance(given, "as given")
    measured = None if spec.variant_toml else VARIANCES.get(spec.rules)
    if measured is None:
        return Variance(TYPICAL[spec.score], f"a usual one; none is measured for {spec.rules}")
    changed = " without its options" if spec.options else ""
    return Variance(measured[spec.score == "points"], f"measured for {spec.rules}{changed}")


def model_scores(mode: str, variance: float) -> SetScores:
    """Return the scores of a set with this variance."""
    unit = UNITS[mode]
    if mode != "points":
        decided = 2 * variance  # the chance of each of the two scores that are not level
        logs = math.log(decided), math.log(1 - 2 * decided), math.log(decided)
        return SetScores(unit, (0, unit // 2, unit), logs)
    step = max(round(math.sqrt(variance) * unit / 2), 1)
    reach = unit // 2 // step
    off = np.arange(-reach, reach + 1) * step
    bell = -_find_width(off / unit, variance) * (off / unit) ** 2
    return SetScores(unit, tuple((unit // 2 + off).tolist()), tuple(bell.tolist()))


def _find_width(off: Floats, variance: float) -> float:
    """Return c of exp(-c·off²) whose variance is this one."""
    low, high = 0.0, 1.0 / variance
    for _ in range(STEPS):
        middle = (low + high) / 2
        weights = np.exp(-middle * off**2)
        if float(weights @ off**2 / weights.sum()) > variance:
            low = middle
        else:
            high = middle
    return high
