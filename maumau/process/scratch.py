"""Folders in the system's temporary folder that end with their process, or else with the next command.

Each holds a lock that the kernel gives back however its process ends. Whoever makes one first removes those
of the same user whose lock is free: their processes were killed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

LOCK = ".lock"
DRAFT = ".maumau-new-"
DRAFT_AGE = 600.0
"""Seconds after which a folder that was never renamed belongs to a dead process."""


@contextmanager
def scratch(kind: str) -> Iterator[Path]:
    """Yield a new folder `maumau-KIND-…`, removed at the end except for non-empty `exports`."""
    if sys.platform == "win32":  # neither such locks nor the renaming of a folder with an open file
        with tempfile.TemporaryDirectory(prefix=f"maumau-{kind}-") as made:
            yield Path(made)
        return
    remove_dead()
    name, place = secrets.token_hex(4), Path(tempfile.gettempdir())
    draft, folder = place / f"{DRAFT}{name}", place / f"maumau-{kind}-{name}"
    with ExitStack() as held:
        try:
            _make(draft, folder, held)
            yield folder
        finally:  # also what a signal has left half made
            shutil.rmtree(draft, ignore_errors=True)
            _remove(folder)


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


def _make(draft: Path, folder: Path, held: ExitStack) -> None:
    """Make the folder with its lock held. It is renamed only once it is locked, so it never looks dead."""
    draft.mkdir(mode=0o700)
    lock = held.enter_context((draft / LOCK).open("wb"))
    fcntl.flock(lock, fcntl.LOCK_EX)
    draft.rename(folder)


def _is_own(folder: Path) -> bool:
    """Return True if it is a folder of this user, and not a link."""
    with suppress(OSError):
        found = folder.lstat()
        return found.st_uid == os.geteuid() and folder.is_dir() and not folder.is_symlink()
    return False


def _remove_if_dead(path: Path) -> None:
    with suppress(OSError), path.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(path.parent)


def _remove(folder: Path) -> None:
    """Remove everything except exports, which are results; the lock last."""
    if not folder.exists():
        return
    for each in sorted(folder.iterdir(), key=lambda path: path.name == LOCK):
        if each.name == "exports" and any(each.iterdir()):
            continue
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each, ignore_errors=True)
        else:
            each.unlink(missing_ok=True)
    with suppress(OSError):  # with exports in it, it stays
        folder.rmdir()
