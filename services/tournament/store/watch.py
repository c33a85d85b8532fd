"""The stream of a contest's events, made of the outbox. Events not yet told wait there."""

from collections.abc import Iterable
from itertools import groupby
from operator import attrgetter
from typing import Any

import msgspec
from redis.exceptions import RedisError
from sqlalchemy import bindparam, delete, func, select
from sqlmodel import col

from services.shared import log
from services.shared.connect import Database
from services.tournament.event import Event, decode, encode
from services.tournament.models import Outbox
from services.tournament.store.stream import Stream, Writer

MAX_EVENTS = 10_000  # events of a contest
TTL = 7 * 86_400  # seconds after its last event

AT_ONCE = 200  # events
UNTOLD = select(Outbox).order_by(col(Outbox.id)).limit(AT_ONCE)
FIRST_UNTOLD = select(col(Outbox.created_at)).order_by(col(Outbox.id)).limit(bindparam("most")).subquery()
COUNT_UNTOLD = select(func.count(), func.min(FIRST_UNTOLD.c.created_at))
TOLD = delete(Outbox).where(col(Outbox.id).in_(bindparam("told", expanding=True)))

logger = log.get(__name__)


def events_of(contest_id: str) -> Stream:
    return Stream("contest", contest_id, "events", MAX_EVENTS, TTL)


class Streams:
    """Appends to the streams; `client` is a Redis client that never sends twice."""

    def __init__(self, database: Database, client: Any) -> None:
        self.database, self._writer = database, Writer(client)

    def append_event(self, contest_id: str, event: Event) -> None:
        """Tells an event that is not worth keeping if it cannot be told."""
        self._writer.append(events_of(contest_id), encode(event))

    def empty_outbox(self) -> int:
        """Tells what waits in the outbox, oldest first; RedisError at the first that cannot be told.

        An event that this version cannot read is skipped and logged: it must not keep the others back.
        """
        count = 0
        while rows := self._waiting():
            by_contest = attrgetter("contest_id")  # among events of one contest the order stays
            for contest_id, theirs in groupby(sorted(rows, key=by_contest), by_contest):
                self._writer.append_once(events_of(contest_id), read_events(theirs))
            with self.database.write() as session:
                session.execute(TOLD, {"told": [row.id for row in rows]})
            count += len(rows)
        return count

    def count_untold(self, most: int) -> tuple[int, int]:
        """How many events wait, counted up to `most`, and since when the first does, ms since 1970, or 0."""
        with self.database.read() as session:
            count, since = session.execute(COUNT_UNTOLD, {"most": most}).one()
            return count, since or 0

    def untold(self, contest_id: str) -> bool:
        with self.database.read() as session:
            mine = select(func.count()).where(col(Outbox.contest_id) == contest_id)
            return bool(session.scalar(mine))

    def _waiting(self) -> list[Outbox]:
        with self.database.read() as session:
            return list(session.scalars(UNTOLD))


def read_events(rows: Iterable[Outbox]) -> dict[int, bytes]:
    """The events that this version can read, by the numbers of their rows, which are stored."""
    found: dict[int, bytes] = {}
    for row in rows:
        assert row.id
        try:
            found[row.id] = encode(decode(row.event))
        except msgspec.DecodeError as err:
            logger.warning("event skipped", outbox=row.id, contest=row.contest_id, words=str(err))
    return found


__all__ = ["RedisError", "Streams", "events_of"]
