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

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from maumau.contest.score import add_up_scores
from maumau.contest.statistics.prior import widen_posterior
from maumau.contest.statistics.rating import (
    ALL,
    LADDER_SIGMA,
    SIGMA,
    Centre,
    Duel,
    Floats,
    Posterior,
    Rating,
    add_up_duels,
    believe_with,
    fit_pairs,
    scatter_duels,
    win_chance,
)
from maumau.contest.statistics.sequential import Sums
from maumau.contest.statistics.table_sums import TableSums, empty_sums


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
        """The table's pairs, as the fit takes them."""
        unit = 2 * len(self.players) ** 2
        for i, j in combinations(range(len(self.players)), 2):
            yield Duel(self.players[i], self.players[j], self._sum_compared(i, j, unit))

    def compare_players(self, one: int, other: int) -> Sums:
        """Return the lead of a player over another one, as a score from 0 to 1: ½ if they were equal."""
        most = 2 * len(self.players) * (len(self.players) - 1)
        return self._sum_compared(self.players.index(one), self.players.index(other), 2 * most)

    def _sum_compared(self, i: int, j: int, unit: int) -> Sums:
        """Return the sums of h = unit/2 + u - v."""
        return TableSums(unit // 2, self.sets, self.totals, self.products).compare_players(i, j)


def add_up_pod(players: Sequence[int], scores: Sequence[Sequence[int]]) -> Pod:
    """Return the sets of these players added up, in any order; scores: of each set in the same order."""
    if not scores:
        empty = empty_sums(0, len(players))
        return Pod(tuple(sorted(players)), 0, empty.totals, empty.products)
    return seat_pod(players, TableSums(0, len(scores), *add_up_scores(scores)))


def seat_pod(players: Sequence[int], table: TableSums) -> Pod:
    """Return a table's sums as a pod; players: in the order of the sums."""
    order = sorted(range(len(players)), key=players.__getitem__)
    return Pod(
        tuple(players[place] for place in order),
        table.sets,
        tuple(table.totals[place] for place in order),
        tuple(table.sum_products(i, j) for i, j in combinations_with_replacement(order, 2)),
    )


def join_pods(pods: Iterable[Pod]) -> list[Pod]:
    """Return one pod for all sets of the same players, in the order of their numbers."""
    found: dict[tuple[int, ...], Pod] = {}
    for pod in pods:
        old = found.get(pod.players)
        found[pod.players] = _join_pods(old, pod) if old else pod
    return [found[players] for players in sorted(found)]


def _join_pods(one: Pod, other: Pod) -> Pod:
    totals = (a + b for a, b in zip(one.totals, other.totals, strict=True))
    products = (a + b for a, b in zip(one.products, other.products, strict=True))
    return Pod(one.players, one.sets + other.sets, tuple(totals), tuple(products))


def believe_pods(
    size: int,
    pods: Iterable[Pod],
    centre: Centre = ALL,
    sigma: float = LADDER_SIGMA,
    *,
    widened: bool = False,
) -> Posterior:
    """Return the posterior of `size` players from these tables (as `rating.compute_posterior`).

    widened: with intervals that hold among near equals too (`prior`).
    """
    whole = join_pods(pods)
    pairs = add_up_duels(duel for pod in whole for duel in pod.duels)
    scatter = partial(_compute_scatter, pods=whole)
    found = believe_with(size, pairs, scatter, centre, sigma)
    return widen_posterior(found, pairs, scatter, centre) if widened else found


def _compute_scatter(theta: Floats, pods: Sequence[Pod]) -> Floats:
    """Return Σ(u - e)(v - e') over the sets, in opponents beaten, smoothed by a deal with random places.

    Random places of m players give their scores the covariance (m + 1)/12 · (m·I - 1).
    """
    matrix = np.zeros((len(theta), len(theta)))
    for seats in sorted({len(pod.players) for pod in pods}):
        _add_scatter(matrix, theta, [pod for pod in pods if len(pod.players) == seats], seats)
    return matrix


def _add_scatter(matrix: Floats, theta: Floats, pods: Sequence[Pod], seats: int) -> None:
    """Add that of tables of one size."""
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


def fit_tables(size: int, duels: Sequence[Duel], pods: Iterable[Pod], sigma: float = SIGMA) -> list[Rating]:
    """Return the ratings of `size` players from matches of two and of tables, as `rating.fit_ratings` does.

    A set counts as much for each pair at any table, however many sit there.
    """
    whole = join_pods(pods)
    alone = add_up_duels(duels)
    pairs = add_up_duels([*duels, *(duel for pod in whole for duel in pod.duels)])
    return fit_pairs(
        size, pairs, lambda theta: _compute_scatter(theta, whole) + scatter_duels(theta, alone), sigma=sigma
    )
