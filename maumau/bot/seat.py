"""Seats of this machine: a number for each running program, and for root a user of its own."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator

from maumau.bot import shelf
from maumau.errors import PlatformFault


@contextlib.contextmanager
def seat() -> Iterator[int]:
    """A number that no other program on this machine has now; for root it is the seat's user as well."""
    folder = shelf.folder() / "seats"
    folder.mkdir(mode=0o700, exist_ok=True)
    for number in range(shelf.SEATS + 1, shelf.SEATS + 1 + shelf.MOST):
        lock = os.open(folder / str(number), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        try:
            yield number
        finally:
            os.close(lock)
        return
    raise PlatformFault(f"All {shelf.MOST} seats of this machine are taken.")
