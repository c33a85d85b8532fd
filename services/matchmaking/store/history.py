"""The points of a ladder's history. Times are ms since 1970, as given."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import delete, func, select
from sqlmodel import Session, col

from maumau.contest.history import STEP
from maumau.contest.played import Played
from maumau.contest.rating import Duel, Rating
from maumau.contest.score import SEATINGS
from maumau.contest.sequential import Sums
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
from services.matchmaking.store.pod import read_pods
from services.shared.connect import Database


class Past(NamedTuple):
    """What ratings at a point follow from. anchors: players that hold the scale."""

    size: int
    played: Played
    anchors: list[int]


class History:
    """`units`: of a set's score, by what counts (contest's UNITS)."""

    def __init__(self, database: Database, units: dict[str, int]) -> None:
        self.database, self.units = database, units

    def since(self, ladder: str) -> int:
        """When the first result of all was booked; 0 if there is none."""
        first = select(func.min(col(Result.at))).join(Epoch, col(Epoch.id) == col(Result.epoch_id))
        with self.database.read() as session:
            return session.scalar(first.where(col(Epoch.ladder) == ladder)) or 0

    def points(self, ladder: str) -> list[int]:
        with self.database.read() as session:
            return list(session.scalars(select(col(Point.number)).where(col(Point.ladder) == ladder)))

    def played(self, ladder: str, point: int) -> Past:
        """All results before a point. Who holds the scale: as was noted with it, or as it is now."""
        before = point * STEP
        with self.database.read() as session:
            known, row = session.get(Point, (ladder, point)), session.get_one(Ladder, ladder)
            anchors = json.loads(known.anchors) if known else _pinned(session, ladder)
            played = self._played(session, row, before)
            joined = select(func.count()).select_from(Player).where(col(Player.ladder) == ladder)
            size = session.scalar(joined.where(col(Player.joined_at) < before)) or 0
        size = max([size, *(1 + player for player in played.count_sets())])
        return Past(size, played, [number for number in anchors if number < size])

    def _played(self, session: Session, ladder: Ladder, before: int) -> Played:
        if ladder.seats > SEATINGS:
            return Played(pods=read_pods(session, ladder.name, before))
        unit = self.units[ladder.score]
        pairs = _pairs(session, ladder.name, before)
        return Played([Duel(a, b, Sums(unit, *sums)) for a, b, *sums in pairs])

    def keep(
        self, ladder: str, point: int, anchors: Sequence[int], ratings: Mapping[int, Rating],
        sets: Mapping[int, int],
    ) -> None:  # fmt: skip
        """Writes a point down; one that is there already stays."""
        lines = [
            PointRating(
                ladder=ladder, player=player, point=point, elo=round(100 * one.elo),
                low=round(100 * one.low), high=round(100 * one.high), sets=sets[player],
            )
            for player, one in ratings.items()
        ]  # fmt: skip
        with self.database.write() as session:
            if session.get(Point, (ladder, point)) is None:
                session.add(Point(ladder=ladder, number=point, anchors=json.dumps(list(anchors))))
                session.flush()
                session.add_all(lines)

    def drop(self, ladder: str, points: Collection[int]) -> None:
        with self.database.write() as session:
            session.execute(delete(Point).where(col(Point.ladder) == ladder, col(Point.number).in_(points)))

    def of_players(self, ladder: str, players: Collection[int]) -> list[PointRating]:
        """Oldest first."""
        mine = select(PointRating).where(
            col(PointRating.ladder) == ladder, col(PointRating.player).in_(players)
        )
        with self.database.read() as session:
            return list(session.scalars(mine.order_by(col(PointRating.point), col(PointRating.player))))


def forget_points(session: Session, ladder: str, at: int) -> None:
    """Those that a result of this time belongs to, which they were made without."""
    late = col(Point.ladder) == ladder, col(Point.number) * STEP > at
    session.execute(delete(Point).where(*late))


def _pinned(session: Session, ladder: str) -> list[int]:
    mine = select(col(Member.number)).where(
        col(Member.ladder) == ladder, col(Member.pinned), col(Member.number) >= 0
    )
    return sorted(session.scalars(mine))


def _pairs(session: Session, ladder: str, before: int) -> list[tuple[int, ...]]:
    """first, second, sets, sum and squares booked before a time, by pair; in whole numbers."""
    pair = col(Pairing.first), col(Pairing.second)
    sums = (func.sum(col(one)) for one in (Result.sets, Result.total, Result.squares))
    lines = select(*pair, *sums).join(Result, RESULT_OF_PAIRING)
    lines = lines.where(col(Pairing.ladder) == ladder, col(Result.at) < before).group_by(*pair)
    return sorted(tuple(int(value) for value in row) for row in session.execute(lines))
