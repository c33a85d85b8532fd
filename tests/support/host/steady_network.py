"""A browser gives up what it loads when an interface of this host comes or goes: those who make one wait.

Between processes, by locks on files. Who waits to change something goes before who comes later.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path


@contextmanager
def keep_unchanged() -> Iterator[None]:
    """No interface comes or goes meanwhile."""
    with ExitStack() as stack:
        with _hold_lock("turn", fcntl.LOCK_EX):
            stack.enter_context(_hold_lock("network", fcntl.LOCK_SH))
        yield


@contextmanager
def change_alone() -> Iterator[None]:
    """No browser is at work meanwhile."""
    with _hold_lock("turn", fcntl.LOCK_EX), _hold_lock("network", fcntl.LOCK_EX):
        yield


@contextmanager
def _hold_lock(name: str, how: int) -> Iterator[None]:
    path = Path(tempfile.gettempdir()) / f"maumau-tests-{os.getuid()}-{name}.lock"
    with path.open("a") as file:  # closing it lets it go
        fcntl.flock(file, how)
        yield
