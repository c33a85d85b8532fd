"""One weight for the bots of one author.

An author may enter many bots, or many versions, that play alike: whatever one of them shows of an opponent,
the others only repeat. So a player's sets against the bots of one author count, all together, as many as
those against the one of them that it met most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maumau.contest.statistics.rating import Floats, PairSums


def share_pairs(pairs: PairSums, authors: Sequence[str]) -> Floats:
    """Return the share of each pair's sets that counts, from 0 to 1; authors: by player."""
    _, whose = np.unique(np.array(authors), return_inverse=True)
    met = np.concatenate([pairs.i, pairs.j]), np.concatenate([whose[pairs.j], whose[pairs.i]])
    sets = np.concatenate([pairs.n, pairs.n])
    found, group = np.unique(np.stack(met), axis=1, return_inverse=True)
    group = group.reshape(-1)  # numpy 2.0 keeps a dimension
    most = np.zeros(found.shape[1])
    np.maximum.at(most, group, sets)
    shares = (most / np.bincount(group, sets, len(most)))[group]
    return np.asarray(np.minimum(*np.split(shares, 2)), np.float64)
