"""The table of a ladder: strengths with their intervals, and the certainty of the order.

From joint samples of all strengths: in how many a player is first (the chance that it is the best), and which
places it has in 95 of 100. The samples have a fixed seed, so that the same results are the same table.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

import msgspec
import numpy as np
import numpy.typing as npt

from maumau.contest.ladder.played import SEEN, Played
from maumau.contest.statistics.rating import ELO, Posterior, multiply_by_root
from maumau.contest.statistics.robust import Doubt

SAMPLES = 2000
SEED = 20_261_123

Singles = npt.NDArray[np.float32]


class RankedLine(msgspec.Struct, frozen=True):
    """A player's line; all 0 for one without results.

    elo, low, high: rounded to 0.01, the 95 % interval. best: the chance to be best. place: from 1, by elo.
    best_place, worst_place: it has none outside of them in 95 of 100 samples. doubt:
    how many of its sets do not count, since their score is far from what both have against others.
    """

    place: int
    player: int
    elo: float = 0.0
    low: float = 0.0
    high: float = 0.0
    best_place: int = 0
    worst_place: int = 0
    best: float = 0.0
    sets: int = 0
    doubt: Doubt = Doubt(0.0, 0.0)


def rank_players(
    size: int, played: Played, shown: Collection[int], anchors: Collection[int] = (), fit: int = SEEN
) -> tuple[list[RankedLine], Posterior]:
    """Return the lines of the shown players, best first, of `size` players, and the posterior behind them.

    From the fit SEEN on only players with results have a line.
    """
    players, posterior, weighed = played.fit_players(size, anchors, fit)
    sets, doubts = played.count_sets(), weighed.list_doubts() if weighed else None
    places = [place for place, player in enumerate(players) if player in shown]
    lines = build_lines(posterior, [sets.get(player, 0) for player in players], places, doubts)
    return [msgspec.structs.replace(one, player=players[one.player]) for one in lines], posterior


def build_lines(
    posterior: Posterior,
    sets: Sequence[int],
    shown: Collection[int],
    doubts: Sequence[Doubt] | None = None,
) -> list[RankedLine]:
    """Return the lines, best first; of equals, rounded to 0.01 Elo, the lower number first."""
    players = sorted(shown)
    if not players:
        return []
    samples = draw_samples(posterior)
    places = count_places(samples if len(players) == samples.shape[1] else samples[:, players])
    first = (places == 1).mean(axis=1)
    places.sort(axis=1, kind="stable")  # of 16 bits: a radix sort
    best_place, worst_place = (places[:, round(share * (SAMPLES - 1))] for share in (0.025, 0.975))
    elo = np.round(posterior.theta[players] * ELO, 2) + 0.0
    low, high = (ends[players] for ends in posterior.intervals)
    order = sorted(range(len(players)), key=lambda k: (-elo[k], players[k]))
    return [
        RankedLine(
            place=place,
            player=players[k],
            elo=float(elo[k]),
            low=round(float(low[k]), 2),
            high=round(float(high[k]), 2),
            best_place=int(best_place[k]),
            worst_place=int(worst_place[k]),
            best=round(float(first[k]), 3),
            sets=sets[players[k]],
            doubt=_round_doubt(doubts[players[k]]) if doubts else Doubt(0.0, 0.0),
        )
        for place, k in enumerate(order, start=1)
    ]


def _round_doubt(doubt: Doubt) -> Doubt:
    return Doubt(round(doubt.sets, 1) + 0.0, round(doubt.elo, 2) + 0.0)


def draw_samples(posterior: Posterior) -> Singles:
    """Return joint samples of all strengths, a line each, in single precision, which halves the time."""
    root = posterior.factor_covariance().astype(np.float32)
    samples = multiply_by_root(_draw_normals(len(root)), root)
    samples += posterior.theta.astype(np.float32)
    return samples


@lru_cache(maxsize=1)
def _draw_normals(size: int) -> Singles:
    """Return the normal deviates, always the same: 8 MB for a thousand players."""
    return np.random.default_rng(SEED).standard_normal((SAMPLES, size), dtype=np.float32)


def count_places(samples: Singles) -> npt.NDArray[np.uint16]:
    """Return the place of each player in each sample, from 1 for the highest: players by samples.

    Sorts whole numbers whose last bits are the player, in a fifth of the time of an argsort. Strengths closer
    than a millionth of the widest one count as equal; of equals the lower number comes first.
    """
    count, size = samples.shape
    bits = max(size - 1, 1).bit_length()
    scale = 2.0 ** (30 - bits) / (float(np.abs(samples).max()) or 1.0)
    keys = (samples * np.float32(-scale)).astype(np.int32)
    keys <<= bits
    keys |= np.arange(size, dtype=np.int32)
    keys.sort(axis=1)
    keys &= (1 << bits) - 1
    keys *= count
    keys += np.arange(count, dtype=np.int32)[:, None]
    places = np.empty(size * count, np.uint16)
    places[keys.ravel()] = np.tile(np.arange(1, size + 1, dtype=np.uint16), count)
    return places.reshape(size, count)
