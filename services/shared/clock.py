"""The time as the tables have it: milliseconds since 1970, UTC."""

import time
from collections.abc import Callable

Clock = Callable[[], int]

HOUR, DAY = 3_600_000, 86_400_000
EVERY = 5.0  # seconds between two looks at a database's clock
SLEW = 0.01  # of the time passed: as much does a clock gain or lose to follow another


def now() -> int:
    """This machine's clock, which may be set."""
    return time.time_ns() // 1_000_000


def monotonic() -> int:
    """Milliseconds since some moment, by a clock that nobody sets."""
    return time.monotonic_ns() // 1_000_000


class SteadyClock:
    """One clock for all replicas, the database's, that no step of a clock moves. Threads may share it.

    It begins with the time that it is given and then counts by itself; `follow` has it drift towards the
    database's clock, so that an hour's step of that is made up for in four days, and no lease notices.
    """

    def __init__(self, start: int, counter: Clock = monotonic) -> None:
        self._counter = counter
        self._followed = counter()
        self._offset = start - self._followed

    def __call__(self) -> int:
        return self._counter() + self._offset

    def follow(self, other: int) -> None:
        """Told what the database's clock says."""
        count = self._counter()
        most = int(SLEW * (count - self._followed))
        self._offset += max(-most, min(other - self(), most))
        self._followed = count
