"""Rows of a table in a file that any kind of database can take: a gzip stream of msgpack, batch by batch.

Each batch is its length in four bytes, then an array of rows; the first one has the names of the columns.
"""

import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

LEVEL = 1  # what is large in a database is compressed before it is stored there
LENGTH = 4
Row = Sequence[Any]


class Written(NamedTuple):
    """What came of writing: rows, bytes, and the bytes' hash."""

    rows: int
    size: int
    sha256: str


class Writer:
    """`chunks` writes what it yields; `written` is complete when they are used up."""

    def __init__(self, columns: Sequence[str], batches: Iterable[Sequence[Row]]) -> None:
        self._columns, self._batches = columns, batches
        self._rows, self._size, self._digest = 0, 0, hashlib.sha256()

    @property
    def written(self) -> Written:
        return Written(self._rows, self._size, self._digest.hexdigest())

    def chunks(self) -> Iterator[bytes]:
        """The file's bytes."""
        buffer = io.BytesIO()
        with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=LEVEL, mtime=0) as packed:
            packed.write(_pack([self._columns]))
            for batch in self._batches:
                self._rows += len(batch)
                packed.write(_pack([tuple(row) for row in batch]))
                yield self._take(buffer)
        yield self._take(buffer)

    def _take(self, buffer: io.BytesIO) -> bytes:
        chunk = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        self._size += len(chunk)
        self._digest.update(chunk)
        return chunk


def read(file: Any) -> tuple[list[str], Iterator[list[Row]]]:
    """The columns, and the batches of rows."""
    packed = gzip.GzipFile(fileobj=file, mode="rb")
    columns = next(_batches(packed))[0]
    return list(columns), _batches(packed)


def _pack(batch: Sequence[Row]) -> bytes:
    packed = msgspec.msgpack.encode(batch)
    return len(packed).to_bytes(LENGTH, "big") + packed


def _batches(file: gzip.GzipFile) -> Iterator[list[Row]]:
    while head := file.read(LENGTH):
        yield msgspec.msgpack.decode(file.read(int.from_bytes(head, "big")))
