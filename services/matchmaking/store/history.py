"""The points of a ladder's history. Times are ms since 1970, as given."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlmodel import Session, col

from maumau.contest.ladder.history import STEP
from maumau.contest.ladder.played import Played
from maumau.contest.score import SEATINGS
from maumau.contest.statistics.rating import Duel, Rating
from maumau.contest.statistics.sequential import Sums
from services.matchmaking.models import (
    RESULT_OF_PAIRING,
    Epoch,
    Ladder,
    Member,
    Pairing,
    Player,
    Point,
    PointRating,
    Result,
)
from services.matchmaking.store.epoch import find_fit
from services.matchmaking.store.live_tables.pod import read_pods
from services.matchmaking.store.overtaken import tell_of_overtaking
from services.matchmaking.store.pool import leave_out_unrated, list_anchors
from services.shared.store.connect import Database


class Past(NamedTuple):
    """The basis of the ratings at a point. anchors: players that hold the scale; fit: its number.

    results: their count.
    """

    size: int
    played: Played
    anchors: list[int]
    fit: int
    results: int

    @property
    def ratings(self) -> dict[int, Rating]:
        """The ratings, by player."""
        found = self.played.fit_players(self.size, self.anchors, self.fit)
        return dict(zip(found.players, found.posterior.ratings, strict=True))


class LadderHistory:
    """History of ladders. `units`: of a set's score, by kind of score (contest's UNITS)."""

    def __init__(self, database: Database, units: dict[str, int]) -> None:
        self.database, self.units = database, units

    def find_start(self, ladder: str) -> int:
        """Return the time of the first result; 0 if there is none."""
        first = select(func.min(col(Result.at))).join(Epoch, col(Epoch.id) == col(Result.epoch_id))
        with self.database.read() as session:
            return session.scalar(first.where(col(Epoch.ladder) == ladder)) or 0

    def list_points(self, ladder: str) -> list[int]:
        with self.database.read() as session:
            return list(session.scalars(select(col(Point.number)).where(col(Point.ladder) == ladder)))

    def read_past(self, ladder: str, point: int) -> Past:
        """Return all rated results before a point, with its anchors as stored, else the current ones."""
        before = point * STEP
        with self.database.read() as session:
            known, row = session.get(Point, (ladder, point)), session.get_one(Ladder, ladder)
            played, results = self._read_played(session, row, before), _count_results(session, ladder, before)
            fit = find_fit(session, ladder, before)
            mine = select(Player).where(col(Player.ladder) == ladder).order_by(col(Player.number))
            players = session.scalars(mine).all()
            pinned = session.scalars(select(Member).where(col(Member.ladder) == ladder, col(Member.pinned)))
            anchors = json.loads(known.anchors) if known else list_anchors(pinned.all(), players, fit)
            played = leave_out_unrated(played, players, fit)
            joined = select(func.count()).select_from(Player).where(col(Player.ladder) == ladder)
            size = session.scalar(joined.where(col(Player.joined_at) < before)) or 0
        size = max([size, *(1 + player for player in played.count_sets())])
        return Past(size, played, [number for number in anchors if number < size], fit, results)

    def _read_played(self, session: Session, ladder: Ladder, before: int) -> Played:
        if ladder.seats > SEATINGS:
            return Played(pods=read_pods(session, ladder.name, before))
        unit = self.units[ladder.score]
        pairs = _sum_pairs(session, ladder.name, before)
        return Played([Duel(a, b, Sums(unit, *sums)) for a, b, *sums in pairs])

    def store_point(
        self,
        ladder: str,
        point: int,
        anchors: Sequence[int],
        ratings: Mapping[int, Rating],
        sets: Mapping[int, int],
        results: int,
    ) -> bool:
        """Store a point unless it exists. Return False if the number of results before it has changed."""
        lines = [
            PointRating(
                ladder=ladder,
                player=player,
                point=point,
                elo=round(100 * one.elo),
                low=round(100 * one.low),
                high=round(100 * one.high),
                sets=sets[player],
            )
            for player, one in ratings.items()
        ]
        with self.database.write() as session:
            session.get_one(Ladder, ladder, with_for_update=True)  # no result is booked meanwhile
            if _count_results(session, ladder, point * STEP) != results:
                return False
            if session.get(Point, (ladder, point)) is None:
                session.add(Point(ladder=ladder, number=point, anchors=json.dumps(list(anchors))))
                session.flush()
                tell_of_overtaking(session, ladder, point, point * STEP, lines)
                session.add_all(lines)
            return True

    def drop_points(self, ladder: str, points: Collection[int]) -> None:
        with self.database.write() as session:
            session.execute(delete(Point).where(col(Point.ladder) == ladder, col(Point.number).in_(points)))

    def of_players(self, ladder: str, players: Collection[int]) -> list[PointRating]:
        """Return the ratings of these players at all points, oldest first."""
        mine = select(PointRating).where(
            col(PointRating.ladder) == ladder, col(PointRating.player).in_(players)
        )
        with self.database.read() as session:
            return list(session.scalars(mine.order_by(col(PointRating.point), col(PointRating.player))))


def forget_points(session: Session, ladder: str, at: int) -> None:
    """Delete the points after a result of this time, which were made without it."""
    late = col(Point.ladder) == ladder, col(Point.number) * STEP > at
    session.execute(delete(Point).where(*late))


def _count_results(session: Session, ladder: str, before: int) -> int:
    count = select(func.count()).select_from(Result).join(Epoch, col(Epoch.id) == col(Result.epoch_id))
    return session.scalar(count.where(col(Epoch.ladder) == ladder, col(Result.at) < before)) or 0


def _sum_pairs(session: Session, ladder: str, before: int) -> list[tuple[int, ...]]:
    """Return (first, second, sets, sum, squares) of the results before a time, by pair, as integers."""
    pair = col(Pairing.first), col(Pairing.second)
    sums = (func.sum(col(one)) for one in (Result.sets, Result.total, Result.squares))
    lines = select(*pair, *sums).join(Result, RESULT_OF_PAIRING)
    lines = lines.where(col(Pairing.ladder) == ladder, col(Result.at) < before).group_by(*pair)
    return sorted(tuple(int(value) for value in row) for row in session.execute(lines))
