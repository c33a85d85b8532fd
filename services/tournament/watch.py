"""A tournament or a match followed from now, or from a cursor, until it ends."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec

from maumau.bot.live import LiveDeal
from maumau.errors import ArenaUnreachable
from services.shared import log
from services.tournament.event import Event, decode
from services.tournament.store.live import Live, deals_of
from services.tournament.store.schedule import Schedule
from services.tournament.store.stream import Reader, Stream
from services.tournament.store.tournament import OVER, Tournaments
from services.tournament.store.watch import RedisError, Streams, events_of

WAIT = 1000  # ms that a read waits for news

logger = log.get(__name__)


class Watcher:
    """Yields None where the watcher needs a new picture, else a cursor with what happened."""

    def __init__(
        self, tournaments: Tournaments, schedule: Schedule, streams: Streams, live: Live, reader: Reader,
        stopping: asyncio.Event,
    ) -> None:  # fmt: skip
        self.tournaments, self.schedule, self.streams, self.live = tournaments, schedule, streams, live
        self.reader, self.stopping = reader, stopping

    async def tournament(self, tournament_id: str, cursor: str) -> AsyncIterator[tuple[str, Event] | None]:
        """A new picture is needed first, and after a loss."""
        yield None
        async for news in self._news(events_of(tournament_id), cursor, lambda: self._over(tournament_id)):
            if news is None:
                yield None
            for at, entry in news or ():
                if event := _read_event(entry):
                    yield at, event

    async def match(
        self, match_id: str, cursor: str, idle: float
    ) -> AsyncIterator[tuple[str, LiveDeal] | None]:
        """A new picture may be needed once a second. With `idle` it ends after that long without a deal."""
        told = time.monotonic()
        await self.live.watch(match_id)
        yield None
        async for news in self._news(deals_of(match_id), cursor, lambda: self._is_decided(match_id)):
            await self.live.watch(match_id)
            yield None
            told = time.monotonic() if news else told
            if 0 < idle < time.monotonic() - told:
                return
            for at, entry in news or ():
                for deal in msgspec.json.decode(entry, type=list[LiveDeal]):
                    yield at, deal

    async def _news(
        self, stream: Stream, cursor: str, is_over: Callable[[], bool]
    ) -> AsyncIterator[Sequence[tuple[str, str]] | None]:
        """Entries with their cursors, none once a second, until there are no more; None after a loss."""
        while not self.stopping.is_set():
            over = await asyncio.to_thread(is_over)
            try:
                news = await self.reader.read(stream, cursor, 1 if over else WAIT)
            except RedisError:
                if over:
                    return
                await self._pause()
                yield ()
                continue
            cursor = news.cursor
            yield None if news.lost else news.entries
            if over and not news.lost and not news.entries:
                return
        raise ArenaUnreachable("The tournament service stops; watch again from the last cursor.")

    def _over(self, tournament_id: str) -> bool:
        """Ended, with its last event in the stream."""
        ended = self.tournaments.find(tournament_id).state in OVER
        return ended and not self.streams.untold(tournament_id)

    def _is_decided(self, match_id: str) -> bool:
        row, state = self.schedule.standing(match_id)
        return row != "playing" or state in OVER

    async def _pause(self) -> None:
        """A second, or less if the service stops."""
        try:
            await asyncio.wait_for(self.stopping.wait(), WAIT / 1000)
        except TimeoutError:
            return


def _read_event(entry: str) -> Event | None:
    """None for an event of a newer version: watchers of this one do without it."""
    try:
        return decode(entry)
    except msgspec.DecodeError as err:
        logger.warning("event skipped", words=str(err))
        return None
