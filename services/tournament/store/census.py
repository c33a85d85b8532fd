"""How many blocks and tournaments are in which state, and since when: for the gauges and `GetStatus`.

`count_all`, for the gauge, goes through all blocks; everything else is found by an index. Times are ms
since 1970.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import BigInteger, ColumnElement, Integer, bindparam, func, select, text
from sqlmodel import col

from services.shared.connect import Database
from services.shared.service_status import Counted
from services.tournament.models import NOT_OVER, Block, BlockResult, Contest, Tournament
from services.tournament.store.queue import RUNNING, is_playable
from services.tournament.store.reaper import rest_of_void
from services.tournament.store.tournament import ACTIVE

QUEUED, VOID, CLAIMED = (text(f"block.state = '{state}'") for state in ("queued", "void", "claimed"))
"""As the index of blocks that wait has it: it is not used where the state is a parameter."""
SINCE, BEFORE = (bindparam(name, type_=BigInteger) for name in ("since", "before"))
LIMIT = bindparam("most", type_=Integer)
EVER = 2**62  # ms; nothing is older, or later


class Claimed(Struct, frozen=True):
    """The blocks that are being played, when the first and the last of them were claimed (0: none is), and
    how many workers play them."""

    count: int
    first: int
    last: int
    workers: int


class Done(NamedTuple):
    """What was booked since a moment, and when the last block ever was, ms since 1970; 0 if none was."""

    blocks: int
    decisions: int
    since: int
    last: int


class Census:
    """Of all contests. house_only: strangers' blocks wait for nobody."""

    def __init__(self, database: Database, *, house_only: bool = False) -> None:
        self.database = database
        playable = is_playable(house_only=house_only, one_by_one=True)
        self._oldest, self._waiting = _list_oldest(playable), _count_waiting(playable)

    def count_all(self) -> dict[str, int]:
        """How many blocks are in each state: goes through all of them."""
        counts = select(col(Block.state), func.count()).group_by(col(Block.state))
        with self.database.read() as session:
            return {row[0]: row[1] for row in session.execute(counts)}

    def count_queued(self, most: int) -> int:
        """The queued blocks, also those that may not be played now, as in a pause; counted up to `most`."""
        with self.database.read() as session:
            return session.scalar(COUNT_QUEUED, {"most": most}) or 0

    def find_oldest_queued(self) -> int:
        """Since when the first of the blocks waits that a worker may have; 0 if none does."""
        with self.database.read() as session:
            return min(filter(None, session.scalars(self._oldest)), default=0)

    def count_by_wait(self, bounds: Sequence[int], now: int, most: int) -> list[int]:
        """How many blocks have waited for a worker for less than each of these ms and not less than the one
        before, and how many for longer; each counted up to `most`."""
        times = [now + EVER, *(now - bound for bound in bounds), now - EVER]
        with self.database.read() as session:
            running = session.scalars(RUNNING).all()
            told = {"contests": running, "most": most}
            return [
                session.scalar(self._waiting, {**told, "before": before, "since": since}) or 0
                if running
                else 0
                for before, since in pairwise(times)
            ]

    def count_claimed(self) -> Claimed:
        """The blocks that are being played."""
        with self.database.read() as session:
            count, first, last, workers = session.execute(COUNT_CLAIMED).one()
        return Claimed(count, first or 0, last or 0, workers)

    def count_void(self, most: int) -> Counted:
        """The blocks that were given up, counted up to `most`."""
        with self.database.read() as session:
            rows = session.execute(LIST_VOID, {"most": most}).all()
        return Counted(len(rows), min((until - rest_of_void(voided) for voided, until in rows), default=0))

    def count_done(self, since: int) -> Done:
        """What was booked later than this, or since the first block was."""
        with self.database.read() as session:
            blocks, decisions = session.execute(COUNT_DONE, {"since": since}).one()
            first, last = session.scalar(FIRST_DONE), session.scalar(LAST_DONE)
        return Done(blocks, int(decisions or 0), max(since, first or 0), last or 0)

    def count_active(self) -> dict[str, Counted]:
        """The tournaments that run and those that are paused; since: when the first was started."""
        with self.database.read() as session:
            found = {row[0]: Counted(row[1], row[2]) for row in session.execute(COUNT_ACTIVE)}
        return {state: found.get(state, Counted(0, 0)) for state in ACTIVE}


def _list_oldest(playable: ColumnElement[bool]) -> Any:
    """For each contest that runs, since when its first block waits; None for those where none does."""
    mine = select(col(Block.queued_at)).where(col(Block.contest_id) == Contest.id, QUEUED, playable)
    first = mine.order_by(col(Block.queued_at)).limit(1).scalar_subquery()
    return select(first).where(col(Contest.state) == "running")


def _count_waiting(playable: ColumnElement[bool]) -> Any:
    """The contests are named, as in `count_waiting` of the queue."""
    mine = col(Block.contest_id).in_(bindparam("contests", expanding=True))
    then = col(Block.queued_at) <= BEFORE, col(Block.queued_at) > SINCE
    return _count(select(col(Block.id)).where(mine, *then, QUEUED, playable))


def _count(rows: Any) -> Any:
    return select(func.count()).select_from(rows.limit(LIMIT).subquery())


COUNT_QUEUED = _count(select(col(Block.id)).where(QUEUED))
_CLAIMED_AT = col(Block.claimed_at)
COUNT_CLAIMED = select(func.count(), func.min(_CLAIMED_AT), func.max(_CLAIMED_AT))
COUNT_CLAIMED = COUNT_CLAIMED.add_columns(func.count(col(Block.worker).distinct())).where(CLAIMED)
LIST_VOID = select(col(Block.voided), col(Block.rests_until)).where(VOID).limit(LIMIT)
COUNT_DONE = select(func.count(), func.sum(col(BlockResult.decisions)))
COUNT_DONE = COUNT_DONE.where(col(BlockResult.stored_at) > SINCE)
COUNT_ACTIVE = select(col(Tournament.state), func.count(), func.min(col(Tournament.started_at)))
COUNT_ACTIVE = COUNT_ACTIVE.where(NOT_OVER, col(Tournament.state).in_(ACTIVE)).group_by(col(Tournament.state))
FIRST_DONE = select(func.min(col(BlockResult.stored_at)))
LAST_DONE = select(func.max(col(BlockResult.stored_at)))
