"""The stream of a contest's events, filled from the outbox. Unpublished events wait there."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec
from redis.exceptions import RedisError
from sqlalchemy import bindparam, delete, func, select
from sqlmodel import col

from services.shared.base import log
from services.shared.store.connect import Database
from services.tournament.domain.event import Event, decode_event, encode_event
from services.tournament.models import Outbox
from services.tournament.store.broadcast.stream import EventStream, Writer

MAX_EVENTS = 10_000  # events of a contest
TTL = 7 * 86_400  # seconds after its last event

AT_ONCE = 200  # events
UNTOLD = select(Outbox).order_by(col(Outbox.id)).limit(AT_ONCE)
FIRST_UNTOLD = select(col(Outbox.created_at)).order_by(col(Outbox.id)).limit(bindparam("most")).subquery()
COUNT_UNTOLD = select(func.count(), func.min(FIRST_UNTOLD.c.created_at))
TOLD = delete(Outbox).where(col(Outbox.id).in_(bindparam("told", expanding=True)))

logger = log.get(__name__)


def events_of(contest_id: str) -> EventStream:
    return EventStream("contest", contest_id, "events", MAX_EVENTS, TTL)


class Streams:
    """A publisher to the streams; `client` is a Redis client that never sends twice."""

    def __init__(self, database: Database, client: Any) -> None:
        self.database, self._writer = database, Writer(client)

    def append_event(self, contest_id: str, event: Event) -> None:
        """Publish an event directly, for one that is not worth keeping if that fails."""
        self._writer.append_entry(events_of(contest_id), encode_event(event))

    def empty_outbox(self) -> int:
        """Publish the events in the outbox, oldest first; raise RedisError at the first failure.

        An event that this version cannot read is skipped and logged, so that it does not block the others.
        """
        count = 0
        while rows := self._list_waiting():
            by_contest = attrgetter("contest_id")  # among events of one contest the order stays
            for contest_id, theirs in groupby(sorted(rows, key=by_contest), by_contest):
                self._writer.append_once(events_of(contest_id), read_events(theirs))
            with self.database.write() as session:
                session.execute(TOLD, {"told": [row.id for row in rows]})
            count += len(rows)
        return count

    def count_untold(self, most: int) -> tuple[int, int]:
        """Return the number of events waiting, up to `most`, and since when, in ms since 1970, or 0."""
        with self.database.read() as session:
            count, since = session.execute(COUNT_UNTOLD, {"most": most}).one()
            return count, since or 0

    def has_untold(self, contest_id: str) -> bool:
        with self.database.read() as session:
            mine = select(func.count()).where(col(Outbox.contest_id) == contest_id)
            return bool(session.scalar(mine))

    def _list_waiting(self) -> list[Outbox]:
        with self.database.read() as session:
            return list(session.scalars(UNTOLD))


def read_events(rows: Iterable[Outbox]) -> dict[int, bytes]:
    """Return the events that this version can read, by the ids of their rows."""
    found: dict[int, bytes] = {}
    for row in rows:
        assert row.id
        try:
            found[row.id] = encode_event(decode_event(row.event))
        except msgspec.DecodeError as err:
            logger.warning("event skipped", outbox=row.id, contest=row.contest_id, words=str(err))
    return found


__all__ = ["RedisError", "Streams", "events_of"]
