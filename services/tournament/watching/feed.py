"""A feed of a stream: one task reads for all watchers in this process, and encodes each entry once."""

import asyncio
import time
from asyncio import to_thread
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from typing import NamedTuple

from maumau.errors import ArenaUnreachable
from services.tournament.store.broadcast.stream import Entries, EventStream, Reader, is_ahead
from services.tournament.store.broadcast.watch import RedisError

WAIT = 1000  # ms that a read waits for new entries
GATHER = 0.5  # seconds for which entries are gathered after the first, to be sent together
RECENT = 64  # batches that are kept for slow watchers

Entry = tuple[str, str]  # cursor and text


class Look(NamedTuple):
    """A look at the subject of a feed: whether it is over, and its picture, which may be empty."""

    over: bool
    picture: bytes


class Source(NamedTuple):
    """The source of a feed. `look` and `say` are called in threads.

    say: encodes entries as messages. note: called once per round.
    """

    stream: EventStream
    look: Callable[[], Look]
    say: Callable[[Sequence[Entry]], list[bytes]]
    note: Callable[[], Awaitable[None]]


class Batch(NamedTuple):
    """News after a cursor: messages of entries, and the picture if it changed.

    cursor: the cursor after them. lost: entries in between are gone. old: read for a single watcher who
    joined late.
    """

    cursor: str
    messages: Sequence[bytes] = ()
    picture: bytes = b""
    lost: bool = False
    old: bool = False


class Feed:
    """A stream's feed for one event loop; reads until it is closed or the source is over."""

    def __init__(self, source: Source, reader: Reader, stopping: asyncio.Event) -> None:
        self.source, self.reader, self.stopping = source, reader, stopping
        self.watchers, self.ended = 0, False
        self._cursor, self._picture, self._count = "", b"", 0
        self._recent: deque[Batch] = deque(maxlen=RECENT)
        self._error: Exception | None = None
        self._begun, self._changed = asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(
            self._run_loop(), context=Context()
        )  # it belongs to no call's context

    def close(self) -> None:
        self._task.cancel()

    async def follow_stream(self, cursor: str, idle: float = 0.0) -> AsyncIterator[Batch]:
        """Yield the picture, then batches after a cursor; with `idle`, end after such a time without news."""
        await self._begun.wait()
        if is_ahead(cursor, self._cursor):  # it came from a replica that had read further
            await self._await_change(2 * WAIT / 1000)
        last_at, count = time.monotonic(), -1
        while True:
            if not 0 <= self._count - count <= len(self._recent):  # new here, or too slow for kept batches
                count, end = self._count, self._cursor
                yield Batch(cursor, picture=self._picture)
                news = self._catch_up(cursor, end)
            else:
                news = self._yield_since(count)
            async for batch in news:
                count += not batch.old
                cursor, last_at = batch.cursor, time.monotonic() if batch.messages else last_at
                yield batch
            left = last_at + idle - time.monotonic() if idle else None
            if self._count == count and (self.ended or (left is not None and left <= 0)):
                self._raise_error()
                return
            if self._count == count:
                await self._await_change(left)

    async def _yield_since(self, count: int) -> AsyncIterator[Batch]:
        """Yield the batches after this count, as long as they are kept."""
        while 0 < (behind := self._count - count) <= len(self._recent):
            count += 1
            yield self._recent[-behind]

    async def _catch_up(self, cursor: str, end: str) -> AsyncIterator[Batch]:
        """Yield the entries after the cursor, up to `end`."""
        while True:
            try:
                news = await self.reader.read_until(self.source.stream, cursor, end)
            except RedisError:
                if self.ended:
                    return
                await self._sleep_unless_stopping(WAIT / 1000)
                continue
            if not news.lost and not news.entries:
                return
            yield (await self._build_batch(news))._replace(old=True)
            cursor = news.cursor

    async def _build_batch(self, news: Entries, picture: bytes = b"") -> Batch:
        messages = await to_thread(self.source.say, news.entries) if news.entries else ()
        return Batch(news.cursor, messages, picture, news.lost)

    async def _await_change(self, seconds: float | None) -> None:
        if seconds is None:
            await self._changed.wait()
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)

    def _raise_error(self) -> None:
        if self._error:
            raise self._error
        if self.ended and self.stopping.is_set():
            raise ArenaUnreachable("The tournament service is stopping; watch again from the last cursor.")

    async def _run_loop(self) -> None:
        try:
            while not self.stopping.is_set() and not await self._read_round():
                pass
        except Exception as error:  # noqa: BLE001 - each watcher gets the error
            self._error = error
        finally:
            self.ended = True
            self._begun.set()
            self._wake_followers()

    async def _read_round(self) -> bool:
        """Read once, for at most a second; return True if the source is over and all has been read."""
        over, picture = await to_thread(self.source.look)
        await self.source.note()
        try:
            news = await self._read_entries(1 if over else WAIT)
            self._begun.set()
        except RedisError:
            news = Entries([], lost=False, cursor=self._cursor)
            await self._sleep_unless_stopping(0 if over else WAIT / 1000)
        changed = picture if picture != self._picture else b""
        batch = await self._build_batch(news, changed)
        self._cursor, self._picture = batch.cursor, picture
        if batch.messages or changed or batch.lost:
            self._recent.append(batch)
            self._count += 1
            self._wake_followers()
        if news.entries:
            await self._sleep_unless_stopping(GATHER)
        return over and not news.lost and not news.entries

    async def _read_entries(self, wait_ms: int) -> Entries:
        """Read new entries; the first time only find the end, since watchers read earlier ones themselves."""
        if self._begun.is_set():
            return await self.reader.read(self.source.stream, self._cursor, wait_ms)
        cursor = await self.reader.read_last(self.source.stream)
        return Entries([], lost=False, cursor=cursor)

    def _wake_followers(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _sleep_unless_stopping(self, seconds: float) -> None:
        """Sleep this long, or less if the service stops."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.stopping.wait(), seconds)


class Feeds:
    """Feeds by stream, kept as long as they have watchers."""

    def __init__(self, reader: Reader, stopping: asyncio.Event) -> None:
        self.reader, self.stopping = reader, stopping
        self.feeds: dict[EventStream, Feed] = {}

    @asynccontextmanager
    async def join_feed(self, source: Source) -> AsyncIterator[Feed]:
        """Join the feed of a stream for the duration of the context."""
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
