"""Those who wait for something, woken when there may be some."""

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
    """Belongs to one event loop. Whoever listens to something has an event of its own, which stays set."""

    def __init__(self) -> None:
        self._listening: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def listen(self, key: str) -> Iterator[asyncio.Event]:
        """Set whenever this is signalled."""
        event = asyncio.Event()
        self._listening[key].add(event)
        try:
            yield event
        finally:
            self._listening[key].discard(event)
            if not self._listening[key]:
                del self._listening[key]

    def send(self, key: str) -> None:
        """To all who listen."""
        for event in self._listening.get(key, ()):
            event.set()
