"""Faults of the host are retried from the same seeds, as in the arena.

Seen on machines where many want each core: a program that needs CPU time to start gets none in its 15 s.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from maumau.errors import PlatformFault, ProgramGone

Result = TypeVar("Result")


def play_until_a_result(play: Callable[[], Result], tries: int = 5) -> Result:
    """Return the first result that the host did not spoil; raise its last fault if it spoils them all."""
    for _ in range(tries - 1):
        try:
            return play()
        except ProgramGone:
            raise
        except PlatformFault as fault:
            warnings.warn(f"played again, the host is too busy: {fault}", stacklevel=2)
    return play()
