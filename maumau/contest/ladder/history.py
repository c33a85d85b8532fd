"""Points in time at which a ladder's ratings are recorded, and the choice of those kept.

A point is a number of five-minute steps since 1970: the ratings that all results before that time give. The
points of the last four hours are all kept; of the four hours before them every second one, of the eight hours
before those every fourth, and so on: every doubling of the age keeps 24 points more. In ten years that is
some 400, however many results there were. A point that is dropped was kept until then, and none comes back.
"""

from __future__ import annotations

from itertools import count
from typing import Final

STEP: Final = 300_000
"""Milliseconds between two points."""

KEPT: Final = 48
"""Points of each distance (1, 2, 4 … steps) that are kept, the newest."""


def last_point(at: int) -> int:
    """Return the last point that is not after this time, in ms since 1970."""
    return at // STEP


def list_points(since: int, now: int) -> list[int]:
    """Return the points kept at point `now` of a ladder with its first result at `since` (ms), in order."""
    found: set[int] = set()
    for power in count():
        distance = 1 << power
        oldest = max(now - KEPT * distance, since // STEP) + 1
        found.update(range(-(-oldest // distance) * distance, now + 1, distance))
        if now - KEPT * distance < since // STEP:
            return sorted(found)
    raise AssertionError
