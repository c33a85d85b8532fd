"""The rest of a ladder: every two neighbours are told apart, or as alike as matters.

Neighbours are those next to each other by strength among the players who may be paired. Two are told apart if
the interval of their distance excludes 0, and close if it is no wider than TARGET to either side. The
intervals hold for all neighbours together (Bonferroni) with a confidence of CONFIDENCE. They are read again
after every result, which a fixed interval does not allow for: the chance to rest too early is higher than
1 - CONFIDENCE. That is why nobody may have fewer than LEAST_SETS, and why a rest claims nothing: ratings and
their intervals stay what they are, and whoever wants to know more starts a contest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from maumau.contest.statistics.rating import ELO, Posterior

CONFIDENCE = 0.99
TARGET = 15.0  # Elo
LEAST_SETS = (
    200  # of each player: with fewer, one with a score near 0 or 1 has an interval that is too narrow
)


class Rest(NamedTuple):
    """Numbers of pairs of neighbours that are distinguished, and that are only close."""

    apart: int
    close: int


def find_rest(posterior: Posterior, players: Sequence[int], sets: Mapping[int, int]) -> Rest | None:
    """Return how well every two neighbours are known, or None if one pair is not known well enough.

    players: the numbers of those who may be paired. sets: that each player has played.
    """
    if any(sets.get(player, 0) < LEAST_SETS for player in players):
        return None
    order = sorted(players, key=lambda player: (-posterior.theta[player], player))
    above, below = np.array(order[:-1]), np.array(order[1:])
    if not len(above):
        return None
    own, shared = np.diag(posterior.covariance), posterior.covariance[above, below]
    error = np.sqrt(np.maximum(own[above] + own[below] - 2 * shared, 0.0))
    half = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * len(above))) * error * ELO
    gap = (posterior.theta[above] - posterior.theta[below]) * ELO
    apart, close = gap > half, half <= TARGET
    if not (apart | close).all():
        return None
    return Rest(int(apart.sum()), int((close & ~apart).sum()))


def describe_rest(found: Rest) -> str:
    """Say why a ladder rests."""
    return (
        f"It rests: {_tell_pairs(found)}, with {CONFIDENCE:.0%} confidence."
        " A bot that joins, leaves or activates another version wakes it."
    )


def _tell_pairs(found: Rest) -> str:
    pairs, known = found.apart + found.close, f"known to ±{TARGET:.0f} Elo"
    if found.apart and found.close:
        be = "is" if found.apart == 1 else "are"
        return f"{found.apart} of {pairs} pairs {be} told apart and {found.close} {known}"
    if pairs > 1:
        return f"all {pairs} pairs of neighbours are {known if found.close else 'told apart'}"
    return f"1 pair of neighbours is {known}" if found.close else "the two bots are told apart"
