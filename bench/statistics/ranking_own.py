"""The ladder's own ranking method, on simulated players: its pairing, its fit, mirrored sets."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from bench.statistics.efficiency import GRID, Floats
from bench.support.simulation import LadderPlay
from maumau.contest.ladder.pairing import Mode
from maumau.contest.statistics.sequential import Z95

SURE: Final = 0.95
SAMPLES: Final = 2000


class LadderRun(NamedTuple):
    """The result of one run.

    looks: the ratings by point of the grid and player, the best player first. covered: the share of players
    whose true strength was in its 95 % interval at the end. stopped: the number of games after which, for the
    first time, one player was the best with a probability of 95 %; right: whether it was the best.
    """

    looks: Floats
    covered: float
    stopped: float
    right: bool


def run_ladder(theta: Floats, mode: Mode, seed: int, most: int) -> LadderRun:
    """Run up to the last point of the grid that is at most `most`."""
    play, looks, stopped, right = LadderPlay(theta, mode, seed), [], math.inf, False
    for games in (games for games in GRID if games <= most):
        posterior = play.go_on(games)
        looks.append(posterior.theta[play.number])
        if math.isinf(stopped):
            chances = np.bincount(
                posterior.draw_samples(SAMPLES, play.rng).argmax(axis=1), minlength=len(theta)
            )
            if chances.max() >= SURE * SAMPLES:
                stopped, right = games, int(chances.argmax()) == play.number[0]
    error = Z95 * np.sqrt(np.diag(posterior.covariance))[play.number]
    covered = np.abs(looks[-1] - play.centre_strengths(posterior)[play.number]) <= error
    return LadderRun(np.array(looks), float(covered.mean()), stopped, right)
