"""Ratings where more than two sit at a table (a pod), from the places of each deal set.

A player's score u in a set counts 2 for each other player and seating in which it had the better place, 1 for
an equal one (`score.py`, places): a shared place is half a win each way. So u / 2m, at a table of m, is the
number of the others that it beat, over the mean of the set's m seatings. What all sets of the same players
tell is in whole numbers: how many there are, Σu of each, Σu·v of each two.

The fit maximises the likelihood of all pairs at the tables (composite Bradley-Terry): its gradient needs of
a player only Σu. The two of a pair get t = n/2 + (Σu - Σv) / 2m² for that, which adds up to the same over
their opponents. Pairs of one table are no separate evidence: the sandwich's middle is made of the whole
vectors of scores, Σ(u - e)(v - e'), e the score that was expected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from maumau.contest.rating import (
    LADDER_SIGMA,
    Duel,
    Floats,
    Posterior,
    add_up_duels,
    believe_with,
    win_chance,
)
from maumau.contest.sequential import Sums


class Pod(NamedTuple):
    """The sets of these players at one table, added up.

    players: their numbers, rising. totals: Σu of each. products: Σu·v of each two, each with itself first:
    (0, 0), (0, 1) … (1, 1), (1, 2) … by their places in `players`.
    """

    players: tuple[int, ...]
    sets: int
    totals: tuple[int, ...]
    products: tuple[int, ...]

    @property
    def duels(self) -> Iterator[Duel]:
        """Each two of the table, as the fit takes them."""
        unit = 2 * len(self.players) ** 2
        for i, j in combinations(range(len(self.players)), 2):
            yield Duel(self.players[i], self.players[j], self._compared(i, j, unit))

    def compare(self, one: int, other: int) -> Sums:
        """By how much a player was ahead of another one, as a score from 0 to 1: ½ if they were equal."""
        most = 2 * len(self.players) * (len(self.players) - 1)
        return self._compared(self.players.index(one), self.players.index(other), 2 * most)

    def _compared(self, i: int, j: int, unit: int) -> Sums:
        """The sums of h = unit/2 + u - v."""
        half, lead = unit // 2, self.totals[i] - self.totals[j]
        squares = self._product(i, i) - 2 * self._product(i, j) + self._product(j, j)
        total = self.sets * half + lead
        return Sums(unit, self.sets, total, self.sets * half**2 + 2 * half * lead + squares)

    def _product(self, i: int, j: int) -> int:
        a, b = min(i, j), max(i, j)
        return self.products[a * len(self.players) - a * (a - 1) // 2 + b - a]


def add_up_pod(players: Sequence[int], scores: Sequence[Sequence[int]]) -> Pod:
    """The sets of these players, in any order; scores: of each set by the same order."""
    order = sorted(range(len(players)), key=lambda place: players[place])
    rows = [[units[place] for place in order] for units in scores]
    pairs = list(combinations_with_replacement(range(len(players)), 2))
    return Pod(
        tuple(players[place] for place in order),
        len(rows),
        tuple(sum(row[k] for row in rows) for k in range(len(players))),
        tuple(sum(row[i] * row[j] for row in rows) for i, j in pairs),
    )


def join_pods(pods: Iterable[Pod]) -> list[Pod]:
    """One for all sets of the same players, in the order of their numbers."""
    found: dict[tuple[int, ...], Pod] = {}
    for pod in pods:
        old = found.get(pod.players)
        found[pod.players] = _joined(old, pod) if old else pod
    return [found[players] for players in sorted(found)]


def _joined(one: Pod, other: Pod) -> Pod:
    totals = (a + b for a, b in zip(one.totals, other.totals, strict=True))
    products = (a + b for a, b in zip(one.products, other.products, strict=True))
    return Pod(one.players, one.sets + other.sets, tuple(totals), tuple(products))


def believe_pods(
    size: int, pods: Iterable[Pod], anchors: Collection[int] = (), sigma: float = LADDER_SIGMA
) -> Posterior:
    """What the sets of these tables, all of as many seats, say of `size` players (as `rating.believe`)."""
    whole = join_pods(pods)
    pairs = add_up_duels(duel for pod in whole for duel in pod.duels)
    return believe_with(size, pairs, lambda theta: _scatter(theta, whole), anchors, sigma)


def _scatter(theta: Floats, pods: Sequence[Pod]) -> Floats:
    """Σ(u - e)(v - e') over the sets, in opponents beaten, smoothed by a deal with random places.

    Random places of m players give their scores the covariance (m + 1)/12 · (m·I - 1).
    """
    matrix = np.zeros((len(theta), len(theta)))
    if not pods:
        return matrix
    seats = len(pods[0].players)
    who = np.array([pod.players for pod in pods])
    sets = np.array([float(pod.sets) for pod in pods])[:, None, None]
    totals = np.array([pod.totals for pod in pods]) / (2.0 * seats)
    products = np.zeros((len(pods), seats, seats))
    above = np.triu_indices(seats)
    products[:, above[0], above[1]] = np.array([pod.products for pod in pods]) / (2.0 * seats) ** 2
    products[:, above[1], above[0]] = products[:, above[0], above[1]]
    chances = win_chance(theta[who][:, :, None], theta[who][:, None, :])
    expected = chances.sum(axis=2) - 0.5  # without the one against itself
    cross = totals[:, :, None] * expected[:, None, :]
    scatter = products - cross - cross.transpose(0, 2, 1)
    scatter += sets * expected[:, :, None] * expected[:, None, :]
    random = (seats + 1) / 12 * (seats * np.eye(seats) - 1)
    scatter = (scatter + random) * sets / (sets + 1)
    np.add.at(matrix, (who[:, :, None], who[:, None, :]), scatter)
    return matrix
