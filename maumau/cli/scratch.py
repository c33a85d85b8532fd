"""Folders in the system's temporary folder that end with their process, or else with the next command.

Each holds a lock that the kernel gives back however its process ends. Whoever makes one first removes those
of the same user whose lock is free: their processes were killed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

ENDING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
LOCK = ".lock"
DRAFT = ".maumau-new-"
DRAFT_AGE = 600.0
"""Seconds after which a folder that never got its name is a dead one's."""


@contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """A new folder `maumau-KIND-…`, removed at the end but for `exports` with something in it."""
    remove_dead()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        folder, lock = _made(kind)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)  # who is asked to end meanwhile ends here
            yield folder
        finally:
            _remove(folder)
            lock.close()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def remove_dead() -> None:
    """Remove the folders that killed processes of this user have left."""
    place = Path(tempfile.gettempdir())
    for lock in place.glob(f"maumau-*/{LOCK}"):
        if _is_own(lock.parent):
            _remove_if_dead(lock)
    for draft in place.glob(f"{DRAFT}*"):
        with suppress(OSError):
            if _is_own(draft) and time.time() - draft.stat().st_mtime > DRAFT_AGE:
                shutil.rmtree(draft, ignore_errors=True)


def _made(kind: str) -> tuple[Path, IO[bytes]]:
    """The folder and its lock. It has its name only once it is locked, so that nobody takes it for dead."""
    draft = Path(tempfile.mkdtemp(prefix=DRAFT))
    try:
        lock = (draft / LOCK).open("wb")
        fcntl.flock(lock, fcntl.LOCK_EX)
        return draft.rename(draft.with_name(f"maumau-{kind}-{draft.name.removeprefix(DRAFT)}")), lock
    except BaseException:  # a signal's end too
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _is_own(folder: Path) -> bool:
    """Whether it is a folder of this user, and no link to one."""
    with suppress(OSError):
        found = folder.lstat()
        return found.st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink()
    return False


def _remove_if_dead(path: Path) -> None:
    with suppress(OSError), path.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(path.parent)


def _remove(folder: Path) -> None:
    """Everything but exports, which are somebody's results; the lock last."""
    for each in sorted(folder.iterdir(), key=lambda path: path.name == LOCK):
        if each.name == "exports" and any(each.iterdir()):
            continue
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        else:
            each.unlink(missing_ok=True)
    with suppress(OSError):  # with exports in it, it stays
        folder.rmdir()
