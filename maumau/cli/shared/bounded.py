"""Files that a user names, read whole: devices and pipes only up to a bound, as they may have no end."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from pathlib import Path
from typing import IO, Final

MOST: Final = 256 << 20
"""Bytes that are read of a device, a pipe or stdin."""


def read_bounded(path: Path) -> bytes:
    """Return the content of a file, of stdin for `-`; raise OSError if it cannot be read or does not end."""
    if str(path) == "-":
        return _read_stream(sys.stdin.buffer)
    with path.open("rb") as file:
        return file.read() if is_plain(os.fstat(file.fileno())) else _read_stream(file)


def read_text(path: Path) -> str:
    r"""Return a file as text in UTF-8 whose lines end with `\n`; raise UnicodeDecodeError if it is none."""
    return io.TextIOWrapper(io.BytesIO(read_bounded(path)), encoding="utf-8").read()


def is_plain(found: os.stat_result) -> bool:
    """Return True for a regular file, which ends and can be read again."""
    return stat.S_ISREG(found.st_mode)


def _read_stream(file: IO[bytes]) -> bytes:
    parts, size = [], 0
    while part := file.read(min(1 << 20, MOST + 1 - size)):
        parts.append(part)
        size += len(part)
        if size > MOST:
            raise OSError(errno.EFBIG, f"it is not a plain file, and does not end within {MOST >> 20} MiB")
    return b"".join(parts)
