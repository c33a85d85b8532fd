"""A cache of answers, so that a hundred readers of a page cause one query to the arena."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
SECONDS = 1.0  # for which changeable answers are kept
FOR_EVER = float("inf")
MOST = 512  # answers kept; the least recently requested go first


class Cache:
    """Answers by key. Concurrent requests share one query; errors are not kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, asyncio.Future[Any]]] = OrderedDict()

    async def get(
        self,
        key: Hashable,
        ask: Callable[[], Awaitable[T]],
        seconds: Callable[[T], float] = lambda _: SECONDS,
    ) -> T:
        """Return the answer, queried again if it is older than `seconds` of it."""
        until, future = self._kept.get(key, (0.0, None))
        if future is None or (future.done() and (until < self._clock() or _has_failed(future))):
            future = asyncio.ensure_future(ask())
            self._kept[key] = FOR_EVER, future
            future.add_done_callback(lambda done: self._store_answer(key, done, seconds))
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        answer: T = await asyncio.shield(future)
        return answer

    def _store_answer(
        self, key: Hashable, future: asyncio.Future[Any], seconds: Callable[[Any], float]
    ) -> None:
        if not _has_failed(future) and key in self._kept:
            self._kept[key] = self._clock() + seconds(future.result()), future


def _has_failed(future: asyncio.Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None
