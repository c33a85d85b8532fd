"""The number of games that a ranking method needs, from many runs evaluated after the same games.

G95: games until the player ranked first is the best one in 95 % of the runs. Gtau: until Kendall's tau of the
ranking with the truth is 0.9 in the mean. Both from a curve that may only rise (isotonic regression over the
grid), between two points by the logarithm of the games; infinite if the last point is not enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

GRID: Final = tuple(round(500 * 10 ** (step / 10)) for step in range(21))
"""Games after which a ranking is evaluated: 500 to 50,000, ten points for each factor of ten."""
RIGHT: Final = 0.95
ORDERED: Final = 0.9

Floats = NDArray[np.float64]


class Curve(NamedTuple):
    """By point of the grid: the share of runs with the right winner, and the mean of tau."""

    right: Floats
    tau: Floats

    @property
    def winner(self) -> float:
        """G95."""
        return games_until(self.right, RIGHT)

    @property
    def order(self) -> float:
        """Gtau."""
        return games_until(self.tau, ORDERED)


def judge_ratings(ratings: Floats) -> Curve:
    """Return the curve. ratings: by run, point of the grid and player, the truly best player first."""
    order = np.mean([[kendall_tau(one) for one in run] for run in ratings], axis=0)
    return Curve((ratings.argmax(axis=2) == 0).mean(axis=0), order)


def kendall_tau(ratings: Floats) -> float:
    """Return Kendall's tau of ratings whose true order is falling; ties count as neither."""
    signs = np.sign(ratings[:, None] - ratings[None, :])[np.triu_indices(len(ratings), 1)]
    return float(signs.mean())


def games_until(curve: Floats, level: float, grid: Sequence[int] = GRID) -> float:
    """Return the games at which the curve, made to rise, reaches the level."""
    risen = fit_rising(curve)  # of the first points of the grid, if it is shorter
    if risen[-1] < level:
        return math.inf
    point = int(np.argmax(risen >= level))
    if point == 0:
        return float(grid[0])
    share = (level - risen[point - 1]) / (risen[point] - risen[point - 1])
    low, high = math.log(grid[point - 1]), math.log(grid[point])
    return math.exp(low + share * (high - low))


def fit_rising(curve: Floats) -> Floats:
    """Return the nearest curve that never falls: pool adjacent violators."""
    pools: list[tuple[float, int]] = []
    for value in curve:
        mean, count = float(value), 1
        while pools and pools[-1][0] > mean:
            before, more = pools.pop()
            mean, count = (before * more + mean * count) / (more + count), more + count
        pools.append((mean, count))
    return np.array([mean for mean, count in pools for _ in range(count)])
