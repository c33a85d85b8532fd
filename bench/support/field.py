"""Invented players for `make bench-ranking`, whose true order is known, so a ranking is right or wrong.

Sixteen strengths θ at the quantiles of a normal distribution, scaled so that the best player wins 57.5 % of
its games against the others, and 52.1 % against the runner-up. i beats j with p = 1 / (1 + exp(θj - θi)). The
two games of a deal set are the same deal from both seats; luck of the cards cancels, so they are correlated
by -rho: 2 wins with p² - rho·p·q, none with q² - rho·p·q. rho = 0.44 was measured between close pairs of real
bots.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

PLAYERS: Final = 16
BEST_WINS: Final = 0.575
RHO: Final = 0.44

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def spread_strengths(players: int = PLAYERS, best_wins: float = BEST_WINS) -> Floats:
    """Return θ of each player, the best one first."""
    normal = statistics.NormalDist()
    quantiles = np.array([normal.inv_cdf(1 - (rank + 0.5) / players) for rank in range(players)])
    low, high = 0.0, 2.0
    for _ in range(60):
        scale = (low + high) / 2
        if win_chance(scale * quantiles[0], scale * quantiles[1:]).mean() < best_wins:
            low = scale
        else:
            high = scale
    scaled: Floats = low * quantiles
    return scaled


def win_chance(theta: Floats, other: Floats) -> Floats:
    """Return the probability that a player of strength θ beats the other in one game."""
    p: Floats = 1 / (1 + np.exp(other - theta))
    return p


def play_sets(p: Sequence[float], sets: int, rng: np.random.Generator, rho: float = RHO) -> Whole:
    """Return how many of `sets` mirrored sets gave the first player 0, 1 and 2 wins; a row per p.

    Below p = 0.31 and above 0.69 the games are correlated as far as possible: no probability can be negative.
    """
    chance = np.asarray(p, dtype=np.float64)
    possible = np.minimum(chance, 1 - chance) / np.maximum(chance, 1 - chance)
    joint = np.minimum(rho, possible) * chance * (1 - chance)
    none, both = (1 - chance) ** 2 - joint, chance**2 - joint
    counts: Whole = rng.multinomial(sets, np.stack([none, 1 - none - both, both], axis=-1))
    return counts
