"""The manifest of a backup: versions, time, and the SHA-256 of each of its parts."""

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from maumau.errors import BadBackup

FORMAT = 1  # of the written files; a restore knows this one and earlier ones
MANIFEST, SEAL = "manifest.json", "manifest.sha256"
"""The seal is the manifest's SHA-256, in the format of `sha256sum --check`. It is written last."""


class BackupTable(msgspec.Struct, frozen=True):
    """A table of a service. part: its file in the backup. last_id: the last id given to a row, or 0."""

    service: str
    name: str
    part: str
    rows: int
    last_id: int
    size: int
    sha256: str


class StoredFile(msgspec.Struct, frozen=True):
    """A file that never changes, such as a program; shared by all backups in a place."""

    store: str
    name: str
    size: int
    sha256: str

    @property
    def place(self) -> str:
        return f"files/{self.store}/{self.name}"


class Manifest(msgspec.Struct, frozen=True):
    """The content of a backup. created_at: UTC, of the moment captured. revisions: of services' tables."""

    format: int
    version: str
    created_at: str
    database: str
    revisions: dict[str, str]
    tables: list[BackupTable]
    files: list[StoredFile]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def size(self) -> int:
        return sum(table.size for table in self.tables) + sum(file.size for file in self.files)


def write_manifest(manifest: Manifest) -> tuple[bytes, bytes]:
    """Return the bytes of the manifest and of its seal."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return text, f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode()


def read_manifest(text: bytes, seal: bytes, name: str) -> Manifest:
    """Return a manifest; raise BadBackup if the seal does not fit, or a later version wrote it.

    name: of the backup, for messages.
    """
    if seal != f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode():
        raise BadBackup(f"{name}: {MANIFEST} and {SEAL} do not belong together: {DAMAGED}")
    head = msgspec.json.decode(text)
    if head["format"] > FORMAT:
        raise refuse_later(name, head["version"])
    return msgspec.json.decode(text, type=Manifest)


def refuse_later(name: str, version: str) -> BadBackup:
    return BadBackup(
        f"{name} was made by maumau {version}, which writes what this version cannot read;"
        " restore it with that version or a later one."
    )


def check_part(chunks: Iterable[bytes], part: BackupTable | StoredFile, words: str) -> Iterator[bytes]:
    """Yield the chunks unchanged; raise BadBackup at their end if they are not the part. words: its name."""
    digest, size = hashlib.sha256(), 0
    for chunk in chunks:
        digest.update(chunk)
        size += len(chunk)
        yield chunk
    if size < part.size:
        raise BadBackup(f"{words} was cut short: it has {size:,} of {part.size:,} bytes; {OTHER}")
    if digest.hexdigest() != part.sha256:
        raise BadBackup(f"{words} is not as it was written; {OTHER}")


OTHER = "nothing was changed. Take another copy of it, or another backup (`maumau admin backups`)."
DAMAGED = f"one of them is damaged; {OTHER}"
