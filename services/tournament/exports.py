"""The files of contests that are over: each is made once, and sent from where the reader wants."""

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from maumau.errors import BadRequest, DiskFull, WrongState

MIB = 1 << 20
DRAFT = ".new-"  # folders of files that are being made


class ExportFile(NamedTuple):
    """An export as it lies in the folder."""

    path: Path
    sha256: str
    size: int


class Subject(NamedTuple):
    """What is exported. name: as people know it. write: makes the file."""

    id: str
    name: str
    write: Callable[[Path], object]


class Exports:
    """Threads may share it. `most`: bytes that the folder may have.

    A file is called after its contest and its content, so that a restart finds it again. Those that nobody
    read for longest go first, and are made anew if somebody asks.
    """

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most
        self._lock = threading.Lock()  # one at a time: they take long, and others work beside them

    def find(self, subject: Subject) -> ExportFile:
        """The file of a contest that is over, made if there is none."""
        with self._lock:
            found = self._known(subject.id) or self._make(subject)
        with suppress(FileNotFoundError):
            os.utime(found.path)
        return found

    def open(self, subject: Subject, offset: int, sha256: str) -> tuple[IO[bytes], ExportFile]:
        """From this byte on; WrongState if it is another file than the one of this hash.

        BadRequest if the file has not so many bytes.
        """
        found = self.find(subject)
        if sha256 not in {"", found.sha256}:
            raise WrongState(f"The export of {subject.name} was made anew; begin from its first byte.")
        if not 0 <= offset <= found.size:
            raise BadRequest(f"The export has {found.size} bytes; there is no byte {offset}.")
        file = found.path.open("rb")
        file.seek(offset)
        return file, found

    def _known(self, contest_id: str) -> ExportFile | None:
        for path in self.folder.glob(f"{contest_id}.*.jsonl"):
            return ExportFile(path, path.name.split(".")[1], path.stat().st_size)
        return None

    def _make(self, subject: Subject) -> ExportFile:
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob(f"{DRAFT}*"):  # by a service that was killed
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=DRAFT) as work:
            draft = Path(work) / "export.jsonl"
            self._write(subject, draft)
            with draft.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            path = self.folder / f"{subject.id}.{sha256}.jsonl"
            draft.rename(path)
        self._make_room(path)
        return ExportFile(path, sha256, path.stat().st_size)

    def _write(self, subject: Subject, draft: Path) -> None:
        try:
            subject.write(draft)
        except DiskFull:  # its words name the draft, which is nobody's business
            raise DiskFull from None

    def _make_room(self, kept: Path) -> None:
        files = [(path.stat(), path) for path in self.folder.glob("*.jsonl")]
        excess = sum(stat.st_size for stat, _ in files) - self.most
        for stat, path in sorted(files, key=lambda one: one[0].st_mtime):
            if excess > 0 and path != kept:
                path.unlink(missing_ok=True)
                excess -= stat.st_size
