"""Counts of waiting pairings and bots of ladders, with times in ms since 1970."""

from sqlalchemy import func, select
from sqlmodel import col

from services.matchmaking.models import UNFINISHED_STATES, Ladder, Member, Pairing
from services.matchmaking.store.meeting import UNFINISHED
from services.shared.process.service_status import Counted
from services.shared.store.connect import Database


class Census:
    """Counts over all ladders."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def count_pairings(self) -> dict[str, Counted]:
        """Return the pairings that are not over, by state; since: when the first was made."""
        with self.database.read() as session:
            found = {row[0]: Counted(row[1], row[2]) for row in session.execute(COUNT_PAIRINGS)}
        return {state: found.get(state, Counted(0, 0)) for state in UNFINISHED_STATES}

    def count_ready(self) -> Counted:
        """Count the bots that may be paired, on ladders that have enough of them and do not rest.

        since: when one was last paired, or came, whichever bot waits longest.
        """
        with self.database.read() as session:
            rows = session.execute(COUNT_READY).all()
        enough = [Counted(count, since) for count, since, seats in rows if count >= seats]
        return Counted(sum(one.count for one in enough), min((one.since for one in enough), default=0))


COUNT_PAIRINGS = select(col(Pairing.state), func.count(), func.min(col(Pairing.made_at)))
COUNT_PAIRINGS = COUNT_PAIRINGS.where(UNFINISHED).group_by(col(Pairing.state))
COUNT_READY = (
    select(func.count(), func.min(col(Member.paired_at)), col(Ladder.seats))
    .join(Ladder, col(Ladder.name) == col(Member.ladder))
    .where(col(Member.here), col(Member.number) >= 0, col(Member.words) == "", col(Ladder.rests) == "")
    .group_by(col(Ladder.name), col(Ladder.seats))
)
