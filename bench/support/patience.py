"""Timeouts that fit a host of any speed: a deadline ends a hang and judges nothing.

It is given in seconds that are plenty on an idle host at the reference pace. Where the probe takes longer by
the clock on the wall, for the core is slow or others use it, everything else takes longer too.
"""

from __future__ import annotations

import time
from functools import lru_cache

from maumau.referee.pace import REFERENCE
from maumau.referee.probe import run_probe

PROBES = 5
FRESH = 10.0  # seconds that a measurement is good for
GENEROUS = 3
"""The factor on requested seconds: a process may have to wait for more than a core."""


def measure_slowness() -> float:
    """Return the wall time of a probe now, relative to the reference; never below 1."""
    run_probe()
    began = time.monotonic()
    for _ in range(PROBES):
        run_probe()
    return max(1.0, (time.monotonic() - began) / PROBES / REFERENCE)


def patient(seconds: float) -> float:
    """Return the equivalent of these seconds on this host, as busy as it is now."""
    return GENEROUS * seconds * _measure_slowness(int(time.monotonic() / FRESH))


@lru_cache(maxsize=1)
def _measure_slowness(_period: int) -> float:
    return measure_slowness()


class Deadline:
    """A deadline: over when the seconds are, scaled to the host both now and at the start."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._began = seconds, time.monotonic()

    def pause(self) -> None:
        """Sleep until the next look: 20 ms at first, then ever longer, up to 250 ms: looks take time too."""
        time.sleep(min(max(0.02, (time.monotonic() - self._began) / 10), 0.25))

    def has_passed(self) -> bool:
        """Return True once the deadline is over; probes again only to extend it."""
        waited = time.monotonic() - self._began
        return waited > GENEROUS * self._seconds and waited > patient(self._seconds)
