"""The worth of a kind of match: how often the better of two bots wins it, by simulation of the real rule."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from maumau.contest.format import count_meeting
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.match import CAP, TIE, play_matches
from maumau.contest.rehearsal.set_score import find_variance, model_scores
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec

GAP: Final = 0.02
"""By how much the better bot's mean score is above one half."""
MATCHES: Final = 4000
SEED: Final = 1


class Worth(msgspec.Struct, frozen=True):
    """Of 100 matches between two bots of this gap: won by the better one, level; and their mean length.

    level: outside a bracket, where a match without a winner is not played on.
    """

    gap: float
    won: float
    level: float
    sets: float


def weigh_match(spec: Spec, variance: float | None = None) -> Worth | None:
    """Return the worth of the contest's matches; None at tables of more than two and where all are races.

    variance: of a deal set.
    """
    if spec.most_seats > SEATINGS or all(map(count_meeting, spec.stages)):
        return None
    return _play(spec.match, spec.score, find_variance(spec, variance).value)


@lru_cache(maxsize=256)
def _play(match: MatchRule, score: str, variance: float) -> Worth:
    scores, means = model_scores(score, variance), np.full(MATCHES, 0.5 + GAP)
    rng = np.random.default_rng(SEED)
    ended = play_matches(match, scores, means, np.zeros(MATCHES, np.bool_), rng)
    level = np.isin(ended.rule, (CAP, TIE))
    lead = ended.won if match.wins else 2 * ended.total - ended.sets * scores.unit
    won = ~level & (lead > 0)
    return Worth(
        gap=GAP,
        won=round(100 * float(won.mean()), 1),
        level=round(100 * float(level.mean()), 1),
        sets=round(float(ended.sets.mean()), 1),
    )


def say_worth(worth: Worth) -> str:
    """Return the worth in one sentence."""
    level = f", {worth.level:.0f} end level" if worth.level >= 1 else ""
    lead = f"{100 * worth.gap:.0f} % (the better one has {50 + 100 * worth.gap:.0f} % of the points)"
    return (
        f"of two bots that differ by {lead}, it wins {worth.won:.0f} of 100 such matches{level}; they have"
        f" {worth.sets:,.0f} deal sets in the mean"
    )
