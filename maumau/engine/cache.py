"""The builds that are kept for this user, in `$XDG_CACHE_HOME/maumau`, which only this user can write to.

A build is a folder `engine-KEY-TOOLS`: KEY is the hash of its sources, TOOLS of what compiled it. It is made
beside, written to the disk and then renamed, so that a name promises a whole build. Its files are hashed when
it is first used after a boot or a change of one of them.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import NamedTuple

PREFIX = "engine-"
MANIFEST = "manifest.json"
LARGEST = 1 << 20
"""Bytes of a manifest, or of a note, above which it is none."""
CHECKED = "checked"
"""The file that says for which boot and which state of the files the hashes were compared."""
BOOT = Path("/proc/sys/kernel/random/boot_id")
USED = "used"
"""The file whose time is that of the last use."""
DAY = 86400
KEPT = 30 * DAY
"""Seconds that a build is kept unused."""
PRIVATE = 0o700
OTHERS = 0o022
"""Permissions that nobody else may have: to write."""


class Unusable(Exception):
    """The cache cannot be used, in a phrase."""


class Build(NamedTuple):
    """A kept build: its folder, and the file of each compiled module by name."""

    folder: Path
    files: dict[str, Path]


def get_folder() -> Path:
    """Return the path of the cache; raise Unusable where there is no home."""
    given, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
    if os.path.isabs(given):  # noqa: PTH117  # the standard ignores relative ones
        return Path(given) / "maumau"
    if not os.path.isabs(home):  # noqa: PTH117
        raise Unusable("there is no home folder (HOME is not set)")
    return Path(home) / ".cache" / "maumau"


def open_folder() -> Path:
    """Return the cache's folder, made if it is missing; raise Unusable if it is somebody else's."""
    path = get_folder()
    try:
        _make_parents(path.parent)
        path.mkdir(mode=PRIVATE, exist_ok=True)
        check_folder(path)
    except OSError as error:
        raise Unusable(f"{path} cannot be used: {error.strerror or error}") from error
    return path


def _make_parents(folder: Path) -> None:
    """Make missing folders in a place of this user: root makes none in somebody's home."""
    if folder.is_dir():
        check_place(folder)
        return
    _make_parents(folder.parent)
    folder.mkdir(mode=PRIVATE, exist_ok=True)


def check_place(folder: Path) -> None:
    """Raise Unusable if somebody else could put another folder into the place of one of this user's."""
    there = folder.stat()
    if there.st_uid != os.geteuid() and not there.st_mode & stat.S_ISVTX:
        raise Unusable(f"{folder} belongs to another user")
    for path in (folder, *folder.resolve().parents):
        mode = path.stat().st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise Unusable(f"everybody may write to {path}")


def check_folder(path: Path) -> None:
    """Raise Unusable unless this is a folder that only this user can write to; OSError if it is missing."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or not _is_own(found):
        raise Unusable(f"{path} belongs to another user, or others can write to it")


def _is_own(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & OTHERS


def list_builds(key: str = "") -> list[Path]:
    """Return the folders of all builds with this key, the newest first; raise Unusable."""
    folder = get_folder()
    try:
        check_folder(folder)
        check_place(folder.parent)
        found = [path for path in folder.iterdir() if path.name.startswith(f"{PREFIX}{key}")]
        return sorted(found, key=lambda path: path.lstat().st_mtime, reverse=True)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Unusable(f"{folder} cannot be read: {error.strerror or error}") from error


def find_build(key: str) -> Build | None:
    """Return a whole build with this key, or None; raise Unusable."""
    for folder in list_builds(key):
        if found := read_build(folder):
            _mark_used(folder)
            return found
    return None


def read_build(folder: Path) -> Build | None:
    """Return the build in a folder, or None if anything is missing, was changed, or is somebody else's."""
    from json import loads

    try:
        check_folder(folder)
        listed: dict[str, tuple[str, int, str]] = loads(read_file(folder / MANIFEST))
        hashes = {folder / _check_name(name): digest for name, _, digest in listed.values()}
        sizes = {folder / name: size for name, size, _ in listed.values()}
        found = {path: path.lstat() for path in sizes}
        for path, there in found.items():
            if not stat.S_ISREG(there.st_mode) or not _is_own(there) or there.st_size != sizes[path]:
                return None
        if not _has_hashes(folder, hashes, found):
            return None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError, Unusable):
        return None
    return Build(folder, {module: folder / name for module, (name, _, _) in listed.items()})


def read_file(path: Path) -> bytes:
    """Return a small file of this user; ValueError if it is not a plain file (a pipe would be waited for)."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _is_own(found) or found.st_size > LARGEST:
            raise ValueError(f"{path} is not a small plain file of this user")
        return file.read()


def _check_name(name: str) -> str:
    """Return the name of a file in a build; ValueError for one that leads out of it."""
    if os.path.isabs(name) or ".." in name.split("/"):  # noqa: PTH117  # of what may not be a path
        raise ValueError(f"{name!r} leads out of the build")
    return name


def _has_hashes(folder: Path, hashes: dict[Path, str], found: dict[Path, os.stat_result]) -> bool:
    """Return True if the files have these hashes, compared once for each boot and change of a file."""
    from hashlib import sha256

    states = [(there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns) for there in found.values()]
    mark = sha256(f"{_read_boot()}{states}{hashes}".encode()).hexdigest().encode()
    try:
        if read_file(folder / CHECKED) == mark:
            return True
    except (OSError, ValueError):
        pass
    if any(sha256(path.read_bytes()).hexdigest() != digest for path, digest in hashes.items()):
        return False
    _write_mark(folder, mark)
    return True


def _read_boot() -> str:
    """Return the name of this boot; where it has none, one that no mark has."""
    try:
        return BOOT.read_text()
    except OSError:
        return f"{time.time_ns()}"


def _write_mark(folder: Path, mark: bytes) -> None:
    """Note that the hashes were compared; where nothing can be written they are compared each time."""
    fresh = folder / f"{CHECKED}.{os.getpid()}"
    try:
        with open(fresh, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(mark)
        fresh.replace(folder / CHECKED)
    except OSError:
        return


def _mark_used(folder: Path) -> None:
    """Note the use, once a day; where nothing can be written the build serves as well."""
    mark = folder / USED
    try:
        if abs(time.time() - mark.stat().st_mtime) > DAY:
            os.utime(mark)
    except OSError:
        return


def list_unused() -> list[Path]:
    """Return the builds unused for long; never one from the future, as after a change of the clock."""
    return [path for path in list_builds() if _get_idle_seconds(path) > KEPT]


def _get_idle_seconds(folder: Path) -> float:
    try:
        return time.time() - (folder / USED).stat().st_mtime
    except OSError:
        return KEPT + 1.0  # no build of this version
