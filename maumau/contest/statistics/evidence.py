"""The decision of a match: its evidence and the bound for it (docs/reference/verify.md, "A match").

By default a match finds out who is ahead: Wald's sequential test of a lead of delta against a deficit of
delta. It ends soon, also between equal bots, and so it can seldom say that its winner is better.

With `decide = "better"` it goes on until one half is excluded by a confidence sequence, an interval that
covers the mean at all moments at once with a chance of 95 % (Robbins 1970; Howard, Ramdas, McAuliffe and
Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences", section 3.2). With
S = Σ(x - ½), V = n·var and a ridge r, the likelihood of S mixed over all drifts by a normal distribution of
precision r is exp(S² / 2(V + r)) / √((V + r) / r) times that without drift; it exceeds 20 at some moment with
a chance of at most 5 %. r = 1 / 80δ² makes the sequence narrowest where bots that differ by
delta are told apart. Nothing depends on the size of a block.

All decisions are exact: sums are whole numbers, logarithms are taken to 50 digits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from maumau.contest.match_rule import MatchRule, parse_exact
from maumau.contest.statistics.sequential import DIGITS, Sums, compute_bound

RIDGE: Final = 80
"""The ridge is one over so many δ²."""

MISSED: Final = 0.05
"""The chance that the interval does not cover the mean at some moment."""


def weigh_evidence(match: MatchRule, sums: Sums) -> Fraction:
    """Return the log of the evidence that the leader leads: above 0 if it is the first, else below."""
    if match.decide != "better":
        return sums.compute_llr(parse_exact(match.delta))
    spread, ridge = sums.sets * sums.variance if sums.sets else Fraction(0), _find_ridge(match)
    lead = Fraction(sums.lead, 2 * sums.unit)
    found = lead**2 / (2 * (spread + ridge)) - _approximate_log((spread + ridge) / ridge) / 2
    return max(found, Fraction(0)) * (1 if lead > 0 else -1)


def find_bound(match: MatchRule, pairs: int = 1) -> Fraction:
    """Return the evidence that decides each of these pairs, which share the chance of an error."""
    return (
        _approximate_log(pairs / parse_exact(MISSED))
        if match.decide == "better"
        else compute_bound(parse_exact(match.alpha) / pairs)
    )


def cover_always(match: MatchRule, sums: Sums) -> tuple[float, float]:
    """Return the confidence sequence after these sets, within 0 and 1, rounded to six places."""
    if not sums.sets:
        return 0.0, 1.0
    ridge = float(_find_ridge(match))
    spread = sums.sets * float(sums.variance) + ridge
    half = math.sqrt(spread * (math.log(spread / ridge) - 2 * math.log(MISSED))) / sums.sets
    mean = sums.total / (sums.sets * sums.unit)
    return round(max(mean - half, 0.0), 6) + 0.0, round(min(mean + half, 1.0), 6)


def find_chance(sums: Sums) -> float:
    """Return the chance that whoever leads is the better one, if nothing else is known; 1/2 without a set.

    It does not depend on what ended the match.
    """
    if not sums.sets:
        return 0.5
    far = abs(sums.lead) / (2 * sums.unit * math.sqrt(sums.sets * sums.variance))
    return round((1 + math.erf(far / math.sqrt(2))) / 2, 4)


def _find_ridge(match: MatchRule) -> Fraction:
    return 1 / (RIDGE * parse_exact(match.delta) ** 2)


def _approximate_log(value: Fraction) -> Fraction:
    return Fraction(DIGITS.ln(DIGITS.divide(value.numerator, value.denominator)))
