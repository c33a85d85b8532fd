"""The results of a ladder, added up: by pairs at two seats, by tables at more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from maumau.contest.statistics.pod import Pod, believe_pods
from maumau.contest.statistics.rating import Duel, Posterior, compute_posterior
from maumau.contest.statistics.robust import Weighed, weigh_duels
from maumau.contest.statistics.sequential import Sums

ALL_ALIKE: Final = 1
"""The fit in which every set counts equally, also those of two bots of one author."""

ROBUST: Final = 2
"""The fit without pairs of one author, and with less weight for pairs far from all others."""

WIDENED: Final = 3
"""The fit of today: like ROBUST, with intervals that hold among near equals too."""


class Played(NamedTuple):
    """Whole numbers, so that no order of the results can be seen in the last bits. One of them is empty."""

    duels: Sequence[Duel] = ()
    pods: Sequence[Pod] = ()

    def compute_posterior(self, size: int, anchors: Collection[int] = (), fit: int = WIDENED) -> Posterior:
        """Return what this says of `size` players, in the fit of this number, with intervals for pairing."""
        return self.weigh_results(size, anchors, min(fit, ROBUST))[0]

    def weigh_results(
        self, size: int, anchors: Collection[int] = (), fit: int = WIDENED
    ) -> tuple[Posterior, Weighed | None]:
        """Return the posterior with the weights of the pairs; None where every set counts equally."""
        if self.pods:
            return believe_pods(size, self.pods, anchors, widened=fit >= WIDENED), None
        if fit == ALL_ALIKE:
            return compute_posterior(size, self.duels, anchors), None
        weighed = weigh_duels(size, self.duels, anchors)
        return weighed.widen_posterior() if fit >= WIDENED else weighed.posterior, weighed

    def leave_out_own(self, authors: Sequence[str]) -> Played:
        """Return the results without pairs of one author; authors: by player."""
        return self._replace(duels=[one for one in self.duels if authors[one.first] != authors[one.second]])

    @property
    def sets(self) -> int:
        """Deal sets of all."""
        return sum(duel.sums.sets for duel in self.duels) + sum(pod.sets for pod in self.pods)

    def count_sets(self) -> dict[int, int]:
        """Return the deal sets of each player that has played."""
        found: dict[int, int] = {}
        for players, sets in self._list_tables():
            for player in players:
                found[player] = found.get(player, 0) + sets
        return found

    def count_meetings(self) -> dict[tuple[int, int], int]:
        """Return the deal sets of each pair of players, the lower number first."""
        found: dict[tuple[int, int], int] = {}
        for players, sets in self._list_tables():
            for pair in combinations(sorted(players), 2):
                found[pair] = found.get(pair, 0) + sets
        return found

    def sum_against(self, player: int) -> dict[int, Sums]:
        """Return the sums of a player against each other player it has met, from its side."""
        found: dict[int, Sums] = {}
        for other, sums in self._list_compared(player):
            found[other] = found[other].join_sums(sums) if other in found else sums
        return {other: sums for other, sums in found.items() if sums.sets}

    def _list_tables(self) -> Iterator[tuple[tuple[int, ...], int]]:
        yield from (((duel.first, duel.second), duel.sums.sets) for duel in self.duels if duel.sums.sets)
        yield from ((pod.players, pod.sets) for pod in self.pods)

    def _list_compared(self, player: int) -> Iterator[tuple[int, Sums]]:
        for duel in self.duels:
            if duel.first == player:
                yield duel.second, duel.sums
            elif duel.second == player:
                yield duel.first, duel.sums.mirrored
        for pod in self.pods:
            if player in pod.players:
                yield from (
                    (other, pod.compare_players(player, other)) for other in pod.players if other != player
                )
