"""A backup: the tables at one moment, then the files that they speak of."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from services.backup import rows, store
from services.backup.manifest import FORMAT, Manifest, StoredFile, Table
from services.backup.place import Place
from services.shared.connect import Database
from services.shared.storage import Storage


def save(
    databases: Mapping[str, Database], stores: Mapping[str, Storage], place: Place
) -> tuple[str, Manifest]:
    """Writes a backup; its name and what it has. The arena goes on meanwhile.

    Files come after the tables: whatever a row speaks of was stored before the row, and is never changed.
    """
    name = place.new_name()
    before = _known_files(place)
    made = tempfile.TemporaryDirectory(prefix="maumau-backup-")
    with made as scratch, store.cut(databases, Path(scratch)) as sources:
        created_at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        revisions = {service: source.revision for service, source in sources.items()}
        tables = [table for each in sources for table in _tables(each, sources[each], name, place)]
    files = [file for each in stores for file in _files(each, stores[each], before, place)]
    kind = "sqlite" if next(iter(databases.values())).sqlite else "postgresql"
    written = Manifest(FORMAT, version("maumau-arena"), created_at, kind, revisions, tables, files)
    place.seal(name, written)
    return name, written


def _tables(service: str, source: store.Source, name: str, place: Place) -> Iterator[Table]:
    for table in source.tables:
        part = f"{service}.{table.name}.gz"
        writer = rows.Writer([str(column.name) for column in table.columns], source.batches(table))
        place.put(f"{name}/{part}", writer.chunks())
        done = writer.written
        yield Table(
            service=service, name=str(table.name), part=part, rows=done.rows, last_id=source.last_id(table),
            size=done.size, sha256=done.sha256,
        )  # fmt: skip


def _known_files(place: Place) -> dict[tuple[str, str], StoredFile]:
    """Those of the last whole backup, which need not be read again."""
    whole = [name for name, is_whole in place.names().items() if is_whole]
    files = place.read(whole[-1]).files if whole else []
    return {(file.store, file.name): file for file in files}


def _files(
    named: str, storage: Storage, before: Mapping[tuple[str, str], StoredFile], place: Place
) -> Iterator[StoredFile]:
    there = place.storage.list(f"files/{named}")
    for name, size in storage.list().items():
        known = before.get((named, name))
        if known and known.size == size == there.get(known.place):
            yield known
            continue
        try:
            yield _copy(named, name, storage, place)
        except FileNotFoundError:  # an export that made room for another one
            continue


def _copy(named: str, name: str, storage: Storage, place: Place) -> StoredFile:
    digest = hashlib.sha256()

    def counted() -> Iterator[bytes]:
        for chunk in storage.read(name):
            digest.update(chunk)
            yield chunk

    size = place.put(f"files/{named}/{name}", counted())
    return StoredFile(named, name, size, digest.hexdigest())
