"""A backup: the tables at one moment, then the files that they refer to."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from services.backup import rows, store
from services.backup.manifest import FORMAT, BackupTable, Manifest, StoredFile
from services.backup.place import BackupPlace
from services.shared.store.connect import Database
from services.shared.store.storage import Storage


def save_backup(
    databases: Mapping[str, Database], stores: Mapping[str, Storage], place: BackupPlace
) -> tuple[str, Manifest]:
    """Write a backup while the arena goes on; return its name and manifest.

    Files come after the tables: a file is stored before any row refers to it, and never changes.
    """
    name = place.new_name()
    before = _known_files(place)
    made = tempfile.TemporaryDirectory(prefix="maumau-backup-")
    with made as scratch, store.cut_snapshot(databases, Path(scratch)) as sources:
        created_at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        revisions = {service: source.revision for service, source in sources.items()}
        tables = [table for each in sources for table in _save_tables(each, sources[each], name, place)]
    files = [file for each in stores for file in _save_files(each, stores[each], before, place)]
    kind = "sqlite" if next(iter(databases.values())).sqlite else "postgresql"
    written = Manifest(FORMAT, version("maumau-arena"), created_at, kind, revisions, tables, files)
    place.seal(name, written)
    return name, written


def _save_tables(
    service: str, source: store.SnapshotSource, name: str, place: BackupPlace
) -> Iterator[BackupTable]:
    for table in source.tables:
        part = f"{service}.{table.name}.gz"
        writer = rows.Writer([str(column.name) for column in table.columns], source.batches(table))
        place.put(f"{name}/{part}", writer.chunks())
        done = writer.written
        yield BackupTable(
            service=service,
            name=str(table.name),
            part=part,
            rows=done.rows,
            last_id=source.last_id(table),
            size=done.size,
            sha256=done.sha256,
        )


def _known_files(place: BackupPlace) -> dict[tuple[str, str], StoredFile]:
    """Return the files of the last complete backup, which need not be read again."""
    whole = [name for name, is_whole in place.names().items() if is_whole]
    files = place.read(whole[-1]).files if whole else []
    return {(file.store, file.name): file for file in files}


def _save_files(
    named: str, storage: Storage, before: Mapping[tuple[str, str], StoredFile], place: BackupPlace
) -> Iterator[StoredFile]:
    there = place.storage.list(f"files/{named}")
    for name, size in storage.list().items():
        known = before.get((named, name))
        if known and known.size == size == there.get(known.place):
            yield known
            continue
        try:
            yield _copy_stored(named, name, storage, place)
        except FileNotFoundError:  # an export that was removed to make room
            continue


def _copy_stored(named: str, name: str, storage: Storage, place: BackupPlace) -> StoredFile:
    digest = hashlib.sha256()

    def count_bytes() -> Iterator[bytes]:
        for chunk in storage.read(name):
            digest.update(chunk)
            yield chunk

    size = place.put(f"files/{named}/{name}", count_bytes())
    return StoredFile(named, name, size, digest.hexdigest())
