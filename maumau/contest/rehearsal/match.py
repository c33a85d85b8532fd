"""Matches of a rehearsal: block sums drawn for many matches at once, judged as `judge_blocks` judges them.

Decisions are made in floating point. Where the evidence is so near to the bound that rounding could decide,
the exact test does; so a match ends as it would with the same sums in the arena.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maumau.contest.format.match import MatchPlan, Rule, Verdict
from maumau.contest.judge import WIDEST
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.set_score import SetScores, Whole
from maumau.contest.statistics.evidence import RIDGE, find_bound, weigh_evidence
from maumau.contest.statistics.rating import Floats
from maumau.contest.statistics.sequential import Sums
from maumau.contest.table_judge import SUDDEN_DEATH_BLOCKS

NEAR: Final = 1e-9
"""The relative distance from the bound within which the exact test decides: far more than rounding is."""

OPEN, SEQUENTIAL, CAP, POINTS, SUDDEN_DEATH, SEED, FIXED, TIE, FIRST_TO = range(9)
RULES: Final[tuple[Rule, ...]] = (
    "", "sequential", "cap: not separated", "points", "sudden death", "seed", "fixed", "tie", "first to",
)  # fmt: skip
"""The rules by their numbers."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Ended:
    """Decided matches, an element each: number of its rule, sets, Σh and Σh² of the first.

    won: by how many won sets the first is ahead, where a number of them decides.
    """

    rule: Whole
    sets: Whole
    total: Whole
    squares: Whole
    won: Whole


def play_matches(
    match: MatchRule, scores: SetScores, means: Floats, bracket: Flags, rng: np.random.Generator
) -> Ended:
    """Play matches to their ends. means: what the first scores in the mean. bracket: a winner is needed."""
    chances = scores.tilt_scores(means)
    values, squared = scores.values, scores.values**2
    rule, sets, total, squares, won = (np.zeros(len(means), np.int64) for _ in range(5))
    race = _Race(match, scores, len(means))
    still = np.arange(len(means))
    played = 0
    while len(still):
        counts = rng.multinomial(match.block, chances[still])
        played += match.block
        total[still] += counts @ values
        squares[still] += counts @ squared
        rule[still] = judge_sums(match, scores.unit, played, total[still], squares[still], bracket[still])
        race.count(still, counts, rule, won, rng)
        sets[still] = played
        still = still[rule[still] == OPEN]
    return Ended(rule, sets, total, squares, won)


class _Race:
    """Sets won by both in matches to a number of them; without such a number nothing is counted."""

    def __init__(self, match: MatchRule, scores: SetScores, size: int) -> None:
        self.wins = match.wins or 0
        self.sides = 2 * scores.values > scores.unit, 2 * scores.values < scores.unit
        self.won = np.zeros((2, size), np.int64)

    def count(self, still: Whole, counts: Whole, rule: Whole, won: Whole, rng: np.random.Generator) -> None:
        """Add a block to the matches that go on; record which of them have ended."""
        if not self.wins:
            return
        before = self.won[:, still]
        self.won[:, still] += np.stack([counts[:, side].sum(axis=1) for side in self.sides])
        after = self.won[:, still]
        reached = (after >= self.wins).any(axis=0)
        won[still] = after[0] - after[1]
        for one in np.flatnonzero((after >= self.wins).all(axis=0)):
            won[still[one]] = self._find_first(before[:, one], after[:, one], rng)
        rule[still[reached]] = FIRST_TO

    def _find_first(self, before: Whole, after: Whole, rng: np.random.Generator) -> int:
        """Return 1 if the first was there first, else -1, in a block in which both have come so far."""
        order = rng.permutation(np.repeat([1, -1], after - before))
        mine, its = (
            np.flatnonzero(order == side)[self.wins - 1 - had]
            for side, had in ((1, before[0]), (-1, before[1]))
        )
        return 1 if mine < its else -1


def judge_sums(
    match: MatchRule, unit: int, played: int, total: Whole, squares: Whole, bracket: Flags
) -> Whole:
    """Return the number of the rule that decides each match after this many sets, OPEN if none does."""
    if played <= match.cap and match.kind == "sequential":
        decided = _find_decided(match, unit, played, total, squares)
    else:
        decided = np.zeros(len(total), np.bool_)
    rest = _judge_at_cap(match, played, 2 * total - played * unit, bracket)
    return np.where(decided, SEQUENTIAL, rest)


def _judge_at_cap(match: MatchRule, played: int, lead: Whole, bracket: Flags) -> Whole:
    """Return the rule for matches that the test has not decided."""
    if played < match.cap:
        return np.full(len(lead), OPEN, np.int64)
    ahead = POINTS if played == match.cap else SUDDEN_DEATH
    level = SEED if played >= match.cap + SUDDEN_DEATH_BLOCKS * match.block else OPEN
    if match.kind != "fixed":
        return np.where(bracket, np.where(lead != 0, ahead, level), CAP)
    ahead = FIXED if played == match.cap else SUDDEN_DEATH
    return np.where(lead != 0, ahead, np.where(bracket, level, TIE))


def _find_decided(match: MatchRule, unit: int, played: int, total: Whole, squares: Whole) -> Flags:
    evidence, bound = weigh_scores(match, unit, played, total, squares), float(find_bound(match))
    decided = evidence >= bound
    for one in np.flatnonzero(np.abs(evidence - bound) < NEAR * bound):
        exact = weigh_evidence(match, Sums(unit, played, int(total[one]), int(squares[one])))
        decided[one] = abs(exact) >= find_bound(match)
    return decided


def weigh_scores(
    match: MatchRule, unit: int, played: int, total: Whole | Floats, squares: Whole | Floats
) -> Floats:
    """Return how much the evidence speaks for the leader (`weigh_evidence`), of each match."""
    lead = (2 * total - played * unit) / (2 * unit)
    scatter = (played * squares - total**2) / (played * unit**2)
    variance = (scatter + 0.25) / (played + 1)
    if match.decide != "better":
        found: Floats = 2 * match.delta * np.abs(lead) / variance
        return found
    ridge = 1 / (RIDGE * match.delta**2)
    spread = played * variance + ridge
    better: Floats = np.maximum(lead**2 / (2 * spread) - np.log(spread / ridge) / 2, 0)
    return better


def say_verdict(plan: MatchPlan, ended: Ended, one: int, unit: int) -> Verdict:
    """Return the verdict of a match, without what no schedule and no rating looks at.

    Interval and evidence cost more than the match itself.
    """
    rule, sets, total = int(ended.rule[one]), int(ended.sets[one]), int(ended.total[one])
    lead = int(ended.won[one]) if rule == FIRST_TO else 2 * total - sets * unit
    ahead = plan.first if lead > 0 else plan.second
    winner = {CAP: None, TIE: None, SEED: plan.better_seed}.get(rule, ahead)
    return Verdict(
        label=plan.label,
        first=plan.first,
        second=plan.second,
        decided=True,
        winner=winner,
        rule=RULES[rule],
        counted=sets,
        unit=unit,
        total=total,
        squares=int(ended.squares[one]),
        points=(0, 0),
        estimate=total / (sets * unit),
        interval=WIDEST,
        llr=0.0,
        wanted=0,
    )
