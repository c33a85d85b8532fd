"""The results of a ladder, added up: by pairs at two seats, by tables at more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from maumau.contest.statistics.author import Owner
from maumau.contest.statistics.pod import Pod, believe_pods
from maumau.contest.statistics.rating import Centre, Duel, Posterior, compute_posterior
from maumau.contest.statistics.robust import Weighed, weigh_duels
from maumau.contest.statistics.sequential import Sums

ALL_ALIKE: Final = 1
"""The fit in which every set counts equally, also those of two bots of one author."""

ROBUST: Final = 2
"""The fit without pairs of one author, and with less weight for pairs far from all others."""

WIDENED: Final = 3
"""The fit like ROBUST, with intervals that hold among near equals too."""

SEEN: Final = 4
"""The fit of today: like WIDENED, of players with results alone, about a mean to which each counts by what is
known of it, and at two seats with one weight for the bots of one author."""


class Fitted(NamedTuple):
    """The posterior of these players, in rising order; weighed: None where every set counts equally."""

    players: Sequence[int]
    posterior: Posterior
    weighed: Weighed | None


class Played(NamedTuple):
    """Whole numbers, so that no order of the results can be seen in the last bits.

    Either duels or pods are empty. owners: by player; without them each player is an author of its own.
    """

    duels: Sequence[Duel] = ()
    pods: Sequence[Pod] = ()
    owners: Sequence[Owner] = ()

    def compute_posterior(self, size: int, anchors: Collection[int] = (), fit: int = SEEN) -> Posterior:
        """Return what this says of `size` players, in the fit of this number, with intervals for pairing."""
        found = self.fit_players(size, anchors, fit, for_pairing=True)
        return found.posterior if fit < SEEN else found.posterior.spread_players(size, found.players)

    def fit_players(
        self, size: int, anchors: Collection[int] = (), fit: int = SEEN, *, for_pairing: bool = False
    ) -> Fitted:
        """Return what this says of players: from SEEN on of those with results, before of all."""
        widened = fit >= WIDENED and not for_pairing
        if fit < SEEN:
            return Fitted(range(size), *_weigh_results(self, size, Centre(anchors), fit, widened=widened))
        players = sorted(self.count_sets())
        places = {player: place for place, player in enumerate(players)}
        centre = Centre([places[player] for player in anchors if player in places], by_information=True)
        played = self._renumber_players(places)
        return Fitted(players, *_weigh_results(played, len(players), centre, fit, widened=widened))

    def _renumber_players(self, places: Mapping[int, int]) -> Played:
        """Return the results with these numbers, rising with the old ones."""
        return Played(
            [Duel(places[one.first], places[one.second], one.sums) for one in self.duels if one.sums.sets],
            [pod._replace(players=tuple(places[player] for player in pod.players)) for pod in self.pods],
            [self.owners[player] for player in places] if self.owners else (),
        )

    def leave_out_own(self, owners: Sequence[Owner]) -> Played:
        """Return the results without pairs of one author."""
        different = [one for one in self.duels if owners[one.first].author != owners[one.second].author]
        return self._replace(duels=different, owners=owners)

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


def _weigh_results(
    played: Played, size: int, centre: Centre, fit: int, *, widened: bool
) -> tuple[Posterior, Weighed | None]:
    if played.pods:
        return believe_pods(size, played.pods, centre, widened=widened), None
    if fit == ALL_ALIKE:
        return compute_posterior(size, played.duels, centre.anchors), None
    weighed = weigh_duels(size, played.duels, centre, owners=played.owners if fit >= SEEN else ())
    return weighed.widen_posterior() if widened else weighed.posterior, weighed
