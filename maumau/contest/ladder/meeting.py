"""Counts of how often ladder players have met, kept up to date while pairs are chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, permutations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]


class Meetings:
    """Meetings between places, which are positions in `numbers`, the numbers of the players to pair.

    counts: sets that were played or are under way. met: the same with noise below 1, so that of equals one at
    random comes first. open: the same for the pairs that may still be chosen, infinite for all others. total:
    sets of each, against retired players too.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        counts: Mapping[tuple[int, int], int],
        apart: NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> None:
        self.counts, self.total = _count_sets(numbers, counts)
        noise = rng.random(self.counts.shape) / 2
        self.met = self.counts + noise + noise.T
        self.open = np.where(apart, np.inf, self.met)
        self._least = self.open.min(axis=1, initial=np.inf)  # of each place

    def add_sets(self, places: Iterable[int], sets: int) -> None:
        """Count this many sets for a table of these places."""
        for a, b in permutations(places, 2):
            for met in (self.counts, self.met, self.open):
                met[a, b] += sets
            self._least[a] = self.open[a].min()

    def close(self, a: int, b: int) -> None:
        """Mark this pair as chosen."""
        self.open[a, b] = self.open[b, a] = np.inf
        self._least[[a, b]] = self.open[[a, b]].min(axis=1)

    def has_open(self, place: int) -> bool:
        """Return True if there is an open opponent for this place."""
        return bool(self._least[place] < np.inf)

    def find_least(self) -> tuple[int, int] | None:
        """Return the open pair that has met least, the lower place first; None if there is none."""
        a = int(self._least.argmin())
        if not self.has_open(a):
            return None
        b = int(self.open[a].argmin())
        return min(a, b), max(a, b)

    def list_groups(self) -> list[list[int]]:
        """Return the groups of places connected by sets, also through others."""
        linked = self.counts > 0
        left, found = set(range(len(linked))), []
        while left:
            group, border = set[int](), {min(left)}
            while border:
                group |= border
                met = np.flatnonzero(linked[sorted(border)].any(axis=0))
                border = {int(place) for place in met} - group
            left -= group
            found.append(sorted(group))
        return found


def _count_sets(numbers: Sequence[int], counts: Mapping[tuple[int, int], int]) -> tuple[Counts, list[float]]:
    """Return the sets between players who may be paired, and the total of each."""
    size = len(numbers)
    pairs = np.fromiter(chain.from_iterable(counts), np.int64, 2 * len(counts)).reshape(-1, 2)
    sets = np.fromiter(counts.values(), np.float64, len(counts))
    place = np.full(1 + max([*numbers, *pairs.max(axis=0, initial=0)], default=0), -1)
    place[np.asarray(numbers, np.int64)] = np.arange(size)
    total = np.bincount(pairs.ravel(), np.repeat(sets, 2), minlength=len(place))
    places = place[pairs]
    both = (places >= 0).all(axis=1)
    (a, b), matrix = places[both].T, np.zeros((size, size))
    matrix[a, b] = matrix[b, a] = sets[both]
    return matrix, [float(total[number]) for number in numbers]
