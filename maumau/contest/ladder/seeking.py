"""Matchmaking of live tables, pure: from the seekers, a seed, and the pools with house bots.

The seeker that has waited longest is served first, and meets those nearest in rating. The accepted difference
grows with the waiting time of each. At a rated table all players are of different accounts. House bots take
the empty seats once the first of a group has waited as long as it asked to; seekers that refuse them are not
in the group.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

WIDENING: Final = 5.0
"""Elo by which others may be farther away with each second of waiting."""


class Seeker(NamedTuple):
    """A waiting player. pool: equal for the same game. rating: in Elo, 0 if there is none.

    range: how far others may be away at first, 0 for any. waited, house_after: seconds; None: no house bots.
    """

    id: str
    pool: str
    seats: int
    account: str
    rated: bool = False
    rating: float = 0.0
    range: int = 0
    waited: float = 0.0
    house_after: float | None = None

    @property
    def reach(self) -> float:
        """The rating difference accepted by now."""
        return self.range + WIDENING * self.waited if self.range else float("inf")

    @property
    def wants_house(self) -> bool:
        """True if it has waited long enough for house bots."""
        return self.house_after is not None and self.waited >= self.house_after


Group = tuple[str | None, ...]
"""The seats of a table, by the ids of the seeks; None: a house bot."""


def match_seekers(seekers: Iterable[Seeker], seed: str, house: Collection[str] = ()) -> list[Group]:
    """Return the groups that sit down now; other seekers keep waiting. The seed determines the seats.

    house: the pools for which there are house bots.
    """
    pools = defaultdict[str, list[Seeker]](list)
    for seeker in seekers:
        pools[seeker.pool].append(seeker)
    chance = random.Random(seed)  # noqa: S311 - nobody gains by guessing a seat
    found: list[Group] = []
    for pool, waiting in sorted(pools.items()):
        for group in _match_pool(waiting, house=pool in house):
            seats = [one.id for one in group] + [None] * (group[0].seats - len(group))
            chance.shuffle(seats)
            found.append(tuple(seats))
    return found


def _match_pool(waiting: Sequence[Seeker], *, house: bool) -> list[list[Seeker]]:
    left = sorted(waiting, key=lambda one: (-one.waited, one.id))
    groups: list[list[Seeker]] = []
    for first in left[:]:
        if first not in left:
            continue
        group = _gather_group(first, left)
        if len(group) < first.seats:
            if not (house and first.wants_house):
                continue
            group = [one for one in group if one.house_after is not None]
        groups.append(group)
        left = [one for one in left if one not in group]
    return groups


def _gather_group(first: Seeker, others: Sequence[Seeker]) -> list[Seeker]:
    """Return the first seeker and those nearest to it, as many as seats, each compatible with all others."""
    group = [first]
    for other in sorted(others, key=lambda one: abs(one.rating - first.rating)):
        if len(group) == first.seats:
            break
        if other is not first and all(_may_meet(other, one) for one in group):
            group.append(other)
    return group


def _may_meet(one: Seeker, other: Seeker) -> bool:
    apart = abs(one.rating - other.rating)
    return apart <= min(one.reach, other.reach) and not (one.rated and one.account == other.account)
