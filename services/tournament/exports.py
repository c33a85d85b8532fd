"""The files of contests that are over: each is made once, and sent from where the reader wants."""

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
from services.shared.storage import CHUNK, Storage

MIB = 1 << 20
DRAFT = ".new-"  # folders of files that are being made
FORGOTTEN = 6 * 3600.0  # seconds after which nobody makes one any more


class ExportFile(NamedTuple):
    """An export as it lies in the storage."""

    name: str
    sha256: str
    size: int


class Subject(NamedTuple):
    """What is exported. name: as people know it. write: makes the file."""

    id: str
    name: str
    write: Callable[[Path], object]


class Exports:
    """Threads may share it. scratch: a folder for those that are being made for a bucket.

    A file is called after its contest and its content, so that a restart finds it again. Of a folder, those
    that nobody read for longest go first when they have more than `most` bytes together, and are made anew if
    somebody asks; a bucket has rules of its own for that.
    """

    def __init__(self, storage: Storage, scratch: Path, most: int) -> None:
        self.storage, self.most = storage, most
        self.scratch = Path(storage.root) if storage.local else scratch
        self._lock = threading.Lock()  # one at a time: they take long, and others work beside them

    def find(self, subject: Subject) -> ExportFile:
        """The file of a contest that is over, made if there is none."""
        with self._lock:
            found = self._known(subject.id) or self._make(subject)
        if self.storage.local:
            with suppress(FileNotFoundError):
                os.utime(self.scratch / found.name)
        return found

    def open(self, subject: Subject, offset: int, sha256: str) -> tuple[IO[bytes], ExportFile]:
        """From this byte on; WrongState if it is another file than the one of this hash.

        BadRequest if the file has not so many bytes.
        """
        found = self.find(subject)
        if sha256 not in {"", found.sha256}:
            raise WrongState(f"The export of {subject.name} was made anew; begin from its first byte.")
        if not 0 <= offset <= found.size:
            raise BadRequest(f"The export has {found.size} bytes; there is no byte {offset}.", field="offset")
        file = self.storage.open(found.name)
        file.seek(offset)
        return file, found

    def _known(self, contest_id: str) -> ExportFile | None:
        for name, size in self.storage.list().items():
            if name.startswith(f"{contest_id}."):
                return ExportFile(name, name.split(".")[1], size)
        return None

    def _make(self, subject: Subject) -> ExportFile:
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._remove_left()
        with tempfile.TemporaryDirectory(dir=self.scratch, prefix=DRAFT) as work:
            draft = Path(work) / "export.jsonl"
            self._write(subject, draft)
            with draft.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            found = ExportFile(f"{subject.id}.{sha256}.jsonl", sha256, draft.stat().st_size)
            self._keep(draft, found.name)
        return found

    def _remove_left(self) -> None:
        """What a service left that was killed; another replica may be at work on a younger one."""
        for left in self.scratch.glob(f"{DRAFT}*"):
            with suppress(FileNotFoundError):
                if left.stat().st_mtime < time.time() - FORGOTTEN:
                    shutil.rmtree(left, ignore_errors=True)

    def _keep(self, draft: Path, name: str) -> None:
        if self.storage.local:
            draft.rename(self.scratch / name)
            self._make_room(self.scratch / name)
            return
        with draft.open("rb") as file:
            self.storage.put(name, iter(lambda: file.read(CHUNK), b""))

    def _write(self, subject: Subject, draft: Path) -> None:
        try:
            subject.write(draft)
        except DiskFull:  # its words name the draft, which is nobody's business
            raise DiskFull from None

    def _make_room(self, kept: Path) -> None:
        files = [(path.stat(), path) for path in self.scratch.glob("*.jsonl")]
        excess = sum(stat.st_size for stat, _ in files) - self.most
        for stat, path in sorted(files, key=lambda one: one[0].st_mtime):
            if excess > 0 and path != kept:
                path.unlink(missing_ok=True)
                excess -= stat.st_size
