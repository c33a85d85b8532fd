"""`make bench-fields`: the ladder and its closest peers on fields drawn at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import numpy as np

from bench.results.row import ResultRow
from bench.statistics import ranking_own, ranking_peer
from bench.statistics.efficiency import GRID, Floats, judge_ratings
from bench.statistics.ranking import MODES, describe_curve
from bench.support.field import PLAYERS, spread_strengths

FIELDS: Final = (1, 2, 3)
"""Seeds of the fields; all that were drawn are shown."""

RUNS: Final = 240
Rate = Callable[[Floats, int, np.random.Generator], Floats]


def draw_field(seed: int) -> Floats:
    """Return sixteen strengths of a normal distribution as wide as the usual field, the best one first."""
    scale = float(spread_strengths().std())
    strengths: Floats = -np.sort(-np.random.default_rng(seed).normal(0, scale, PLAYERS))
    return strengths


def list_peers(theta: Floats) -> dict[str, Rate]:
    """Return the closest peers by name, on mirrored sets; tuned: their prior is the field's own spread."""
    rate = partial(_rate_mirrored, choose=ranking_peer.choose_by_quality)
    top_two = partial(_rate_mirrored, choose=ranking_peer.choose_top_two)
    sigma = ranking_peer.fit_sigma(theta)
    return {
        "TrueSkill, pairs by quality": partial(rate, sigma=ranking_peer.SIGMA),
        "TrueSkill, pairs by quality, tuned": partial(rate, sigma=sigma),
        "TrueSkill, top-two sampling": partial(top_two, sigma=ranking_peer.SIGMA),
        "TrueSkill, top-two sampling, tuned": partial(top_two, sigma=sigma),
        "Bradley-Terry, neighbours in the ranking": ranking_peer.rate_by_swiss,
    }


def _rate_mirrored(
    theta: Floats, runs: int, rng: np.random.Generator, *, choose: ranking_peer.Choose, sigma: float
) -> Floats:
    return ranking_peer.rate_by_trueskill(theta, runs, rng, 0, is_mirrored=True, choose=choose, sigma=sigma)


def measure_rows() -> Iterator[ResultRow]:
    """Yield the games that each method needs on each field, the ladder last."""
    for seed in FIELDS:
        theta = draw_field(seed)
        lead = 100 / (1 + math.exp(theta[1] - theta[0]))
        field = f"field {seed} ({lead:.1f} %)"
        for name, play in list_peers(theta).items():
            curve = judge_ratings(play(theta, RUNS, np.random.default_rng(seed)))
            yield describe_curve(f"{field}, {name}", curve, GRID[-1])
        for mode, most in MODES.items():
            runs = [ranking_own.run_ladder(theta, mode, RUNS * seed + run, most) for run in range(RUNS)]
            curve = judge_ratings(np.stack([one.looks for one in runs]))
            last = max(one for one in GRID if one <= most)
            yield describe_curve(f"{field}, mode {mode}", curve, last)
