"""The sequential test of a match (docs/reference/verify.md), exact: whole numbers and fractions.

x is the first's score over a set, h / unit for a whole number h; n sets, m their mean.
var = (Σ(x - m)² + ¼) / (n + 1), LLR = 2δ·Σ(x - ½) / var, decided at |LLR| ≥ ln((1 - alpha) / alpha).
Only the bound is irrational; it is taken to 50 digits. So every machine decides alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

Z95 = 1.959963984540054
"""Half of the 95 % interval of a normal variable, in standard deviations."""

DIGITS = Context(prec=50)


class Sums(NamedTuple):
    """Sums of a match's sets that its test needs. unit: the h of a set won completely."""

    unit: int
    sets: int = 0
    total: int = 0
    squares: int = 0

    def add_scores(self, scores: Iterable[int]) -> Sums:
        """Return the sums of these sets and the ones with these scores h."""
        more = list(scores)
        return self.join_sums(Sums(self.unit, len(more), sum(more), sum(score**2 for score in more)))

    def join_sums(self, other: Sums) -> Sums:
        """Return the sums of the sets of both, scored in the same unit."""
        return Sums(self.unit, self.sets + other.sets, self.total + other.total, self.squares + other.squares)

    @property
    def mirrored(self) -> Sums:
        """The sums from the second's side, whose score is unit - h."""
        whole = self.sets * self.unit
        squares = self.squares - 2 * self.unit * self.total + self.unit * whole
        return Sums(self.unit, self.sets, whole - self.total, squares)

    @property
    def lead(self) -> int:
        """Σ(2h - unit): above 0 if the first is ahead, below if the second is."""
        return 2 * self.total - self.sets * self.unit

    @property
    def variance(self) -> Fraction:
        """The variance of x, smoothed by a quarter of an imagined set more."""
        scatter = Fraction(self.sets * self.squares - self.total**2, self.sets * self.unit**2)
        return (scatter + Fraction(1, 4)) / (self.sets + 1)

    def compute_llr(self, delta: Fraction) -> Fraction:
        """Return the log likelihood ratio of "better by delta" against "worse by delta"; 0 without a set."""
        if not self.sets:
            return Fraction(0)
        n, unit = self.sets, self.unit
        scatter = 4 * (n * self.squares - self.total**2) + n * unit**2  # 4 · n · (n + 1) · unit² · variance
        return Fraction(delta.numerator * self.lead * 4 * n * unit * (n + 1), delta.denominator * scatter)

    @property
    def estimate(self) -> float:
        """The mean of x, one half without a set; rounded to six places."""
        return round(self.total / (self.sets * self.unit), 6) if self.sets else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean of x, within 0 and 1; rounded to six places."""
        if not self.sets:
            return 0.0, 1.0
        mean = float(Fraction(self.total, self.sets * self.unit))
        half = Z95 * math.sqrt(self.variance / self.sets)
        return round(max(mean - half, 0.0), 6), round(min(mean + half, 1.0), 6)


@lru_cache(maxsize=256)
def compute_bound(alpha: Fraction) -> Fraction:
    """Return ln((1 - alpha) / alpha), to 50 digits: ln 19 for 1/20."""
    odds = (1 - alpha) / alpha
    return Fraction(DIGITS.ln(DIGITS.divide(odds.numerator, odds.denominator)))
