"""The time as the tables have it."""

import time
from collections.abc import Callable

Clock = Callable[[], int]

DAY = 86_400_000


def now() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000
