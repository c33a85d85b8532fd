"""Answers kept for a moment, so that a hundred readers of a page ask the arena once."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")
SECONDS = 1.0  # that what may change is kept
FOR_EVER = float("inf")
MOST = 512  # answers kept; those not asked for longest go first


class Cache:
    """Answers by key. Whoever asks while an answer is on its way waits for that one; errors are not kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, asyncio.Future[Any]]] = OrderedDict()

    async def get(
        self,
        key: Hashable,
        ask: Callable[[], Awaitable[T]],
        seconds: Callable[[T], float] = lambda _: SECONDS,
    ) -> T:
        """The answer, asked for anew if it is older than `seconds` of it."""
        until, future = self._kept.get(key, (0.0, None))
        if future is None or (future.done() and (until < self._clock() or _failed(future))):
            future = asyncio.ensure_future(ask())
            self._kept[key] = FOR_EVER, future
            future.add_done_callback(lambda done: self._arrived(key, done, seconds))
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        answer: T = await asyncio.shield(future)
        return answer

    def _arrived(self, key: Hashable, future: asyncio.Future[Any], seconds: Callable[[Any], float]) -> None:
        if not _failed(future) and key in self._kept:
            self._kept[key] = self._clock() + seconds(future.result()), future


def _failed(future: asyncio.Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None
