"""Whether there is room on the arena's disk, and what is said when that changes."""

import errno
import os
import time
from pathlib import Path

EVERY = 3.0
"""Seconds between looks."""
SAMPLE = 256 * 1024
"""Bytes that must find room, else the disk is full: a quota is met in trying alone."""
LOW = 64 * 1024 * 1024
"""Bytes left that are worth a warning."""
FULL_DISK = (
    "error: the disk of {} is full: nothing more can be stored. What was stored is safe;"
    " make room, and everything goes on by itself"
)
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Room:
    """The disk of this folder. `full` as of the last look."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.full, self._low = folder, False, False
        self._next = 0.0

    def tick(self) -> str:
        """A line to say, if it was time to look and something changed."""
        if time.monotonic() < self._next:
            return ""
        return self.look()

    def look(self) -> str:
        """A line to say, if something changed since the last look."""
        self._next = time.monotonic() + EVERY
        left = _left(self._folder)
        was_full, self.full = self.full, not self._takes()
        was_low, self._low = self._low, left < LOW
        if self.full:
            return "" if was_full else FULL_DISK.format(self._folder)
        if was_full:
            return f"there is room on the disk again ({_shown(left)}): everything goes on"
        if self._low and not was_low:
            return f"only {_shown(left)} are left on the disk of {self._folder}; when it is full, play waits"
        return ""

    def _takes(self) -> bool:
        """Whether a small file finds room; any other trouble is not about room."""
        path = self._folder / ".room"
        try:
            with path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, SAMPLE)
        except OSError as error:
            return error.errno not in FULL
        finally:
            path.unlink(missing_ok=True)
        return True


def _left(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _shown(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"
