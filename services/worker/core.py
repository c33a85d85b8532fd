"""CPU cores: a worker process and its bots run on a core that no other worker with this data folder uses."""

import fcntl
import os
from pathlib import Path
from typing import IO

from services.shared.base import log

logger = log.get(__name__)


class Core:
    """A core, reserved while this object lives. number: None if the worker may run on any."""

    def __init__(self, choice: str, folder: Path) -> None:
        """Reserve a core. choice: `auto`, the first free one; `off`, none; or a number, without a lock."""
        self.lock: IO[bytes] | None = None
        self.number = None if choice in {"auto", "off"} else int(choice)
        if choice == "auto":
            self._take_core(folder)

    def _take_core(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for number in sorted(os.sched_getaffinity(0)):
            lock = (folder / f"core-{number}.lock").open("ab")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
                continue
            self.number, self.lock = number, lock
            return
        logger.warning("more workers than cores: this one is not pinned to a core")
