"""A cache of copies that the programs' users can read, each made once and named by its content.

It lies in /var/tmp, is owned by the referee's user, and its files belong to the group of the seats: other
users of the machine cannot look in. A copy is made beside and renamed, so a half-made one is never used.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import logging
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path

from maumau.errors import ProgramGone, SandboxUnavailable

PLACE = "/var/tmp"  # noqa: S108  # ownership is checked, names are hashes
MEMORY = "/dev/shm"  # noqa: S108  # ditto
KEPT = 30 * 86400  # seconds that a copy is kept unused
KEPT_IN_MEMORY = 3600  # longer than any seating
SETTLED, CHUNK = 3, 1 << 20  # reads of a page until its flags stay; bytes of a read
MAX_PROGRAMS = 1000  # programs on one machine at a time
logger = logging.getLogger(__name__)

SEATS = 20000  # the group of all seats; their users are numbered from here on, where the referee is root


@functools.cache
def own_users() -> bool:
    """Return True if the referee is root and may become the seats' users; containers may only know root."""
    is_root = sys.platform == "linux" and os.geteuid() == 0
    return is_root and _knows_id("uid", SEATS + MAX_PROGRAMS) and _knows_id("gid", SEATS)


def _knows_id(kind: str, number: int) -> bool:
    """Return True if this user or group exists in the namespace of this process."""
    return any(first <= number < first + count for first, _, count in _read_ids(kind))


def _read_ids(kind: str) -> list[tuple[int, ...]]:
    """Return the ranges of users or groups: the first one in this namespace and around it, and how many."""
    lines = Path(f"/proc/self/{kind}_map").read_text().splitlines()
    return [tuple(map(int, line.split())) for line in lines]


def find_cache_folder(*, memory: bool = False) -> Path:
    """Return the cache's folder, on disk or in memory; refuse one that others made or can write to."""
    path = _get_cache_path(memory=memory)
    try:
        path.mkdir(mode=0o750, exist_ok=True)
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise SandboxUnavailable(f"{path} belongs to another user, or others can write to it; remove it.")
        if own_users() and found.st_gid != SEATS:
            os.chown(path, 0, SEATS)
        if own_users() and found.st_mode & 0o050 != 0o050:  # made under a umask that keeps groups out
            path.chmod(0o750)
    except OSError as error:
        raise SandboxUnavailable(f"{path} cannot be used: {error.strerror or error}.") from error
    return path


@functools.cache
def has_memory() -> bool:
    """Return True if there is a file system in memory that programs can run from, without disk reads."""
    for line in reversed(
        Path("/proc/self/mountinfo").read_text().splitlines()
    ):  # the last mount hides the others
        words = line.split()
        if words[4] == MEMORY:
            found = words[words.index("-") + 1] == "tmpfs" and "noexec" not in words[5].split(",")
            return found and os.access(MEMORY, os.W_OK)
    return False


def is_in_memory(place: Path) -> bool:
    """Return True if this copy is in memory; when memory is full, copies meant for it are on disk."""
    return has_memory() and place.is_relative_to(MEMORY)


def _get_cache_path(*, memory: bool = False) -> Path:
    user, suffix = os.geteuid(), ""
    if user == 0 and sys.platform == "linux" and not own_users():
        user, suffix = _read_ids("uid")[0][1], "-alone"  # its copies are not for the seats of the real root
    return Path(MEMORY if memory and has_memory() else PLACE) / f"maumau-{user}{suffix}"


def keep_copy(
    name: str,
    files: list[tuple[str, Path]],
    finish: Callable[[Path], None] | None = None,
    *,
    memory: bool = False,
    key: str = "",
) -> Path:
    """Return a folder with copies of `files` (name inside, source), made once per contents or per `key`.

    `finish` is called with a new copy before it is put in its place. `memory`: in memory, where there is one.
    """
    key = key or _hash_files(files)
    place = _find_place(name, key, memory=memory)
    if mark_used(place):
        return place
    remove_unused(name, memory=memory)
    in_memory = memory and has_memory()
    try:
        if in_memory:
            check_room(files)
        _copy_files(files, place, finish)
    except OSError as error:
        if in_memory and not place.is_dir():
            logger.warning("%s is read from the disk, where its pages can tell something: %s", name, error)
            return keep_copy(name, files, finish, key=key)
        if not place.is_dir():  # else another process was first, with the same content
            raise SandboxUnavailable(f"No copy of {name} can be made in {place.parent}: {error}.") from error
    return place


def find_copy(name: str, key: str) -> Path | None:
    """Return the copy in memory with this key, or None."""
    place = _find_place(name, key, memory=True)
    return place if mark_used(place) else None


def _find_place(name: str, key: str, *, memory: bool) -> Path:
    """Return the path of a copy. Those in memory have a suffix: pages of earlier versions' are unsettled."""
    return find_cache_folder(memory=memory) / f"{name}-{key}{'-settled' * memory}"


def key_of(paths: Iterable[Path]) -> str:
    """Return a key that changes when one of these files does: for files too large to read at every start."""
    digest = hashlib.sha256()
    for path in paths:
        found = path.stat()
        digest.update(
            f"{path}\0{found.st_size} {found.st_mtime_ns} {found.st_ino} {found.st_mode}\n".encode()
        )
    return digest.hexdigest()[:32]


def check_room(files: list[tuple[str, Path]]) -> None:
    """Raise OSError unless memory has room for all files: half a copy would leave no room for others."""
    needed = sum(path.stat().st_size for _, path in files)
    if shutil.disk_usage(MEMORY).free < needed:
        raise OSError(errno.ENOSPC, f"there is no room for {needed >> 20} MiB in {MEMORY}")


def _copy_files(files: list[tuple[str, Path]], place: Path, finish: Callable[[Path], None] | None) -> None:
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name.partition('-')[0]}-", dir=place.parent))
    try:
        for inside, source in files:
            (draft / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, draft / inside)  # with its times: compiled Python stays valid
        if finish:
            finish(draft)
        open_to_seats(draft)
        if is_in_memory(place):
            _settle_pages(draft)
        draft.rename(place)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _settle_pages(draft: Path) -> None:
    """Read every page often enough that the kernel's flags of it say all that they can.

    They are then active and referenced, and no program that reads a page, as all may, moves them any more.
    """
    for path in (path for path in draft.rglob("*") if path.is_file() and not path.is_symlink()):
        with path.open("rb", buffering=0) as file:
            for _ in range(SETTLED):
                file.seek(0)
                while file.read(CHUNK):
                    pass


def mark_used(place: Path) -> bool:
    """Return True if this is a copy in the artifact cache, and keep it for longer."""
    if place.parent not in {_get_cache_path(), _get_cache_path(memory=True)} or not place.is_dir():
        return False
    with contextlib.suppress(OSError):  # on a disk that only reads it serves as well
        os.utime(place)
    return True


def remove_unused(name: str, *, memory: bool = False) -> None:
    """Remove unused copies and unfinished drafts."""
    place, kept = find_cache_folder(memory=memory), KEPT_IN_MEMORY if memory and has_memory() else KEPT
    for old in (*place.glob(f"{name}-*"), *place.glob(f".{name}-*")):
        with contextlib.suppress(FileNotFoundError):  # another process clears as well
            if time.time() - old.stat().st_mtime > kept:
                shutil.rmtree(old, ignore_errors=True)


def files_below(top: Path, leave: Container[str] = ()) -> Iterator[Path]:
    """Yield every file below `top`, except the names in `leave`; links are followed."""
    for where, folders, names in os.walk(top, followlinks=True):
        folders[:] = sorted(name for name in folders if name not in leave)
        yield from (Path(where, name) for name in sorted(names) if name not in leave)


def is_readable_by_all(path: Path) -> bool:
    """Return True if every user of the machine may read `path` (of a folder only the folder itself)."""
    try:
        return path.stat().st_mode & 0o005 == 0o005 and all(p.stat().st_mode & 0o001 for p in path.parents)
    except OSError:
        return False


def make_readable(folder: Path) -> Path:
    """Return the folder itself if the seats' users may read all of it, else a copy in the artifact cache."""
    if not folder.is_dir():
        raise ProgramGone(f"The program's files are gone from {folder}.")
    files = list(files_below(folder))
    if folder.parent == _get_cache_path() or (
        is_readable_by_all(folder) and all(file.stat().st_mode & 0o004 for file in files)
    ):
        return folder
    return keep_copy("program", [(str(file.relative_to(folder)), file) for file in files])


def _hash_files(files: list[tuple[str, Path]]) -> str:
    digest = hashlib.sha256()
    for inside, source in files:
        content = hashlib.sha256(source.read_bytes()).hexdigest()
        digest.update(f"{inside}\0{source.stat().st_mode & 0o111:o}\0{content}\n".encode())
    return digest.hexdigest()[:32]


def open_to_seats(draft: Path) -> None:
    """Make files readable by the seats' group and writable only by their owner.

    Links are left alone: one in an image may name a file of the machine.
    """
    group = SEATS if own_users() else -1
    for path in (draft, *(path for path in draft.rglob("*") if not path.is_symlink())):
        os.chown(path, -1, group)
        path.chmod(0o750 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o640)
