"""Tells the streams of this process that a version may have changed; other replicas' changes are polled."""

import asyncio


class News:
    """Many wait, anyone tells; nothing is lost between two waits of one that reads in between."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def tell(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    @property
    def next(self) -> asyncio.Event:
        """Set at the next change; take it before reading the state."""
        return self._next


async def first(events: list[asyncio.Event], seconds: float) -> None:
    """Until one of them is set, or the time is over."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
