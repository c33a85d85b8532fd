"""Files of tables, written row by row and given their names only when all of them are whole."""

from __future__ import annotations

import csv
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final, Literal, Protocol, Self

import msgspec

from maumau.data.row import TableRow
from maumau.data.schema import IN_PARQUET, TABLES, VERSION, ColumnValues, TableName, names_of
from maumau.errors import BadFile, MissingExtra
from maumau.process.extra import say_install

Format = Literal["parquet", "csv", "jsonl"]
FORMATS: Final[tuple[Format, ...]] = ("parquet", "csv", "jsonl")
BATCH: Final = 2048
"""Rows that are in memory before they are written as a group of a Parquet file: about 3 MB of records."""

MANIFEST: Final = "manifest.json"


class DataFile(msgspec.Struct, frozen=True):
    """A file of a table."""

    table: str
    name: str
    rows: int
    bytes: int
    sha256: str


class DataManifest(msgspec.Struct, frozen=True):
    """The contents of a folder, written as its last file. schema: the version of the columns."""

    schema: int
    source: str
    files: tuple[DataFile, ...]


class _Writer(Protocol):
    def write(self, rows: list[ColumnValues]) -> None: ...

    def close(self) -> None: ...


class _Csv:
    def __init__(self, path: Path, table: TableName) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\r\n")
        self._writer.writerow(names_of(table))

    def write(self, rows: list[ColumnValues]) -> None:
        self._writer.writerows(rows)

    def close(self) -> None:
        _close_safely(self._file)


class _JsonLines:
    def __init__(self, path: Path, table: TableName) -> None:
        self._file, self._names = path.open("wb"), names_of(table)

    def write(self, rows: list[ColumnValues]) -> None:
        for row in rows:
            self._file.write(msgspec.json.encode(dict(zip(self._names, row, strict=True))) + b"\n")

    def close(self) -> None:
        _close_safely(self._file)


class _Parquet:
    def __init__(self, path: Path, table: TableName) -> None:
        arrow, parquet = _import_arrow()
        kinds = {
            "text": arrow.string(),
            "integer": arrow.int64(),
            "number": arrow.float64(),
            "time": arrow.timestamp("ms", tz="UTC"),
        }
        assert kinds.keys() == IN_PARQUET.keys()
        self._arrow, self._columns = arrow, TABLES[table]
        fields = [
            arrow.field(one.name, kinds[one.kind], metadata={"unit": one.unit, "content": one.words})
            for one in self._columns
        ]
        self._schema = arrow.schema(fields, metadata={"maumau_schema": str(VERSION)})
        self._file = path.open("wb")
        self._writer = parquet.ParquetWriter(self._file, self._schema, compression="zstd")

    def write(self, rows: list[ColumnValues]) -> None:
        arrays = [self._as_array(place, [row[place] for row in rows]) for place in range(len(self._columns))]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def _as_array(self, place: int, values: list[Any]) -> Any:
        kind = self._schema.field(place).type
        if self._columns[place].kind == "time":
            return self._arrow.array(values, self._arrow.string()).cast(kind)
        return self._arrow.array(values, kind)

    def close(self) -> None:
        self._writer.close()
        _close_safely(self._file)


WRITERS: Final[dict[Format, type[_Csv | _JsonLines | _Parquet]]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _JsonLines,
}


class TableFiles:
    """The files of all tables in a folder, which appear under their names when the block ends without error.

    Memory is bounded by `BATCH` rows of each table. The manifest is removed first and written last, so that
    where it is, everything is whole and belongs together.
    """

    def __init__(self, folder: Path, form: Format, source: str) -> None:
        self.folder, self.form, self.source = folder, form, source
        self.files: tuple[DataFile, ...] = ()
        self._draft = folder / f".new-{os.getpid()}"
        self._writers: dict[TableName, _Writer] = {}
        self._waiting: dict[TableName, list[ColumnValues]] = {table: [] for table in TABLES}
        self._rows: dict[TableName, int] = dict.fromkeys(TABLES, 0)

    def __enter__(self) -> Self:
        if self.form == "parquet":
            _import_arrow()
        try:
            self._draft.mkdir(parents=True, exist_ok=True)
            for table in TABLES:
                self._writers[table] = WRITERS[self.form](self._draft / self._name(table), table)
        except OSError as error:
            shutil.rmtree(self._draft, ignore_errors=True)
            raise self._refuse(error) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        except OSError as error:
            raise self._refuse(error) from None
        finally:
            shutil.rmtree(self._draft, ignore_errors=True)

    def add_rows(self, rows: Iterable[TableRow]) -> None:
        """Write rows. Raise BadFile if the disk does not take them."""
        for table, values in rows:
            waiting = self._waiting[table]
            waiting.append(values)
            self._rows[table] += 1
            if len(waiting) >= BATCH:
                self._write_waiting(table)

    def _write_waiting(self, table: TableName) -> None:
        try:
            self._writers[table].write(self._waiting[table])
        except OSError as error:
            raise self._refuse(error) from None
        self._waiting[table].clear()

    def _finish(self) -> None:
        for table, writer in self._writers.items():
            if self._waiting[table]:
                self._write_waiting(table)
            writer.close()
        self.files = tuple(self._describe(table) for table in TABLES)
        manifest = DataManifest(VERSION, self.source, self.files)
        text = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
        (self._draft / MANIFEST).write_bytes(text)
        (self.folder / MANIFEST).unlink(missing_ok=True)
        for name in (*(file.name for file in self.files), MANIFEST):
            (self._draft / name).replace(self.folder / name)

    def _describe(self, table: TableName) -> DataFile:
        path = self._draft / self._name(table)
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        return DataFile(table, path.name, self._rows[table], path.stat().st_size, sha256)

    def _name(self, table: TableName) -> str:
        return f"{table}.{self.form}"

    def _refuse(self, error: OSError) -> BadFile:
        return BadFile(f"{self.folder} cannot be written: {error.strerror or error}")


def _close_safely(file: IO[Any]) -> None:
    """Close a file whose bytes are on the disk."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


def _import_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtra(
            f"Parquet needs pyarrow, which is not installed: {say_install('data')}; csv and jsonl do not"
        ) from None
    return pa, pq
