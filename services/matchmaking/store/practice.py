"""Practice matches. Times are ms since 1970, given by the caller."""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import func, select, update
from sqlmodel import Session, col

from maumau.errors import QuotaReached, UnknownPractice
from services.matchmaking.models import UNFINISHED_STATES, Practice
from services.matchmaking.store.booking import Booked
from services.shared.store.connect import Database

ONLY_JOB = "1"  # label of the job of a match
MOST_WAITING = 3  # unfinished matches of an account at most


class Practices:
    """Practice matches in the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def add_practice(self, practice: Practice) -> Practice:
        """Add a match; raise QuotaReached if its author has too many unfinished ones."""
        with self.database.write() as session:
            self.database.alone(session.connection())  # so that two calls do not both take the last place
            mine = (
                col(Practice.account_name) == practice.account_name,
                col(Practice.state).in_(UNFINISHED_STATES),
            )
            waiting = session.scalar(select(func.count()).select_from(Practice).where(*mine)) or 0
            if waiting >= MOST_WAITING:
                raise QuotaReached(
                    f"You wait for {waiting} practice matches; more begin when one is over.",
                    quota="practice matches",
                )
            session.add(practice)
        return practice

    def find_practice(self, practice_id: str) -> Practice:
        with self.database.read() as session:
            return _find_practice(session, practice_id)

    def list_own(self, owners: Collection[str], bot_name: str, before: str, most: int) -> list[Practice]:
        """Return the matches of an account and its team older than the one of that id, newest first.

        bot_name: only those of this bot; "" for all. before: "" for the newest.
        """
        own = select(Practice).where(col(Practice.account_name).in_(owners))
        if bot_name:
            own = own.where(col(Practice.bot) == bot_name)
        if before:
            own = own.where(col(Practice.id) < before)
        with self.database.read() as session:
            return list(session.scalars(own.order_by(col(Practice.id).desc()).limit(most)))

    def list_unfinished(self) -> list[Practice]:
        with self.database.read() as session:
            mine = (
                select(Practice).where(col(Practice.state).in_(UNFINISHED_STATES)).order_by(col(Practice.id))
            )
            return list(session.scalars(mine))

    def change_practice(self, practice_id: str, **values: Any) -> None:
        """Change a match; one that is over stays unchanged."""
        mine = update(Practice).where(col(Practice.id) == practice_id, col(Practice.state) != "over")
        with self.database.write() as session:
            session.execute(mine.values(**values))

    def book_result(self, practice_id: str, one: Booked) -> bool:
        """Add a result and move the cursor; return False if it was added before."""
        with self.database.write() as session:
            practice = _find_practice(session, practice_id, lock=True)
            if one.booking <= practice.cursor:
                return False
            practice.cursor, practice.booked = one.booking, practice.booked + one.sets
            practice.total += one.total
            practice.squares += one.squares
            practice.faults += one.faults[0]
            practice.other_faults += sum(one.faults[1:])
            practice.words = practice.words or one.words
            if practice.booked >= practice.sets:
                practice.state, practice.ended_at = "over", one.at
            return True


def more_versions(practice: Practice) -> tuple[str, ...]:
    """Return the versions at the table after the first two."""
    return tuple(version_id for _, version_id in json.loads(practice.more))


def more_names(practice: Practice) -> tuple[str, ...]:
    """Return the bots at the table after the first two."""
    return tuple(name for name, _ in json.loads(practice.more))


def _find_practice(session: Session, practice_id: str, *, lock: bool = False) -> Practice:
    query = select(Practice).where(col(Practice.id) == practice_id)
    found: Practice | None = session.scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise UnknownPractice(f"There is no practice match {practice_id!r}.", thing=practice_id)
    return found
