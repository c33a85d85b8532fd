"""Everything that pairing and rating a ladder need, read at once."""

from itertools import combinations
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.played import Played
from maumau.contest.rating import Posterior
from services.matchmaking.models import Ladder, Member, Player
from services.matchmaking.store.meeting import add_up_meetings, count_under_way, list_meetings


class Pool(NamedTuple):
    """Everything that pairing and rating a ladder need.

    under_way: sets that are asked for and not booked, by pair.
    """

    players: list[Player]
    members: list[Member]
    played: Played
    under_way: dict[tuple[int, int], int]

    @property
    def playing(self) -> list[Member]:
        """Those that may be paired."""
        return [one for one in self.members if one.here and one.number >= 0 and not one.words]

    @property
    def pinned(self) -> list[int]:
        """Who holds the scale."""
        return [one.number for one in self.members if one.pinned and one.number >= 0]

    def believe(self) -> Posterior:
        return self.played.believe(len(self.players), self.pinned)


def read_pool(session: Session, ladder: Ladder, unit: int) -> Pool:
    """unit: of a set's score at two seats."""
    players = session.scalars(
        select(Player).where(col(Player.ladder) == ladder.name).order_by(col(Player.number))
    ).all()
    members = session.scalars(select(Member).where(col(Member.ladder) == ladder.name)).all()
    played = add_up_meetings(ladder, list_meetings(session, ladder.name), unit)
    under_way: dict[tuple[int, int], int] = {}
    for seated, sets in count_under_way(session, ladder.name).items():
        for pair in combinations(seated, 2):
            under_way[pair] = under_way.get(pair, 0) + sets
    return Pool(list(players), list(members), played, under_way)
