"""What a backup says of itself: versions, time, and the SHA-256 of each of its parts."""

import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from maumau.errors import BadBackup

FORMAT = 1  # of what is written; a restore knows this one and those before it
MANIFEST, SEAL = "manifest.json", "manifest.sha256"
"""The seal is the manifest's SHA-256, as `sha256sum --check` reads it. It is written last of all."""


class Table(msgspec.Struct, frozen=True):
    """A table of a service. part: its file in the backup. last_id: the last number given to a row, or 0."""

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
    """created_at: UTC, of the moment that it shows. revisions: of each service's tables."""

    format: int
    version: str
    created_at: str
    database: str
    revisions: dict[str, str]
    tables: list[Table]
    files: list[StoredFile]

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables)

    @property
    def size(self) -> int:
        return sum(table.size for table in self.tables) + sum(file.size for file in self.files)


def write(manifest: Manifest) -> tuple[bytes, bytes]:
    """The manifest's bytes and its seal's."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    return text, f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode()


def read(text: bytes, seal: bytes, name: str) -> Manifest:
    """Raises BadBackup if the two do not fit, or come from a later version. name: of the backup."""
    if seal != f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode():
        raise BadBackup(f"{name}: {MANIFEST} and {SEAL} do not belong together: {DAMAGED}")
    head = msgspec.json.decode(text)
    if head["format"] > FORMAT:
        raise later(name, head["version"])
    return msgspec.json.decode(text, type=Manifest)


def later(name: str, version: str) -> BadBackup:
    return BadBackup(
        f"{name} was made by maumau {version}, which writes what this version cannot read;"
        " restore it with that version or a later one."
    )


def check_part(chunks: Iterable[bytes], part: Table | StoredFile, words: str) -> Iterator[bytes]:
    """The chunks as they are; BadBackup at their end if they are not the part's. words: what it is."""
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
