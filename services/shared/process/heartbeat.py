"""A process's sign of life: the time of a file, set every BEAT_SECONDS by its event loop.

It needs no connection and no descriptor, so a process whose port is full can be told from one that hangs.
"""

import asyncio
import os
from pathlib import Path
from typing import Final

from services.shared.base import log

BEAT_SECONDS: Final = 2.0

logger = log.get(__name__)


def beat(path: str) -> None:
    """Set the file's times to now; a file that is missing or may not be changed is only logged."""
    try:
        os.utime(path)
    except OSError as error:
        logger.debug("sign of life not written", path=path, words=error.strerror)


async def keep_beating(path: str) -> None:
    """Beat until cancelled."""
    while True:
        beat(path)
        await asyncio.sleep(BEAT_SECONDS)


def read_beat(path: Path) -> int:
    """Return a number that changes with each beat, 0 if there is no file."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
