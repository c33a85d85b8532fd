"""Space on the arena's disk, and the messages when it runs out or returns."""

import errno
import os
import time
from pathlib import Path

EVERY = 3.0
"""Seconds between checks."""
SAMPLE = 256 * 1024
"""Bytes to allocate as a test, since a quota shows only in trying: if that fails, the disk is full."""
LOW = 64 * 1024 * 1024
"""Bytes left below which a warning is due."""
FULL_DISK = (
    "error: the disk of {} is full: nothing more can be stored. What was stored is safe;"
    " make room, and everything goes on by itself"
)
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Room:
    """The space on the disk of this folder. `full`: as of the last check."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.full, self._low = folder, False, False
        self._next = 0.0

    def check_due(self) -> str:
        """Return a line to report, if a check was due and something changed."""
        if time.monotonic() < self._next:
            return ""
        return self.check_disk()

    def check_disk(self) -> str:
        """Check the disk; return a line to report if something changed."""
        self._next = time.monotonic() + EVERY
        left = _measure_room(self._folder)
        was_full, self.full = self.full, not self._can_write()
        was_low, self._low = self._low, left < LOW
        if self.full:
            return "" if was_full else FULL_DISK.format(self._folder)
        if was_full:
            return f"there is room on the disk again ({_format_size(left)}): everything goes on"
        if self._low and not was_low:
            size = _format_size(left)
            return f"only {size} are left on the disk of {self._folder}; when it is full, play waits"
        return ""

    def _can_write(self) -> bool:
        """Return True unless a small file does not fit; other errors do not count."""
        path = self._folder / ".room"
        try:
            with path.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, SAMPLE)
        except OSError as error:
            return error.errno not in FULL
        finally:
            path.unlink(missing_ok=True)
        return True


def _measure_room(folder: Path) -> int:
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def _format_size(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"
