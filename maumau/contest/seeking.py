"""Who of those that seek a live table sit down together. Pure: who seeks, a seed, where house bots can sit.

Whoever has waited longest is served first, and meets those who are nearest in rating. How far they may be
apart grows with the waiting of each. At a rated table everybody is of another account. House bots take the
seats that stay empty once the first of a group has waited as long for that as it said; who refuses them is
not in it.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

WIDENING: Final = 5.0
"""Elo by which others may be farther away with each second of waiting."""


class Seeker(NamedTuple):
    """One who waits. pool: equal for those who want the same game. rating: in Elo, 0 if there is none.

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
        """By how much others may be better or worse by now."""
        return self.range + WIDENING * self.waited if self.range else float("inf")

    @property
    def wants_house(self) -> bool:
        """Whether it has waited long enough for house bots."""
        return self.house_after is not None and self.waited >= self.house_after


Group = tuple[str | None, ...]
"""Who sits where, by the ids of the seeks; None: a house bot."""


def match_seekers(seekers: Iterable[Seeker], seed: str, house: Collection[str] = ()) -> list[Group]:
    """The groups that sit down now; who is in none of them waits on. The seats are drawn with the seed.

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
        group = _gather(first, left)
        if len(group) < first.seats:
            if not (house and first.wants_house):
                continue
            group = [one for one in group if one.house_after is not None]
        groups.append(group)
        left = [one for one in left if one not in group]
    return groups


def _gather(first: Seeker, others: Sequence[Seeker]) -> list[Seeker]:
    """The first one and those nearest to it, as many as there are seats, each fit to sit with all of them."""
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
