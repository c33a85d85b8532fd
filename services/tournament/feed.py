"""A stream that one task reads for all its watchers in this process: each entry becomes a message once."""

import asyncio
import time
from asyncio import to_thread
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import NamedTuple

from maumau.errors import ArenaUnreachable
from services.tournament.store.stream import Entries, Reader, Stream, is_ahead
from services.tournament.store.watch import RedisError

WAIT = 1000  # ms that a read waits for news
GATHER = 0.5  # seconds in which what comes after news is gathered, and then told together
RECENT = 64  # batches that are kept for slow watchers

Entry = tuple[str, str]  # its cursor and what it says


class Look(NamedTuple):
    """What is watched, as it stands; the picture may be empty."""

    over: bool
    picture: bytes


class Source(NamedTuple):
    """What a feed is of. `look` and `say` are called in threads, `note` once a round.

    say: entries as messages.
    """

    stream: Stream
    look: Callable[[], Look]
    say: Callable[[Sequence[Entry]], list[bytes]]
    note: Callable[[], Awaitable[None]]


class Batch(NamedTuple):
    """What came after a cursor: messages of entries, and the picture if it changed. cursor: after it.

    lost: something between is gone. old: it was read for one watcher, who came late.
    """

    cursor: str
    messages: Sequence[bytes] = ()
    picture: bytes = b""
    lost: bool = False
    old: bool = False


class Feed:
    """Belongs to one event loop; reads from when it is made until it is closed, or what it is of is over."""

    def __init__(self, source: Source, reader: Reader, stopping: asyncio.Event) -> None:
        self.source, self.reader, self.stopping = source, reader, stopping
        self.watchers, self.ended = 0, False
        self._cursor, self._picture, self._count = "", b"", 0
        self._recent: deque[Batch] = deque(maxlen=RECENT)
        self._error: Exception | None = None
        self._begun, self._changed = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._run(), context=Context())  # it is nobody's call

    def close(self) -> None:
        self._task.cancel()

    async def follow(self, cursor: str, idle: float = 0.0) -> AsyncIterator[Batch]:
        """The picture, and what comes after a cursor; with `idle` to so many seconds without an entry."""
        await self._begun.wait()
        if is_ahead(cursor, self._cursor):  # it was given by a replica that had read more
            await self._change(2 * WAIT / 1000)
        told, count = time.monotonic(), -1
        while True:
            if not 0 <= self._count - count <= len(self._recent):  # new here, or slower than what is kept
                count, end = self._count, self._cursor
                yield Batch(cursor, picture=self._picture)
                news = self._catch_up(cursor, end)
            else:
                news = self._since(count)
            async for batch in news:
                count += not batch.old
                cursor, told = batch.cursor, time.monotonic() if batch.messages else told
                yield batch
            left = told + idle - time.monotonic() if idle else None
            if self._count == count and (self.ended or (left is not None and left <= 0)):
                self._raise()
                return
            if self._count == count:
                await self._change(left)

    async def _since(self, count: int) -> AsyncIterator[Batch]:
        """The batches after so many, as far as they are kept."""
        while 0 < (behind := self._count - count) <= len(self._recent):
            count += 1
            yield self._recent[-behind]

    async def _catch_up(self, cursor: str, end: str) -> AsyncIterator[Batch]:
        """What came after the cursor, up to `end`."""
        while True:
            try:
                news = await self.reader.read_until(self.source.stream, cursor, end)
            except RedisError:
                if self.ended:
                    return
                await self._pause(WAIT / 1000)
                continue
            if not news.lost and not news.entries:
                return
            yield (await self._batch(news))._replace(old=True)
            cursor = news.cursor

    async def _batch(self, news: Entries, picture: bytes = b"") -> Batch:
        messages = await to_thread(self.source.say, news.entries) if news.entries else ()
        return Batch(news.cursor, messages, picture, news.lost)

    async def _change(self, seconds: float | None) -> None:
        if seconds is None:
            await self._changed.wait()
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)

    def _raise(self) -> None:
        if self._error:
            raise self._error
        if self.ended and self.stopping.is_set():
            raise ArenaUnreachable("The tournament service stops; watch again from the last cursor.")

    async def _run(self) -> None:
        try:
            while not self.stopping.is_set() and not await self._round():
                pass
        except Exception as error:  # noqa: BLE001 - each watcher is told
            self._error = error
        finally:
            self.ended = True
            self._begun.set()
            self._wake()

    async def _round(self) -> bool:
        """Reads once, for a second at most; whether all has been read."""
        over, picture = await to_thread(self.source.look)
        await self.source.note()
        try:
            news = await self._read(1 if over else WAIT)
            self._begun.set()
        except RedisError:
            news = Entries([], lost=False, cursor=self._cursor)
            await self._pause(0 if over else WAIT / 1000)
        changed = picture if picture != self._picture else b""
        batch = await self._batch(news, changed)
        self._cursor, self._picture = batch.cursor, picture
        if batch.messages or changed or batch.lost:
            self._recent.append(batch)
            self._count += 1
            self._wake()
        if news.entries:
            await self._pause(GATHER)
        return over and not news.lost and not news.entries

    async def _read(self, wait_ms: int) -> Entries:
        """The first time only where the stream ends: what is before is for each watcher to ask for."""
        if self._begun.is_set():
            return await self.reader.read(self.source.stream, self._cursor, wait_ms)
        cursor = await self.reader.last(self.source.stream)
        return Entries([], lost=False, cursor=cursor)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _pause(self, seconds: float) -> None:
        """So long, or less if the service stops."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)


class Feeds:
    """A feed for each stream that somebody watches."""

    def __init__(self, reader: Reader, stopping: asyncio.Event) -> None:
        self.reader, self.stopping = reader, stopping
        self.feeds: dict[Stream, Feed] = {}

    @asynccontextmanager
    async def joined(self, source: Source) -> AsyncIterator[Feed]:
        """The feed of a stream, while somebody has joined it."""
        feed = self.feeds.get(source.stream)
        if feed is None or feed.ended:
            feed = self.feeds[source.stream] = Feed(source, self.reader, self.stopping)
        feed.watchers += 1
        try:
            yield feed
        finally:
            feed.watchers -= 1
            if not feed.watchers:
                feed.close()
                if self.feeds.get(source.stream) is feed:
                    del self.feeds[source.stream]
