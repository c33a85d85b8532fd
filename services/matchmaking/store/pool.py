"""Everything that pairing and rating a ladder need, read at once."""

from itertools import combinations
from typing import Any, NamedTuple

from sqlalchemy import and_, case, func, select
from sqlmodel import Session, col

from maumau.contest.played import Played
from maumau.contest.rating import Duel, Posterior
from maumau.contest.score import SEATINGS
from maumau.contest.sequential import Sums
from services.matchmaking.models import UNFINISHED, Epoch, Ladder, Member, Pairing, Player, Result
from services.matchmaking.store.pod import read_pods, tables_under_way


class Pool(NamedTuple):
    """Everything that pairing and rating a ladder need.

    under_way: sets that are asked for and not booked, by pair; open: pairings that are not over.
    """

    players: list[Player]
    members: list[Member]
    played: Played
    under_way: dict[tuple[int, int], int]
    open: int

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
    many = ladder.seats > SEATINGS
    played, under_way = _of_tables(session, ladder) if many else _of_pairs(session, ladder, unit)
    unfinished = col(Pairing.ladder) == ladder.name, col(Pairing.state).in_(UNFINISHED)
    open_ = session.scalar(select(func.count()).select_from(Pairing).where(*unfinished)) or 0
    return Pool(list(players), list(members), played, under_way, open_)


def _of_pairs(session: Session, ladder: Ladder, unit: int) -> tuple[Played, dict[tuple[int, int], int]]:
    """What was played at two seats, and what is under way."""
    asked = _by_pair(session, ladder.name)
    duels = [Duel(a, b, Sums(unit, sets, total, squares)) for a, b, _, sets, total, squares, _ in asked]
    under_way: dict[tuple[int, int], int] = {}
    for a, b, wanted, sets, _, _, left in asked:
        if left:
            key = min(a, b), max(a, b)
            under_way[key] = under_way.get(key, 0) + max(wanted - sets, 0)
    return Played(duels), under_way


def _of_tables(session: Session, ladder: Ladder) -> tuple[Played, dict[tuple[int, int], int]]:
    """What was played at more than two seats, and what is under way."""
    found = tables_under_way(session, ladder.name, UNFINISHED)
    under_way: dict[tuple[int, int], int] = {}
    for players, sets in found.items():
        for pair in combinations(players, 2):
            under_way[pair] = under_way.get(pair, 0) + sets
    return Played(pods=read_pods(session, ladder.name)), under_way


def _by_pair(session: Session, name: str) -> list[Any]:
    """first, second, sets asked for, sets, sum and squares booked, pairings under way: by pair as it stands.

    Whole numbers, so that no order of the results can be seen in the last bits.
    """
    booked = (
        select(
            col(Result.epoch_id), col(Result.label), func.sum(col(Result.sets)).label("sets"),
            func.sum(col(Result.total)).label("total"), func.sum(col(Result.squares)).label("squares"),
        )
        .where(col(Result.epoch_id).in_(select(col(Epoch.id)).where(col(Epoch.ladder) == name)))
        .group_by(col(Result.epoch_id), col(Result.label)).subquery()
    )  # fmt: skip
    joined = and_(booked.c.epoch_id == col(Pairing.epoch_id), booked.c.label == col(Pairing.label))
    left = case((col(Pairing.state).in_(UNFINISHED), 1), else_=0)
    asked = case(
        (col(Pairing.state).in_(UNFINISHED), col(Pairing.sets)), else_=func.coalesce(booked.c.sets, 0)
    )
    lines = select(
        col(Pairing.first), col(Pairing.second), func.sum(asked),
        func.coalesce(func.sum(booked.c.sets), 0), func.coalesce(func.sum(booked.c.total), 0),
        func.coalesce(func.sum(booked.c.squares), 0), func.sum(left),
    )  # fmt: skip
    lines = lines.outerjoin(booked, joined).where(col(Pairing.ladder) == name)
    found = session.execute(lines.group_by(col(Pairing.first), col(Pairing.second))).all()
    return sorted([tuple(int(value) for value in row) for row in found])
