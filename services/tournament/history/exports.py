"""Exports of contests that are over: each is written once, and sent from an offset of the reader's choice."""

import hashlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from maumau.errors import BadRequest, DiskFull, WrongState
from services.shared.store.storage import CHUNK, Storage

MIB = 1 << 20
DRAFT = ".new-"  # prefix of folders for files that are being written
FORGOTTEN = 6 * 3600.0  # seconds after which a draft is abandoned


class ExportFile(NamedTuple):
    """An export in the storage."""

    name: str
    sha256: str
    size: int


class Subject(NamedTuple):
    """A contest to export. name: for messages. write: function that writes the file."""

    id: str
    name: str
    write: Callable[[Path], object]


class Exports:
    """A cache of export files, safe for threads. scratch: folder for drafts of files that go to a bucket.

    A file is named after its contest and its content, so that a restart finds it again. In a folder, the
    files unread for longest are deleted when all together exceed `most` bytes, and are written anew on
    demand; a bucket has its own rules for that.
    """

    def __init__(self, storage: Storage, scratch: Path, most: int) -> None:
        self.storage, self.most = storage, most
        self.scratch = Path(storage.root) if storage.local else scratch
        self._lock = threading.Lock()  # one export at a time: each takes long, and other calls run beside it

    def find_export(self, subject: Subject) -> ExportFile:
        """Return the file of a contest that is over; write it if there is none."""
        with self._lock:
            found = self._find_known(subject.id) or self._make_export(subject)
        if self.storage.local:
            with suppress(FileNotFoundError):
                os.utime(self.scratch / found.name)
        return found

    def open_export(self, subject: Subject, offset: int, sha256: str) -> tuple[IO[bytes], ExportFile]:
        """Open an export at an offset. Raise WrongState if its hash is not this one.

        Raise BadRequest if the offset is beyond the end of the file.
        """
        try:
            return self._open_export(subject, offset, sha256)
        except FileNotFoundError:  # another replica has just made room
            return self._open_export(subject, offset, sha256)

    def _open_export(self, subject: Subject, offset: int, sha256: str) -> tuple[IO[bytes], ExportFile]:
        found = self.find_export(subject)
        if sha256 not in {"", found.sha256}:
            raise WrongState(f"The export of {subject.name} was made anew; begin from its first byte.")
        if not 0 <= offset <= found.size:
            raise BadRequest(f"The export has {found.size} bytes; there is no byte {offset}.", field="offset")
        file = self.storage.open(found.name)
        file.seek(offset)
        return file, found

    def _find_known(self, contest_id: str) -> ExportFile | None:
        for name, size in self.storage.list().items():
            if name.startswith(f"{contest_id}."):
                return ExportFile(name, name.split(".")[1], size)
        return None

    def _make_export(self, subject: Subject) -> ExportFile:
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._remove_left()
        with tempfile.TemporaryDirectory(dir=self.scratch, prefix=DRAFT) as work:
            draft = Path(work) / "export.jsonl"
            self._write_export(subject, draft)
            with draft.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            found = ExportFile(f"{subject.id}.{sha256}.jsonl", sha256, draft.stat().st_size)
            self._keep_export(draft, found.name)
        return found

    def _remove_left(self) -> None:
        """Remove drafts of a service that was killed; younger ones may be those of another replica."""
        for left in self.scratch.glob(f"{DRAFT}*"):
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < time.time() - FORGOTTEN:
                    shutil.rmtree(left, ignore_errors=True)

    def _keep_export(self, draft: Path, name: str) -> None:
        if self.storage.local:
            draft.rename(self.scratch / name)
            self._make_room(self.scratch / name)
            return
        with draft.open("rb") as file:
            self.storage.put(name, iter(lambda: file.read(CHUNK), b""))

    def _write_export(self, subject: Subject, draft: Path) -> None:
        try:
            subject.write(draft)
        except DiskFull:  # its message names the draft's path, which is internal
            raise DiskFull from None

    def _make_room(self, kept: Path) -> None:
        files = [(path.stat(), path) for path in self.scratch.glob("*.jsonl")]
        excess = sum(stat.st_size for stat, _ in files) - self.most
        for stat, path in sorted(files, key=lambda one: one[0].st_mtime):
            if excess > 0 and path != kept:
                path.unlink(missing_ok=True)
                excess -= stat.st_size
