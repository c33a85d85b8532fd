"""What was played on a ladder, added up: by pairs at two seats, by tables at more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from maumau.contest.pod import Pod, believe_pods
from maumau.contest.rating import Duel, Posterior, believe
from maumau.contest.sequential import Sums


class Played(NamedTuple):
    """Whole numbers, so that no order of the results can be seen in the last bits. One of them is empty."""

    duels: Sequence[Duel] = ()
    pods: Sequence[Pod] = ()

    def believe(self, size: int, anchors: Collection[int] = ()) -> Posterior:
        """What this says of `size` players."""
        if self.pods:
            return believe_pods(size, self.pods, anchors)
        return believe(size, self.duels, anchors)

    @property
    def sets(self) -> int:
        """Deal sets of all."""
        return sum(duel.sums.sets for duel in self.duels) + sum(pod.sets for pod in self.pods)

    def count_sets(self) -> dict[int, int]:
        """Deal sets by player, of those who have played."""
        found: dict[int, int] = {}
        for players, sets in self._tables():
            for player in players:
                found[player] = found.get(player, 0) + sets
        return found

    def count_meetings(self) -> dict[tuple[int, int], int]:
        """Deal sets by pair of players, the lower number first."""
        found: dict[tuple[int, int], int] = {}
        for players, sets in self._tables():
            for pair in combinations(sorted(players), 2):
                found[pair] = found.get(pair, 0) + sets
        return found

    def against(self, player: int) -> dict[int, Sums]:
        """How a player did beside each of the others whom it has met, from its side."""
        found: dict[int, Sums] = {}
        for other, sums in self._compared(player):
            found[other] = found[other].joined(sums) if other in found else sums
        return {other: sums for other, sums in found.items() if sums.sets}

    def _tables(self) -> Iterator[tuple[tuple[int, ...], int]]:
        yield from (((duel.first, duel.second), duel.sums.sets) for duel in self.duels if duel.sums.sets)
        yield from ((pod.players, pod.sets) for pod in self.pods)

    def _compared(self, player: int) -> Iterator[tuple[int, Sums]]:
        for duel in self.duels:
            if duel.first == player:
                yield duel.second, duel.sums
            elif duel.second == player:
                yield duel.first, duel.sums.mirrored
        for pod in self.pods:
            if player in pod.players:
                yield from ((other, pod.compare(player, other)) for other in pod.players if other != player)
