"""Feeds for watchers: one source for all watchers of a page, each of whom gets the state not seen yet.

A feed keeps a state and no history. A slow or returning reader gets the newest state once: others do not
wait for slow readers, nothing is queued for them, and nothing can be lost or sent twice.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Protocol

from maumau.errors import MaumauError
from services.shared.base import log

LINGER = 10.0  # seconds that a feed outlives its last watcher: a reloaded page finds it
EACH, LONGEST_REST = 0.0014, 1.4  # seconds of rest after a change was sent, for each watcher, and at most
READ_AHEAD = 0.1  # seconds before the end of the rest in which a source reads what is told then
BEAT = 5.0  # seconds without a change after which readers get a heartbeat
TOLD_IN_A_ROW = 100  # readers that are told in a row
PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0)  # seconds before further tries, the last one repeatedly

logger = log.get(__name__)


class FeedListener(Protocol):
    """A reader of a feed. Both methods return at once."""

    def hear_change(self) -> None:
        """Take note that the feed has changed."""

    def hear_beat(self, now: float) -> None:
        """Take note of the time (time.time), since nothing else has happened."""


class Feed:
    """The state of a page; silent_since: when (time.time) its source fell silent, if `trouble` is set."""

    def __init__(self) -> None:
        self.view: Any = None
        self.deal: Any = None
        self.version = 0
        self.changes = 0
        """Changes of the state, sent or pending."""
        self.trouble: MaumauError | None = None
        self.silent_since = 0.0
        self.over = False
        self.least_rest = 0.0  # seconds between two messages, however few the watchers
        self.watchers = 0
        self.cache: dict[Any, Any] = {}
        """Renderings of this version, shared by all readers."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._readers: dict[FeedListener, None] = {}  # in the order in which they came
        self._is_due = False  # to tell them of a change
        self._told_at = 0.0  # the readers, on the monotonic clock
        self._beating: asyncio.TimerHandle | None = None
        self._rests_until = 0.0  # on the monotonic clock
        self._telling: asyncio.TimerHandle | None = None

    def publish_change(self) -> None:
        """Publish a change of the state; with many watchers less often, to spare the CPU for play."""
        self.changes += 1
        if self._telling is None:
            wait = self._rests_until - time.monotonic()
            if wait > 0:
                self._telling = asyncio.get_running_loop().call_later(wait, self._publish_now)
            else:
                self._publish_now()

    @property
    def _rest(self) -> float:
        """The seconds of rest after a change was sent."""
        return max(self.least_rest, min(EACH * self.watchers, LONGEST_REST))

    def find_pause(self) -> float:
        """Return the seconds until its source had best read the state again.

        That is shortly before readers are told next; what is read earlier is not sent earlier. If that is
        now, it has just been read, and the time after counts.
        """
        wait = self._rests_until - time.monotonic()
        if wait <= 0:
            return 0.0
        return max(0.0, (wait if wait > READ_AHEAD else wait + self._rest) - READ_AHEAD)

    def _publish_now(self) -> None:
        self._telling = None
        self._rests_until = time.monotonic() + self._rest
        self.version += 1
        self.cache.clear()
        for waiting in self._waiting:
            _wake_waiting(waiting)
        self._waiting = set()
        if self._readers and not self._is_due:  # what is published in a row is told together
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._tell_change)

    @contextmanager
    def read_by(self, reader: FeedListener) -> Iterator[None]:
        """Tell a reader of every change, and of the time if there is none for BEAT seconds."""
        self._readers[reader] = None
        if self._beating is None:
            self._told_at = time.monotonic()
            self._beat()
        try:
            yield
        finally:
            del self._readers[reader]
            if not self._readers and self._beating:
                self._beating.cancel()
                self._beating = None

    def _beat(self) -> None:
        """Send a heartbeat if it is due: one timer serves all readers."""
        if time.monotonic() - self._told_at >= BEAT:
            now = time.time()
            self._tell_readers(lambda reader: reader.hear_beat(now))
        wait = self._told_at + BEAT - time.monotonic()
        self._beating = asyncio.get_running_loop().call_later(wait, self._beat)

    def _tell_change(self) -> None:
        self._is_due = False
        self._tell_readers(lambda reader: reader.hear_change())

    def _tell_readers(self, tell: Callable[[FeedListener], None]) -> None:
        self._told_at = time.monotonic()
        self._tell_some(tell, tuple(self._readers))

    def _tell_some(self, tell: Callable[[FeedListener], None], readers: tuple[FeedListener, ...]) -> None:
        """Tell these readers; between TOLD_IN_A_ROW of them and the next, others have their turn."""
        for reader in readers[:TOLD_IN_A_ROW]:
            if reader in self._readers:
                tell(reader)
        if rest := readers[TOLD_IN_A_ROW:]:
            asyncio.get_running_loop().call_soon(self._tell_some, tell, rest)

    def publish_view(self, view: object) -> None:
        """Publish the state that the source has just read, if it differs from the last one."""
        self.record_recovery()
        if view != self.view:
            self.view = view
            self.publish_change()

    def record_failure(self, error: MaumauError) -> None:
        """Record that the source does not answer."""
        if self.trouble is None:
            self.silent_since = time.time()
            self.trouble = error
            self.publish_change()

    def record_recovery(self) -> None:
        """Record that the source answers again."""
        if self.trouble is not None:
            self.trouble = None
            self.publish_change()

    async def await_change(self, version: int, seconds: float) -> None:
        """Wait until the version differs from this one, or for at most this many seconds."""
        if self.version != version:
            return
        loop = asyncio.get_running_loop()
        waiting = loop.create_future()
        self._waiting.add(waiting)
        timer = loop.call_later(seconds, _wake_waiting, waiting)  # cheaper than asyncio.timeout: decision 43
        try:
            await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)


def _wake_waiting(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


Source = Callable[[Feed], Awaitable[None]]


class Hub:
    """Feeds by page; each has one task while it has watchers."""

    def __init__(self, linger: float = LINGER) -> None:
        self._feeds: dict[Hashable, tuple[Feed, asyncio.Task[None]]] = {}
        self._linger = linger

    def __len__(self) -> int:
        return len(self._feeds)

    @property
    def watchers(self) -> int:
        """The number of watchers of all feeds."""
        return sum(feed.watchers for feed, _ in self._feeds.values())

    def find_feed(self, key: Hashable) -> Feed | None:
        """Return a feed, if it has watchers."""
        found = self._feeds.get(key)
        return found and found[0]

    @asynccontextmanager
    async def watch_feed(self, key: Hashable, source: Source) -> AsyncIterator[Feed]:
        """Yield the feed of a page, counting one more watcher."""
        if key not in self._feeds:
            feed = Feed()
            self._feeds[key] = feed, asyncio.create_task(_run_source(feed, source), name=f"feed {key}")
        feed, task = self._feeds[key]
        feed.watchers += 1
        try:
            yield feed
        finally:
            feed.watchers -= 1
            if not feed.watchers:
                asyncio.get_running_loop().call_later(self._linger, self._end_feed, key, task)

    def _end_feed(self, key: Hashable, task: asyncio.Task[None]) -> None:
        found = self._feeds.get(key)
        if found and found[1] is task and not found[0].watchers:
            del self._feeds[key]
            task.cancel()

    async def close(self) -> None:
        """End all sources."""
        tasks = [task for _, task in self._feeds.values()]
        self._feeds.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run_source(feed: Feed, source: Source) -> None:
    """Run the source repeatedly, until nothing more will happen."""
    tries = 0
    while not feed.over:
        changes = feed.changes
        try:
            await source(feed)
        except MaumauError as error:
            feed.record_failure(error)
        except Exception:
            logger.exception("a feed failed")
        tries = 0 if feed.changes > changes + 1 else tries + 1
        await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
