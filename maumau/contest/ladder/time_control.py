"""The clocks of a live table, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from maumau.errors import BadClock

BOUNDS: Final = {
    "bank_ms": (100, 86_400_000),
    "increment_ms": (0, 600_000),
    "window_ms": (100, 600_000),
    "join_ms": (100, 600_000),
}


class TimeControl(Struct, frozen=True):
    """Milliseconds by the clock on the wall: of a seat, given back for an answer, of a window, to come."""

    bank_ms: int = 60_000
    increment_ms: int = 1000
    window_ms: int = 8000
    join_ms: int = 60_000


def read_time_control(given: Mapping[str, int]) -> TimeControl:
    """Return the time control with defaults for missing clocks; raise BadClock for a value out of bounds."""
    for name, value in given.items():
        least, most = BOUNDS[name]
        if not least <= value <= most:
            raise BadClock(
                f"{name} is {value:,}; it is {least:,} to {most:,} milliseconds.", field=f"time.{name}"
            )
    return TimeControl(**given)


def read_seconds(**given: float) -> TimeControl:
    """Return the time control of bank, increment, window and join in seconds; raise BadClock if invalid."""
    for name, value in given.items():
        least, most = (bound / 1000 for bound in BOUNDS[f"{name}_ms"])
        if not least <= value <= most:  # nor is nan
            raise BadClock(
                f"{name} is {value:,g}; it is {least:g} to {most:,g} seconds.", field=f"time.{name}_ms"
            )
    return TimeControl(**{f"{name}_ms": round(1000 * value) for name, value in given.items()})
