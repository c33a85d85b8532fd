"""The findings of a rehearsal: chances with their intervals, and costs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.play import RehearsedContest
from maumau.contest.statistics.rating import Floats
from maumau.contest.statistics.sequential import Z95

MS_PER_HOUR = 3_600_000


class Chance(msgspec.Struct, frozen=True):
    """A share of the contests, and the 95 % interval (Wilson 1927) of the chance behind it."""

    share: float
    low: float
    high: float


class Cost(msgspec.Struct, frozen=True):
    """A distribution of costs: half of the contests cost at most the median, nine of ten at most p90."""

    mean: float
    median: float
    p90: float


class Forecast(msgspec.Struct, frozen=True):
    """The forecast for one way to play a contest.

    formats: of its stages. keys: what the stages have beside their format. best_wins, best_in_three: chances
    that the strongest bot is first, and in the top three. regret: by how many Elo the winner is weaker
    than the strongest bot, on average. tau: Kendall's rank correlation of the table with the strengths, in
    the mean. sets: deal sets of a contest. core_hours: of one core. hours: at that many workers, if none of
    them ever waits. matches, unseparated: mean numbers in a contest; unseparated matches ended without the
    sequential test.
    """

    formats: tuple[str, ...]
    keys: str
    match: MatchRule
    best_wins: Chance
    best_in_three: Chance
    regret: float
    tau: float
    sets: Cost
    core_hours: Cost
    hours: Cost
    matches: float
    unseparated: float


def sum_up(
    formats: tuple[str, ...],
    keys: str,
    match: MatchRule,
    strengths: Floats,
    played: Sequence[RehearsedContest],
    ms_per_deal: float,
    workers: int,
) -> Forecast:
    """Return the forecast from contests that were played, a row of strengths each."""
    order = np.array([one.order for one in played]) - 1
    ranked = np.take_along_axis(strengths, order, axis=1)
    best = strengths.max(axis=1)
    sets = np.array([one.sets for one in played], dtype=np.float64)
    hours = np.array([one.deals for one in played]) * ms_per_deal / MS_PER_HOUR
    return Forecast(
        formats=formats,
        keys=keys,
        match=match,
        best_wins=estimate_chance(int((ranked[:, 0] == best).sum()), len(played)),
        best_in_three=estimate_chance(int((ranked[:, :3] == best[:, None]).any(axis=1).sum()), len(played)),
        regret=round(float((best - ranked[:, 0]).mean()), 2),
        tau=round(float(np.mean([_correlate_ranks(row) for row in ranked])), 3),
        sets=_compute_cost(sets, 1),
        core_hours=_compute_cost(hours, 5),
        hours=_compute_cost(hours / workers, 5),
        matches=round(float(np.mean([one.matches for one in played])), 2),
        unseparated=round(float(np.mean([one.unseparated for one in played])), 2),
    )


def estimate_chance(hits: int, trials: int) -> Chance:
    """Return the share of hits with Wilson's interval."""
    share, z = hits / trials, Z95**2 / trials
    middle = (share + z / 2) / (1 + z)
    half = math.sqrt(share * (1 - share) * z + z**2 / 4) / (1 + z)
    return Chance(round(share, 4), round(max(middle - half, 0.0), 4), round(min(middle + half, 1.0), 4))


def _compute_cost(values: Floats, digits: int) -> Cost:
    middle, most = np.quantile(values, (0.5, 0.9))
    return Cost(*(round(float(one), digits) for one in (values.mean(), middle, most)))


def _correlate_ranks(ranked: Floats) -> float:
    """Return Kendall's tau of strengths in the order of a table, the first of which should be the largest."""
    above, below = np.triu_indices(len(ranked), 1)
    return float(np.sign(ranked[above] - ranked[below]).mean())
