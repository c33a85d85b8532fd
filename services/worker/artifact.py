"""Programs by content hash: fetched once, checked, unpacked, kept; the ones not used for longest go first.

Processes share the folder. A program in use is held by a shared lock on its lock file; only who gets that
lock alone may remove it.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from maumau.bot import package
from maumau.bot.manifest import NAME, parse_manifest
from maumau.bot.player import Program
from maumau.errors import BadSubmission, PlatformFault

HASH = re.compile(r"[0-9a-f]{64}")

Fetch = Callable[[str], bytes]


class Artifacts:
    """`most`: bytes that the unpacked programs may take up; those in use are never removed."""

    def __init__(self, folder: Path, fetch: Fetch, most: int) -> None:
        self.folder, self.fetch, self.most = folder, fetch, most
        folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def hold(self, sha256: str, name: str) -> Iterator[Program]:
        """The program, which stays where it is until the end of the block."""
        if not HASH.fullmatch(sha256):
            raise PlatformFault(f"{sha256[:80]!r} is no content hash.")
        with self._lock(sha256) as lock:
            place = self.folder / sha256
            if not place.is_dir():
                self._get(sha256, place, lock)
            fcntl.flock(lock, fcntl.LOCK_SH)
            if not place.is_dir():  # removed in between; the next attempt fetches it again
                raise PlatformFault(f"The program of {name} was removed while it was taken.")
            os.utime(place)
            yield Program(place, parse_manifest((place / NAME).read_bytes()), sha256, name)

    @contextmanager
    def _lock(self, sha256: str) -> Iterator[IO[bytes]]:
        with (self.folder / f"{sha256}.lock").open("ab") as lock:
            yield lock

    def _get(self, sha256: str, place: Path, lock: IO[bytes]) -> None:
        """Fetches and unpacks beside, then renames: a program is there whole or not at all."""
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.is_dir():  # another process was faster
            return
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".new-") as work:
            draft = Path(work) / sha256
            try:
                found = package.unpack(self.fetch(sha256), draft)
            except BadSubmission as err:
                raise PlatformFault(f"The artifact {sha256} cannot be unpacked: {err}") from err
            if found.sha256 != sha256:
                raise PlatformFault(f"The artifact {sha256} came with the content hash {found.sha256}.")
            draft.rename(place)
        self._make_room(sha256)

    def _make_room(self, kept: str) -> None:
        places = sorted((p for p in self.folder.iterdir() if HASH.fullmatch(p.name)), key=_age)
        sizes = {place: _size(place) for place in places}
        excess = sum(sizes.values()) - self.most
        for place in places:
            if excess > 0 and place.name != kept and self._remove(place):
                excess -= sizes[place]

    def _remove(self, place: Path) -> bool:
        """Unless somebody plays from it."""
        with self._lock(place.name) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            doomed = place.with_name(f".old-{place.name}")
            with suppress(FileNotFoundError):  # another process removed it
                place.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
            return True


def _age(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _size(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
