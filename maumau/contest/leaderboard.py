"""The table of a ladder: strengths with their intervals, and what they say of the order.

From joint samples of all strengths: in how many a player is first (the chance that it is the best), and which
places it has in 95 of 100. The samples have a fixed seed, so that the same results are the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
import numpy as np

from maumau.contest.played import Played
from maumau.contest.rating import ELO, Posterior
from maumau.contest.sequential import Z95

SAMPLES = 2000
SEED = 20_261_123


class Line(msgspec.Struct, frozen=True):
    """A player's line. elo, low, high: rounded to 0.01, the 95 % interval. best: the chance that it is.

    place: from 1, by elo. best_place, worst_place: it has none outside of them in 95 of 100 samples.
    """

    place: int
    player: int
    elo: float
    low: float
    high: float
    best_place: int
    worst_place: int
    best: float
    sets: int


def rank(
    size: int, played: Played, shown: Collection[int], anchors: Collection[int] = ()
) -> tuple[list[Line], Posterior]:
    """The lines of the players that are shown, best first, of `size` players; and what they were made of."""
    posterior = played.believe(size, anchors)
    return lines(posterior, played.count_sets(), shown), posterior


def lines(posterior: Posterior, sets: Mapping[int, int], shown: Collection[int]) -> list[Line]:
    """Best first; of equals, rounded to 0.01 Elo, the one with the lower number."""
    players = sorted(shown)
    if not players:
        return []
    samples = posterior.draw(SAMPLES, np.random.default_rng(SEED))[:, players]
    places = np.argsort(np.argsort(-samples, axis=1), axis=1) + 1
    spread = np.quantile(places, (0.025, 0.975), axis=0, method="nearest")
    elo = np.round(posterior.theta[players] * ELO, 2) + 0.0
    error = Z95 * ELO * np.sqrt(np.diag(posterior.covariance)[players])
    first = (places == 1).mean(axis=0)
    order = sorted(range(len(players)), key=lambda k: (-elo[k], players[k]))
    return [
        Line(
            place=place,
            player=players[k],
            elo=float(elo[k]),
            low=round(float(elo[k] - error[k]), 2),
            high=round(float(elo[k] + error[k]), 2),
            best_place=int(spread[0, k]),
            worst_place=int(spread[1, k]),
            best=round(float(first[k]), 3),
            sets=sets.get(players[k], 0),
        )
        for place, k in enumerate(order, start=1)
    ]
