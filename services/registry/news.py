"""Wake-up of streams in this process after a change of a version; other replicas' changes are polled."""

import asyncio
from collections.abc import Callable


class News:
    """Change events for many waiters; none is missed by a waiter that takes `next` before it reads."""

    def __init__(self) -> None:
        self._next = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []

    def add_listener(self, listener: Callable[[], None]) -> None:
        """Call this function at every change, too."""
        self._listeners.append(listener)

    def notify_listeners(self) -> None:
        self._next.set()
        self._next = asyncio.Event()
        for listener in self._listeners:
            listener()

    @property
    def next(self) -> asyncio.Event:
        """The event of the next change; take it before reading the state."""
        return self._next


async def await_first(events: list[asyncio.Event], seconds: float) -> None:
    """Wait until one of the events is set, or the time is over."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
