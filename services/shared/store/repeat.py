"""Repetition of calls to a database that is away for a moment, if making them twice changes nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from maumau.client.call import Patience
from maumau.errors import DatabaseUnavailable, DiskFull

T = TypeVar("T")

REPEATED = 6.0  # seconds for which a call is usually repeated


async def repeat_call(make: Callable[[], Awaitable[T]], seconds: float = REPEATED) -> T:
    """Return the result of an idempotent call, which is repeated while the database is unavailable or full.

    Raise the last error `seconds` after the first one.
    """
    waiting = Patience(seconds)
    while True:
        try:
            return await make()
        except (DatabaseUnavailable, DiskFull) as error:
            pause = waiting.take_pause(error)
        await asyncio.sleep(pause)
