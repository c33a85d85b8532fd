"""Matches of a rehearsal at tables of more than two: the scores of sets, and the test of their leads.

Two players of a table finish in an order that their ratings expect, as in a match of two; so a player's mean
score in a set is the sum of these chances. Its scatter between equal bots is that of a model: in each deal a
player comes the farther in front the larger the sum of two normal numbers is, the luck of its seat, the same
in every seating, and its own. Their shares are those with which sets of two have the variance that was
measured. The scores of a set are then drawn as normal numbers with this mean and scatter, and their sum is
that of all places.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

import numpy as np

from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.judge import WIDEST
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.match import CAP, OPEN, POINTS, RULES, SEQUENTIAL, Flags, weigh_scores
from maumau.contest.rehearsal.set_score import Whole
from maumau.contest.score import count_units
from maumau.contest.statistics.evidence import find_bound
from maumau.contest.statistics.rating import Floats, win_chance

MODELLED: Final = 20_000
"""Sets between equal bots that tell the scatter of their scores."""


@dataclass(frozen=True)
class EndedTables:
    """Decided matches, an element each: number of its rule, sets, totals and products of the players."""

    rule: Whole
    sets: Whole
    totals: Floats
    products: Floats


@lru_cache(maxsize=32)
def find_scatter(seats: int, variance: float) -> float:
    """Return the variance of a player's score in a set of equal bots. variance: of a set of two."""
    luck = max(math.sin(math.pi * (0.5 - 4 * variance)), 0.0)
    rng = np.random.default_rng(seats)
    at_seat = math.sqrt(luck) * rng.standard_normal((MODELLED, seats))
    score = np.zeros((MODELLED, seats))
    for seating in range(seats):
        reached = np.roll(at_seat, seating, axis=1)
        reached = reached + math.sqrt(1 - luck) * rng.standard_normal((MODELLED, seats))
        score += 2 * reached.argsort(axis=1).argsort(axis=1)
    return float(score.var(axis=0).mean())


def find_means(strengths: Floats) -> Floats:
    """Return the mean score of each player in a set. strengths: in units of the rating, a row each match."""
    seats = strengths.shape[1]
    ahead = win_chance(strengths[:, :, None], strengths[:, None, :])
    means: Floats = 2 * seats * (ahead.sum(axis=2) - 0.5)
    return means


def play_tables(
    match: MatchRule, scatter: float, means: Floats, through: int, rng: np.random.Generator
) -> EndedTables:
    """Play matches at tables of one size to their ends. through: how many go on, 0: nobody is knocked out."""
    matches, seats = means.shape
    rule, sets = np.zeros(matches, np.int64), np.zeros(matches, np.int64)
    totals, products = np.zeros((matches, seats)), np.zeros((matches, seats, seats))
    width = math.sqrt(scatter * seats / (seats - 1))
    still, played = np.arange(matches), 0
    while len(still):
        drawn = rng.standard_normal((len(still), match.block, seats))
        drawn -= drawn.mean(axis=2, keepdims=True)
        drawn = drawn * width + means[still][:, None, :]
        played += match.block
        totals[still] += drawn.sum(axis=1)
        products[still] += drawn.transpose(0, 2, 1) @ drawn
        decided = find_separated(match, played, totals[still], products[still], through)
        at_cap = (POINTS if through else CAP) if played >= match.cap else OPEN
        rule[still] = np.where(decided, SEQUENTIAL, at_cap)
        sets[still] = played
        still = still[rule[still] == OPEN]
    return EndedTables(rule, sets, totals, products)


def find_separated(match: MatchRule, played: int, totals: Floats, products: Floats, through: int) -> Flags:
    """Return a flag for each match: the test separates all its pairs, or all across the cut of `through`."""
    seats = totals.shape[1]
    unit = count_units("places", seats)
    one, other = np.triu_indices(seats, 1)
    lead = totals[:, one] - totals[:, other]
    own = products[:, one, one] - 2 * products[:, one, other] + products[:, other, other]
    squares = played * unit**2 + 2 * unit * lead + own
    evidence = weigh_scores(match, 2 * unit, played, played * unit + lead, squares)
    ahead = (-totals).argsort(axis=1).argsort(axis=1) < through
    across = ahead[:, one] != ahead[:, other]
    pairs = through * (seats - through) if through else len(one)
    asked = across if through else np.ones(lead.shape, np.bool_)
    separated = (evidence >= float(find_bound(match, pairs))) | ~asked
    return np.asarray(separated.all(axis=1), np.bool_)


def say_table(plan: MatchPlan, ended: EndedTables, one: int) -> Verdict:
    """Return the verdict of a match, without what no schedule and no rating looks at."""
    seats = len(plan.players)
    unit, sets = count_units("places", seats), int(ended.sets[one])
    totals = tuple(round(each) for each in ended.totals[one].tolist())
    pairs = combinations_with_replacement(range(seats), 2)
    products = tuple(round(float(ended.products[one, a, b])) for a, b in pairs)
    return Verdict(
        label=plan.label,
        first=plan.first,
        second=plan.second,
        decided=True,
        winner=None,
        rule=RULES[int(ended.rule[one])],
        counted=sets,
        unit=unit,
        total=totals[0],
        squares=products[0],
        points=(0,) * seats,
        estimate=totals[0] / (sets * unit),
        interval=WIDEST,
        llr=0.0,
        wanted=0,
        others=plan.others,
        totals=totals,
        products=products,
        through=plan.through,
    )
