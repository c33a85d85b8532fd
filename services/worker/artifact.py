"""Programs by content hash: fetched once, verified, unpacked and cached; least recently used ones go first.

Processes share the folder. A program in use is held by a shared lock on its lock file; only an exclusive
lock allows its removal.
"""

import errno
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from maumau.errors import BadSubmission, PlatformFault
from maumau.protocol.limit import BUILT, UPLOAD, UploadLimits
from maumau.protocol.manifest import NAME, parse_manifest
from maumau.referee.place import Program
from maumau.submission import package

HASH = re.compile(r"[0-9a-f]{64}")
PART_OF_DISK = 0.6  # share of the file system that programs may take up, whatever the setting allows

Fetch = Callable[[str], bytes]


class Artifacts:
    """A cache of programs. `most`: bytes for unpacked programs, at most PART_OF_DISK of the file system.

    Programs in use are never removed.
    """

    def __init__(self, folder: Path, fetch: Fetch, most: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.fetch = folder, fetch
        self.most = min(most, int(PART_OF_DISK * shutil.disk_usage(folder).total))

    @contextmanager
    def hold(self, sha256: str, name: str, built: str = "") -> Iterator[Program]:
        """Yield a program, which is kept until the end of the block. built: hash of its build, "" if none."""
        content, limits = (built, BUILT) if built else (sha256, UPLOAD)
        if not HASH.fullmatch(content):
            raise PlatformFault(f"{content[:80]!r} is not a content hash.")
        with self._lock_program(content) as lock:
            place = self.folder / content
            if not place.is_dir():
                self._fetch_program(content, place, lock, limits)
            fcntl.flock(lock, fcntl.LOCK_SH)
            if not place.is_dir():  # removed in between; the next attempt fetches it again
                raise PlatformFault(f"The program of {name} was removed while it was taken.")
            os.utime(place)
            manifest = parse_manifest((place / NAME).read_bytes())
            yield Program(place, manifest, sha256, name, built=bool(built))

    @contextmanager
    def _lock_program(self, sha256: str) -> Iterator[IO[bytes]]:
        with (self.folder / f"{sha256}.lock").open("ab") as lock:
            yield lock

    def _fetch_program(self, sha256: str, place: Path, lock: IO[bytes], limits: UploadLimits) -> None:
        """Fetch and unpack a program, making room first, and once more if the disk is full."""
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.is_dir():  # another process was faster
            return
        archive = self.fetch(sha256)
        self._make_room(sha256, max(self.most - limits.unpacked, self.most // 2))
        try:
            self._unpack_archive(archive, sha256, place, limits)
        except OSError as err:
            if err.errno not in {errno.ENOSPC, errno.EDQUOT}:
                raise
            self._make_room(sha256, 0)
            self._unpack_archive(archive, sha256, place, limits)
        self._make_room(sha256, self.most)

    def _unpack_archive(self, archive: bytes, sha256: str, place: Path, limits: UploadLimits) -> None:
        """Unpack beside the place, then rename: a program is there completely or not at all."""
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".new-") as work:
            draft = Path(work) / sha256
            try:
                found = package.unpack_archive(archive, draft, limits)
            except BadSubmission as err:
                raise PlatformFault(f"The artifact {sha256} cannot be unpacked: {err}") from err
            if found.sha256 != sha256:
                raise PlatformFault(f"The artifact {sha256} came with the content hash {found.sha256}.")
            draft.rename(place)

    def _make_room(self, kept: str, most: int) -> None:
        """Remove least recently used programs until the others take up at most this many bytes."""
        places = sorted((p for p in self.folder.iterdir() if HASH.fullmatch(p.name)), key=_last_use)
        sizes = {place: _folder_size(place) for place in places}
        excess = sum(sizes.values()) - most
        for place in places:
            if excess > 0 and place.name != kept and self._remove_program(place):
                excess -= sizes[place]

    def _remove_program(self, place: Path) -> bool:
        """Remove a program; return False if it is in use."""
        with self._lock_program(place.name) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            doomed = place.with_name(f".old-{place.name}")
            with suppress(FileNotFoundError):  # another process removed it
                place.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
            return True


def _last_use(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _folder_size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
