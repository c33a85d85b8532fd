"""Counts of blocks and tournaments by state, with times: for the gauges and `GetStatus`.

`count_all`, for the gauge, scans all blocks; every other query uses an index. Times are ms
since 1970.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Integer, bindparam, func, select, text
from sqlmodel import col

from services.shared.process.service_status import Counted
from services.shared.store.connect import Database
from services.tournament.models import NOT_OVER, Block, BlockResult, Contest, Tournament
from services.tournament.store.blocks.queue import RUNNING, is_playable
from services.tournament.store.blocks.reaper import rest_of_void
from services.tournament.store.contests.sight import PUBLIC
from services.tournament.store.contests.tournament import ACTIVE

QUEUED, VOID, CLAIMED = (text(f"block.state = '{state}'") for state in ("queued", "void", "claimed"))
"""Literal conditions, as in the partial indexes, which are not used if the state is a parameter."""
SINCE, BEFORE = (bindparam(name, type_=BigInteger) for name in ("since", "before"))
LIMIT = bindparam("most", type_=Integer)
EVER = 2**62  # ms; longer than any age


class Claimed(Struct, frozen=True):
    """The blocks being played.

    first, last: times when the first and the last of them were claimed, 0 if there is none. workers: number
    of workers that play them.
    """

    count: int
    first: int
    last: int
    workers: int


class Done(NamedTuple):
    """Bookings since a given time, and when the latest was made, ms since 1970; 0 if there is none."""

    blocks: int
    decisions: int
    since: int
    last: int


class Census:
    """Counts over all contests. house_only: blocks with strangers' programs do not count as waiting."""

    def __init__(self, database: Database, *, house_only: bool = False) -> None:
        self.database = database
        playable = is_playable(house_only=house_only, one_by_one=True)
        self._oldest, self._waiting = _list_oldest(playable), _count_waiting(playable)

    def count_all(self) -> dict[str, int]:
        """Return the number of blocks by state; this scans all of them."""
        counts = select(col(Block.state), func.count()).group_by(col(Block.state))
        with self.database.read() as session:
            return {row[0]: row[1] for row in session.execute(counts)}

    def count_queued(self, most: int) -> int:
        """Return the number of queued blocks, at most `most`, with those on hold, as during a pause."""
        with self.database.read() as session:
            return session.scalar(COUNT_QUEUED, {"most": most}) or 0

    def find_oldest_queued(self) -> int:
        """Return when the longest-waiting playable block was queued; 0 if there is none."""
        with self.database.read() as session:
            return min(filter(None, session.scalars(self._oldest)), default=0)

    def count_by_wait(self, bounds: Sequence[int], now: int, most: int) -> list[int]:
        """Return the numbers of blocks that wait for a worker, by waiting time.

        There is one number for each of these bounds in ms, of the blocks whose wait is below this bound and
        not below the previous one, and one for waits beyond all bounds. Each is counted up to `most`.
        """
        times = [now + EVER, *(now - bound for bound in bounds), now - EVER]
        with self.database.read() as session:
            running = session.scalars(RUNNING).all()
            params = {"contests": running, "most": most}
            return [
                session.scalar(self._waiting, {**params, "before": before, "since": since}) or 0
                if running
                else 0
                for before, since in pairwise(times)
            ]

    def count_claimed(self) -> Claimed:
        """Return the count of blocks that are being played."""
        with self.database.read() as session:
            count, first, last, workers = session.execute(COUNT_CLAIMED).one()
        return Claimed(count, first or 0, last or 0, workers)

    def count_void(self, most: int) -> Counted:
        """Return the count of blocks that were given up, up to `most`."""
        with self.database.read() as session:
            rows = session.execute(LIST_VOID, {"most": most}).all()
        return Counted(len(rows), min((until - rest_of_void(voided) for voided, until in rows), default=0))

    def count_done(self, since: int) -> Done:
        """Return the bookings after this time, or since the very first one if that is later."""
        with self.database.read() as session:
            blocks, decisions = session.execute(COUNT_DONE, {"since": since}).one()
            first, last = session.scalar(FIRST_DONE), session.scalar(LAST_DONE)
        return Done(blocks, int(decisions or 0), max(since, first or 0), last or 0)

    def count_active(self, *, listed: bool = False) -> dict[str, Counted]:
        """Return counts of running and paused tournaments; since: when the first was started.

        listed: count public tournaments only.
        """
        query = COUNT_LISTED if listed else COUNT_ACTIVE
        with self.database.read() as session:
            found = {row[0]: Counted(row[1], row[2]) for row in session.execute(query)}
        return {state: found.get(state, Counted(0, 0)) for state in ACTIVE}


def _list_oldest(playable: ColumnElement[bool]) -> Any:
    """Select when each running contest's longest-waiting playable block was queued; NULL if none waits."""
    mine = select(col(Block.queued_at)).where(col(Block.contest_id) == Contest.id, QUEUED, playable)
    first = mine.order_by(col(Block.queued_at)).limit(1).scalar_subquery()
    return select(first).where(col(Contest.state) == "running")


def _count_waiting(playable: ColumnElement[bool]) -> Any:
    """Count waiting blocks of contests given by id, as `count_waiting` of the queue does."""
    mine = col(Block.contest_id).in_(bindparam("contests", expanding=True))
    then = col(Block.queued_at) <= BEFORE, col(Block.queued_at) > SINCE
    return _count_rows(select(col(Block.id)).where(mine, *then, QUEUED, playable))


def _count_rows(rows: Any) -> Any:
    return select(func.count()).select_from(rows.limit(LIMIT).subquery())


COUNT_QUEUED = _count_rows(select(col(Block.id)).where(QUEUED))
_CLAIMED_AT = col(Block.claimed_at)
COUNT_CLAIMED = select(func.count(), func.min(_CLAIMED_AT), func.max(_CLAIMED_AT))
COUNT_CLAIMED = COUNT_CLAIMED.add_columns(func.count(col(Block.worker).distinct())).where(CLAIMED)
LIST_VOID = select(col(Block.voided), col(Block.rests_until)).where(VOID).limit(LIMIT)
COUNT_DONE = select(func.count(), func.sum(col(BlockResult.decisions)))
COUNT_DONE = COUNT_DONE.where(col(BlockResult.stored_at) > SINCE)
COUNT_ACTIVE = select(col(Tournament.state), func.count(), func.min(col(Tournament.started_at)))
COUNT_ACTIVE = COUNT_ACTIVE.where(NOT_OVER, col(Tournament.state).in_(ACTIVE)).group_by(col(Tournament.state))
COUNT_LISTED = COUNT_ACTIVE.where(col(Tournament.visibility) == PUBLIC)
FIRST_DONE = select(func.min(col(BlockResult.stored_at)))
LAST_DONE = select(func.max(col(BlockResult.stored_at)))
