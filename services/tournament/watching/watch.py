"""Watching of a tournament or a match from now, or from a cursor, until it ends."""

from collections.abc import AsyncIterator, Callable, Sequence

import msgspec

from maumau.protocol.live import LiveDeal
from services.shared.base import log
from services.tournament.domain.event import Event, decode_event
from services.tournament.store.broadcast.live import Live, deals_of
from services.tournament.store.broadcast.watch import Streams, events_of
from services.tournament.store.contests.schedule import Schedule
from services.tournament.store.contests.tournament import OVER, Tournaments
from services.tournament.watching.feed import Batch, Entry, Feeds, Look, Source

logger = log.get(__name__)


class Watcher:
    """Watchers of the same stream share a feed; the caller encodes what it brings as messages."""

    def __init__(
        self, tournaments: Tournaments, schedule: Schedule, streams: Streams, live: Live, feeds: Feeds
    ) -> None:
        self.tournaments, self.schedule, self.streams, self.live = tournaments, schedule, streams, live
        self.feeds = feeds

    async def watch_tournament(
        self, tournament_id: str, cursor: str, say: Callable[[Sequence[tuple[str, Event]]], list[bytes]]
    ) -> AsyncIterator[Batch]:
        """Follow a tournament's events. say: encodes events, with their cursors, as messages."""

        def look() -> Look:
            return Look(self._is_over(tournament_id), b"")

        def say_events(entries: Sequence[Entry]) -> list[bytes]:
            events = [(at, event) for at, entry in entries if (event := _read_event(entry))]
            return say(events)

        source = Source(events_of(tournament_id), look, say_events, _note_nothing)
        async with self.feeds.join_feed(source) as feed:
            async for batch in feed.follow_stream(cursor):
                yield batch

    async def watch_match(
        self,
        match_id: str,
        cursor: str,
        idle: float,
        show: Callable[[], bytes],
        say: Callable[[str, Sequence[LiveDeal]], bytes],
    ) -> AsyncIterator[Batch]:
        """Follow a match, with `idle` until no deal came for so long. show: its picture; say: deals."""

        def look() -> Look:
            over = self._is_decided(match_id)
            return Look(over, show())

        async for batch in self._follow_deals(match_id, cursor, idle, look, say):
            yield batch

    async def job(
        self,
        job_id: str,
        cursor: str,
        is_over: Callable[[], bool],
        say: Callable[[str, Sequence[LiveDeal]], bytes],
    ) -> AsyncIterator[Batch]:
        """Follow the deals of a job until it is over. say: encodes deals, with their cursor, as a message."""

        def look() -> Look:
            return Look(is_over(), b"")

        async for batch in self._follow_deals(job_id, cursor, 0, look, say):
            yield batch

    async def _follow_deals(
        self,
        job_id: str,
        cursor: str,
        idle: float,
        look: Callable[[], Look],
        say: Callable[[str, Sequence[LiveDeal]], bytes],
    ) -> AsyncIterator[Batch]:
        """Follow the deals of a match or another job, which counts as watched meanwhile."""

        def say_deals(entries: Sequence[Entry]) -> list[bytes]:
            return [say(at, msgspec.json.decode(entry, type=list[LiveDeal])) for at, entry in entries]

        source = Source(deals_of(job_id), look, say_deals, lambda: self.live.mark_watched(job_id))
        async with self.feeds.join_feed(source) as feed:
            async for batch in feed.follow_stream(cursor, idle):
                yield batch

    def _is_over(self, tournament_id: str) -> bool:
        """Return True if it has ended and its last event is in the stream."""
        ended = self.tournaments.find_tournament(tournament_id).state in OVER
        return ended and not self.streams.has_untold(tournament_id)

    def _is_decided(self, match_id: str) -> bool:
        row, state = self.schedule.read_standing(match_id)
        return row != "playing" or state in OVER


async def _note_nothing() -> None:
    """Do nothing: watching leaves no trace in a tournament."""


def _read_event(entry: str) -> Event | None:
    """Return an event; None for one of a newer version, which watchers of this one do without."""
    try:
        return decode_event(entry)
    except msgspec.DecodeError as err:
        logger.warning("event skipped", words=str(err))
        return None
