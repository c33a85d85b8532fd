"""The data for pairing and rating a ladder, read at once."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from sqlalchemy import select
from sqlmodel import Session, col

from maumau.contest.ladder.played import ALL_ALIKE, SEEN, Played
from maumau.contest.statistics.author import Owner
from maumau.contest.statistics.rating import Posterior
from services.matchmaking.models import Ladder, Member, Player
from services.matchmaking.store.epoch import find_fit
from services.matchmaking.store.meeting import (
    add_up_meetings,
    count_under_way,
    list_meetings,
    measure_lengths,
)
from services.shared.base.auth import OWN


class Pool(NamedTuple):
    """The data for pairing and rating a ladder.

    under_way: sets requested and not yet booked, by pair. fit: the number of the fit in use.
    lengths: mean number of decisions of a set, by table.
    """

    players: list[Player]
    members: list[Member]
    played: Played
    under_way: dict[tuple[int, int], int]
    fit: int
    lengths: dict[tuple[int, ...], float]

    @property
    def playing(self) -> list[Member]:
        """The players that may be paired."""
        return list_playing(self.members)

    @property
    def anchors(self) -> list[int]:
        """The players that hold the scale."""
        return list_anchors([one for one in self.members if one.pinned], self.players, self.fit)

    @property
    def rated(self) -> Played:
        """The results that count for ratings."""
        return leave_out_unrated(self.played, self.players, self.fit)

    def compute_posterior(self) -> Posterior:
        return self.rated.compute_posterior(len(self.players), self.anchors, self.fit)


def list_playing(members: Iterable[Member]) -> list[Member]:
    """Return the members that may be paired."""
    return [one for one in members if one.here and one.number >= 0 and not one.words]


def encode_players(members: Iterable[Member]) -> str:
    """Return the numbers of the players that may be paired, as `rests_for` has them: 0,3,4."""
    return ",".join(map(str, sorted(one.number for one in list_playing(members))))


def author_of(who: Member | Player) -> str:
    """Return the author or team, whose bots may not meet; each house bot is an author of its own."""
    return who.bot_name if who.account_name in OWN else who.party or who.account_name


def leave_out_unrated(played: Played, players: Sequence[Player], fit: int) -> Played:
    """Return the results that the fit of this number uses."""
    if fit == ALL_ALIKE:
        return played
    return played.leave_out_own([Owner(author_of(one), one.bot_name) for one in players])


def list_anchors(pinned: Iterable[Member], players: Iterable[Player], fit: int) -> list[int]:
    """Return the players that hold the scale, rising: those of the pinned bots.

    From SEEN on these are all of their versions, so that one that is replaced before it has played moves
    nobody; before, the ones that play.
    """
    if fit < SEEN:
        return sorted(one.number for one in pinned if one.number >= 0)
    bots = {one.bot_name for one in pinned}
    return [one.number for one in players if one.bot_name in bots]


def read_pool(session: Session, ladder: Ladder, unit: int) -> Pool:
    """Read the pool of a ladder. unit: of a set's score at two seats."""
    players = session.scalars(
        select(Player).where(col(Player.ladder) == ladder.name).order_by(col(Player.number))
    ).all()
    members = session.scalars(select(Member).where(col(Member.ladder) == ladder.name)).all()
    meetings = list_meetings(session, ladder.name)
    played = add_up_meetings(ladder, meetings, unit)
    under_way: dict[tuple[int, int], int] = {}
    for seated, sets in count_under_way(session, ladder.name).items():
        for pair in combinations(seated, 2):
            under_way[pair] = under_way.get(pair, 0) + sets
    fit, lengths = find_fit(session, ladder.name), measure_lengths(meetings)
    return Pool(list(players), list(members), played, under_way, fit, lengths)
