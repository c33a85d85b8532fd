"""Time as stored in tables: milliseconds since 1970, UTC."""

import time
from collections.abc import Callable

Clock = Callable[[], int]

HOUR, DAY = 3_600_000, 86_400_000
EVERY = 5.0  # seconds between two readings of a database's clock
SLEW = 0.01  # share of the time passed by which a clock drifts at most to follow another


def now() -> int:
    """Return the time of this machine's clock, which may be set."""
    return time.time_ns() // 1_000_000


def monotonic() -> int:
    """Return milliseconds of a clock that is never set, from an arbitrary start."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """A clock that follows the database's without its steps; safe for threads.

    It starts at the given time and counts by itself; `follow` makes it drift towards the database's clock, so
    that a step of an hour takes four days to catch up, and leases are not affected.
    """

    def __init__(self, start: int, counter: Clock = monotonic) -> None:
        self._counter = counter
        self._followed = counter()
        self._offset = start - self._followed

    def __call__(self) -> int:
        return self._counter() + self._offset

    def follow(self, other: int) -> None:
        """Drift towards the time of the database's clock."""
        count = self._counter()
        most = int(SLEW * (count - self._followed))
        self._offset += max(-most, min(other - self(), most))
        self._followed = count

    def shift_time(self, by: int) -> None:
        """Shift the time by this many ms."""
        self._offset += by
