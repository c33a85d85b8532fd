"""What is watched: one source for all who watch a thing, each told the state that it has not seen yet.

A feed keeps a state and no history. Who is slow, or was away, is told the newest state once: nobody waits for
a slow reader, nothing is queued for him, and nothing can be lost or told twice.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any

from maumau.errors import MaumauError
from services.shared import log

LINGER = 10.0  # seconds that a feed goes on after its last watcher: a page that is loaded again finds it
EACH, LONGEST_REST = 0.001, 1.0  # seconds of rest after a change was told, for each watcher, and at most
PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0)  # seconds before further tries, the last one again and again

logger = log.get(__name__)


class Feed:
    """The state of one thing; silent_since: when (time.time) its source fell silent, if `trouble` is set."""

    def __init__(self) -> None:
        self.view: Any = None
        self.deal: Any = None
        self.version = 0
        self.changes = 0
        """Of the state, told or still to be told."""
        self.trouble: MaumauError | None = None
        self.silent_since = 0.0
        self.over = False
        self.watchers = 0
        self.cache: dict[Any, Any] = {}
        """What was made of this version, for all who want it."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._rests_until = 0.0  # on the monotonic clock
        self._telling: asyncio.TimerHandle | None = None

    def tell(self) -> None:
        """The state has changed. Many watchers are told less often: that takes time from those who play."""
        self.changes += 1
        if self._telling is None:
            wait = self._rests_until - time.monotonic()
            if wait > 0:
                self._telling = asyncio.get_running_loop().call_later(wait, self._tell)
            else:
                self._tell()

    def _tell(self) -> None:
        self._telling = None
        self._rests_until = time.monotonic() + min(EACH * self.watchers, LONGEST_REST)
        self.version += 1
        self.cache.clear()
        for waiting in self._waiting:
            _wake(waiting)
        self._waiting = set()

    def fail(self, error: MaumauError) -> None:
        """The source does not answer."""
        if self.trouble is None:
            self.silent_since = time.time()
            self.trouble = error
            self.tell()

    def recover(self) -> None:
        """The source answers again."""
        if self.trouble is not None:
            self.trouble = None
            self.tell()

    async def wait(self, version: int, seconds: float) -> None:
        """Until the state is another than this version, or for so many seconds."""
        if self.version != version:
            return
        loop = asyncio.get_running_loop()
        waiting = loop.create_future()
        self._waiting.add(waiting)
        timer = loop.call_later(seconds, _wake, waiting)  # cheaper than asyncio.timeout: decision 43
        try:
            await waiting
        finally:
            timer.cancel()
            self._waiting.discard(waiting)


def _wake(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


Source = Callable[[Feed], Awaitable[None]]


class Hub:
    """The feeds by what they are of; each has one task while somebody watches it."""

    def __init__(self, linger: float = LINGER) -> None:
        self._feeds: dict[Hashable, tuple[Feed, asyncio.Task[None]]] = {}
        self._linger = linger

    def __len__(self) -> int:
        return len(self._feeds)

    @property
    def watchers(self) -> int:
        """Of all feeds."""
        return sum(feed.watchers for feed, _ in self._feeds.values())

    def find(self, key: Hashable) -> Feed | None:
        """The feed, if somebody watches it."""
        found = self._feeds.get(key)
        return found and found[0]

    @asynccontextmanager
    async def watching(self, key: Hashable, source: Source) -> AsyncIterator[Feed]:
        """The feed of this thing, for one watcher more."""
        if key not in self._feeds:
            feed = Feed()
            self._feeds[key] = feed, asyncio.create_task(_run(feed, source), name=f"feed {key}")
        feed, task = self._feeds[key]
        feed.watchers += 1
        try:
            yield feed
        finally:
            feed.watchers -= 1
            if not feed.watchers:
                asyncio.get_running_loop().call_later(self._linger, self._end, key, task)

    def _end(self, key: Hashable, task: asyncio.Task[None]) -> None:
        found = self._feeds.get(key)
        if found and found[1] is task and not found[0].watchers:
            del self._feeds[key]
            task.cancel()

    async def close(self) -> None:
        """Ends all sources."""
        tasks = [task for _, task in self._feeds.values()]
        self._feeds.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _run(feed: Feed, source: Source) -> None:
    """The source again and again, until it says that nothing more will happen."""
    tries = 0
    while not feed.over:
        changes = feed.changes
        try:
            await source(feed)
        except MaumauError as error:
            feed.fail(error)
        except Exception:
            logger.exception("a feed failed")
        tries = 0 if feed.changes > changes + 1 else tries + 1
        await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
