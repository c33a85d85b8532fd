"""Wakes those who wait for work or for news."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager


class Bell:
    """Belongs to one event loop. Whoever waits longest is woken first."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, seconds: float) -> bool:
        """Until it rings; False if it did not within so many seconds."""
        if seconds <= 0:
            return False
        rung: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(rung)
        try:
            await asyncio.wait_for(rung, seconds)
        except TimeoutError:
            return False
        finally:
            if rung in self._waiting:
                self._waiting.remove(rung)
        return True

    def ring(self, most: int) -> None:
        """Wakes at most so many."""
        for _ in range(min(most, len(self._waiting))):
            rung = self._waiting.popleft()
            if not rung.done():
                rung.set_result(None)


class Signals:
    """For one event loop. Each listener of a key has an event, which stays set until it clears it."""

    def __init__(self) -> None:
        self._listening: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def listen(self, key: str) -> Iterator[asyncio.Event]:
        """An event that is set by each `notify` of this key."""
        event = asyncio.Event()
        self._listening[key].add(event)
        try:
            yield event
        finally:
            self._listening[key].discard(event)
            if not self._listening[key]:
                del self._listening[key]

    def notify(self, key: str) -> None:
        """Sets the events of all listeners of this key."""
        for event in self._listening.get(key, ()):
            event.set()
