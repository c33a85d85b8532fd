"""Where programs are kept: under their content hash, in a folder or any other place that fsspec knows."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from typing import Any

import fsspec

from maumau.errors import DiskFull, UnknownArtifact
from services.shared.connect import is_disk_full

CHUNK = 64 * 1024


class Artifacts:
    """Whole files only: one is written beside its place and then moved there."""

    def __init__(self, url: str) -> None:
        self.files, self.root = fsspec.core.url_to_fs(url, auto_mkdir=True)

    def put(self, sha256: str, archive: bytes) -> None:
        """Stores it; the same hash again changes nothing. Raises DiskFull, and then nothing is stored."""
        place = self._place(sha256)
        if self.files.exists(place):
            return
        fresh = f"{place}.{secrets.token_hex(8)}"
        try:
            self._write(fresh, archive)
            self.files.mv(fresh, place)
        except BaseException as err:
            with contextlib.suppress(OSError):
                self.files.rm(fresh)
            if isinstance(err, OSError) and is_disk_full(err):
                raise DiskFull from err
            raise

    def read(self, sha256: str) -> Iterator[bytes]:
        """The archive in pieces of at most 64 KiB."""
        try:
            with self.files.open(self._place(sha256), "rb") as file:
                while chunk := file.read(CHUNK):
                    yield chunk
        except FileNotFoundError as err:
            raise UnknownArtifact(f"The program {sha256} is missing from the arena's storage.") from err

    def _write(self, path: str, archive: bytes) -> None:
        self.files.makedirs(path.rpartition("/")[0], exist_ok=True)
        with self.files.open(path, "wb") as file:
            file.write(archive)
            file.flush()
            _to_disk(file)

    def _place(self, sha256: str) -> str:
        return f"{self.root}/{sha256[:2]}/{sha256}.zip"


def _to_disk(file: Any) -> None:
    """A local file is on the disk before it gets its name; a bucket has no descriptor and no need."""
    try:
        descriptor = file.fileno()
    except (AttributeError, OSError):
        return
    os.fsync(descriptor)
