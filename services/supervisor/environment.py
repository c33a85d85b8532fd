"""The environment of a checkout that an arena runs from, locked so that `make` does not replace it."""

import fcntl
import sys
from pathlib import Path
from typing import IO

STAMP = ".ready"
"""The mark of a complete environment: deploy/install.py makes it, and locks it before replacing one."""


def hold_environment(prefix: Path | None = None) -> IO[str] | None:
    """Lock the environment of this process, or the one at prefix, until the file returned is closed.

    Return None if there is nothing to lock: an installed wheel, the image, a file system without locks.
    """
    try:
        file = (prefix or Path(sys.prefix)).joinpath(STAMP).open()
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file
