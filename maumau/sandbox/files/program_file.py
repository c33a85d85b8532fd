"""A program's own files: copied at each start into a private file system in memory.

Pages, inodes, times and free blocks at /bot are new for every process and never shared, so that a program's
changes to them cannot be read by its next process or by a neighbour (decision 29). bubblewrap
makes the copies: it reads each file from a descriptor, and they vanish with the sandbox.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from maumau.errors import ProgramGone
from maumau.protocol.limit import BUILT
from maumau.sandbox.files.artifact_cache import files_below

PLACE = "/bot"
LOWEST_DESCRIPTOR = 512  # bubblewrap runs under the program's limit and needs some below it
PAGE = resource.getpagesize()
ROOM = 16 * PAGE  # beyond the files themselves


class ProgramFiles(msgspec.Struct, frozen=True):
    """bubblewrap's arguments that make the copies, and the descriptors that it must inherit for them."""

    words: list[str]
    descriptors: list[int]


@contextmanager
def open_program(folder: Path) -> Iterator[ProgramFiles]:
    """Hold all files of the folder open while bubblewrap starts.

    ProgramGone: the folder is missing. OSError: it has more files than can be held open or shown.
    """
    if not folder.is_dir():
        raise ProgramGone(f"The program's files are gone from {folder}.")
    paths = list(files_below(folder))
    _check_number(len(paths))
    with ExitStack() as held:
        words, size, descriptors = list[str](), ROOM, list[int]()
        for path in paths:
            descriptors.append(_open_high(path, held))
            found = os.fstat(descriptors[-1])
            size += -(-found.st_size // PAGE) * PAGE
            executable = ["--perms", "0555"] if found.st_mode & 0o111 else []
            words += [*executable, "--file", str(descriptors[-1]), f"{PLACE}/{path.relative_to(folder)}"]
        begin = ["--perms", "0755", "--size", str(size), "--tmpfs", PLACE]
        yield ProgramFiles([*begin, *words, "--remount-ro", PLACE], descriptors)


def _check_number(files: int) -> None:
    """Refuse more files than bubblewrap takes, and raise the limit of descriptors if necessary."""
    if files > BUILT.members:
        raise OSError(errno.E2BIG, f"a program has {files} files, at most {BUILT.members} can be shown")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = LOWEST_DESCRIPTOR + BUILT.members
    if soft != resource.RLIM_INFINITY and soft < needed:
        most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))


def _open_high(path: Path, held: ExitStack) -> int:
    low = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR)
    finally:
        os.close(low)
    held.callback(os.close, high)
    return high
