"""Polling with a deadline, and processes as the system sees them."""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil


def until(what: str, ready: Callable[[], object], deadline: float = 20.0) -> None:
    last = time.monotonic() + deadline
    while not ready():
        assert time.monotonic() < last, f"after {deadline:g} s still not so: {what}"
        time.sleep(0.02)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
