"""Polling with a deadline, and processes as the system sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psutil

from bench.support.patience import Deadline

T = TypeVar("T")


def until(what: str, ready: Callable[[], T], deadline: float = 20.0) -> T:
    """Return the first answer that is true."""
    last = Deadline(deadline)
    while not (answer := ready()):
        assert not last.has_passed(), f"after {deadline:g} s still not so: {what}"
        last.pause()
    return answer


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
