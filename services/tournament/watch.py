"""A tournament or a match followed from now, or from a cursor, until it ends."""

from collections.abc import AsyncIterator, Callable, Sequence

import msgspec

from maumau.bot.live import LiveDeal
from services.shared import log
from services.tournament.event import Event, decode
from services.tournament.feed import Batch, Entry, Feeds, Look, Source
from services.tournament.store.live import Live, deals_of
from services.tournament.store.schedule import Schedule
from services.tournament.store.tournament import OVER, Tournaments
from services.tournament.store.watch import Streams, events_of

logger = log.get(__name__)


class Watcher:
    """Whoever watches the same shares a feed. What is seen is made into messages by who is told it."""

    def __init__(
        self, tournaments: Tournaments, schedule: Schedule, streams: Streams, live: Live, feeds: Feeds
    ) -> None:
        self.tournaments, self.schedule, self.streams, self.live = tournaments, schedule, streams, live
        self.feeds = feeds

    async def tournament(
        self, tournament_id: str, cursor: str, say: Callable[[Sequence[tuple[str, Event]]], list[bytes]]
    ) -> AsyncIterator[Batch]:
        """say: events, with their cursors, as messages."""

        def look() -> Look:
            return Look(self._over(tournament_id), b"")

        def say_events(entries: Sequence[Entry]) -> list[bytes]:
            events = [(at, event) for at, entry in entries if (event := _read_event(entry))]
            return say(events)

        source = Source(events_of(tournament_id), look, say_events, _note_nothing)
        async with self.feeds.joined(source) as feed:
            async for batch in feed.follow(cursor):
                yield batch

    async def match(
        self, match_id: str, cursor: str, idle: float, show: Callable[[], bytes],
        say: Callable[[str, Sequence[LiveDeal]], bytes],
    ) -> AsyncIterator[Batch]:  # fmt: skip
        """With `idle` it ends after that long without a deal. show: its picture; say: pieces of deals."""

        def look() -> Look:
            over = self._is_decided(match_id)
            return Look(over, show())

        def say_deals(entries: Sequence[Entry]) -> list[bytes]:
            return [say(at, msgspec.json.decode(entry, type=list[LiveDeal])) for at, entry in entries]

        source = Source(deals_of(match_id), look, say_deals, lambda: self.live.watch(match_id))
        async with self.feeds.joined(source) as feed:
            async for batch in feed.follow(cursor, idle):
                yield batch

    def _over(self, tournament_id: str) -> bool:
        """Ended, with its last event in the stream."""
        ended = self.tournaments.find(tournament_id).state in OVER
        return ended and not self.streams.untold(tournament_id)

    def _is_decided(self, match_id: str) -> bool:
        row, state = self.schedule.standing(match_id)
        return row != "playing" or state in OVER


async def _note_nothing() -> None:
    """Nobody has to know that a tournament is watched."""


def _read_event(entry: str) -> Event | None:
    """None for an event of a newer version: watchers of this one do without it."""
    try:
        return decode(entry)
    except msgspec.DecodeError as err:
        logger.warning("event skipped", words=str(err))
        return None
