"""Wake-up of tasks that wait for work or for news."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager


class Bell:
    """A queue of waiting tasks, woken in order of arrival; belongs to one event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_waited_for = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, seconds: float) -> bool:
        """Wait until woken; return False if that does not happen within this many seconds."""
        if seconds <= 0:
            return False
        rung: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(rung)
        self._is_waited_for.set()
        try:
            await asyncio.wait_for(rung, seconds)
        except TimeoutError:
            return False
        finally:
            if rung in self._waiting:
                self._waiting.remove(rung)
            self._note_waiting()
        return True

    async def wait_for_waiter(self) -> None:
        """Wait until a task waits."""
        await self._is_waited_for.wait()

    def wake_waiters(self, most: int) -> None:
        """Wake at most this many."""
        for _ in range(min(most, len(self._waiting))):
            rung = self._waiting.popleft()
            if not rung.done():
                rung.set_result(None)
        self._note_waiting()

    def _note_waiting(self) -> None:
        if not self._waiting:
            self._is_waited_for.clear()


class Signals:
    """Events by key, for one event loop; each listener has its own, which stays set until it clears it."""

    def __init__(self) -> None:
        self._listening: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    @contextmanager
    def open_listener(self, key: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set by each `notify_listeners` of this key."""
        event = asyncio.Event()
        self._listening[key].add(event)
        try:
            yield event
        finally:
            self._listening[key].discard(event)
            if not self._listening[key]:
                del self._listening[key]

    def notify_listeners(self, key: str) -> None:
        """Set the events of all listeners of this key."""
        for event in self._listening.get(key, ()):
            event.set()
