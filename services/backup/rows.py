"""Rows of a table in a file independent of the database: a gzip stream of msgpack, batch by batch.

Each batch is its length in four bytes, then an array of rows; the first one has the names of the columns.
"""

import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

LEVEL = 1  # the large values in a database are compressed already
LENGTH = 4
Row = Sequence[Any]


class Written(NamedTuple):
    """The totals of a written file: rows, bytes, and the bytes' hash."""

    rows: int
    size: int
    sha256: str


class Writer:
    """A writer of rows. `chunks` yields the file's bytes; then `written` is complete."""

    def __init__(self, columns: Sequence[str], batches: Iterable[Sequence[Row]]) -> None:
        self._columns, self._batches = columns, batches
        self._rows, self._size, self._digest = 0, 0, hashlib.sha256()

    @property
    def written(self) -> Written:
        return Written(self._rows, self._size, self._digest.hexdigest())

    def chunks(self) -> Iterator[bytes]:
        """Yield the file's bytes."""
        buffer = io.BytesIO()
        with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=LEVEL, mtime=0) as packed:
            packed.write(_pack_batch([self._columns]))
            for batch in self._batches:
                self._rows += len(batch)
                packed.write(_pack_batch([tuple(row) for row in batch]))
                yield self._take_bytes(buffer)
        yield self._take_bytes(buffer)

    def _take_bytes(self, buffer: io.BytesIO) -> bytes:
        chunk = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        self._size += len(chunk)
        self._digest.update(chunk)
        return chunk


def read_rows(file: Any) -> tuple[list[str], Iterator[list[Row]]]:
    """Return the columns, and an iterator over batches of rows."""
    packed = gzip.GzipFile(fileobj=file, mode="rb")
    columns = next(_read_batches(packed))[0]
    return list(columns), _read_batches(packed)


def _pack_batch(batch: Sequence[Row]) -> bytes:
    packed = msgspec.msgpack.encode(batch)
    return len(packed).to_bytes(LENGTH, "big") + packed


def _read_batches(file: gzip.GzipFile) -> Iterator[list[Row]]:
    while head := file.read(LENGTH):
        yield msgspec.msgpack.decode(file.read(int.from_bytes(head, "big")))
