"""A restore: everything is checked before any change, and all databases come into existence at once."""

import hashlib
import secrets
import time
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

from maumau.errors import BadBackup, NotEmpty
from services.backup import manifest, rows
from services.backup.manifest import Manifest, StoredFile
from services.backup.place import BackupPlace
from services.backup.store import Target, has_tables
from services.shared.store import migrate
from services.shared.store.connect import Database
from services.shared.store.storage import Storage

Databases = Mapping[str, Database]
Folders = Callable[[str], Path]


def restore_backup(
    name: str,
    place: BackupPlace,
    databases: Databases,
    stores: Mapping[str, Storage],
    folders: Folders,
) -> Manifest:
    """Restore this backup into an empty arena. folders: returns a service's folder of migrations.

    An existing file is kept if its bytes are the backup's. The databases must be empty.
    """
    written = place.read(name)
    _check_versions(name, written, databases, folders)
    _check_empty(databases)
    place.check(name, written)
    for file in written.files:
        if file.store in stores:
            _copy_file(file, place, stores[file.store])
    _fill_databases(name, written, place, databases, folders)
    return written


def _check_versions(name: str, written: Manifest, databases: Databases, folders: Folders) -> None:
    if unknown := find_unknown(written, databases, folders):
        raise BadBackup(
            f"{name} has tables that a later version of maumau has changed ({', '.join(unknown)}); restore it"
            " with that version or a later one."
        )


def find_unknown(written: Manifest, services: Container[str], folders: Folders) -> list[str]:
    """Return the services whose tables this version does not know, each with its revision."""
    return [
        f"{service} {revision}"
        for service, revision in written.revisions.items()
        if service not in services or not migrate.is_known(folders(service), revision)
    ]


def _check_empty(databases: Databases) -> None:
    used = [(service, database) for service, database in databases.items() if has_tables(database)]
    if not used:
        return
    if used[0][1].sqlite:
        where = str(Path(str(used[0][1].url.database)).parent)
        raise NotEmpty(
            f"There is an arena in {where} already; nothing was changed. Choose another data folder."
        )
    schemas = ", ".join(service for service, _ in used)
    raise NotEmpty(
        f"The database has tables in {schemas} already; nothing was changed. Choose an empty database, or"
        f" stop all services and remove what is there with DROP SCHEMA {schemas} CASCADE."
    )


def _copy_file(file: StoredFile, place: BackupPlace, storage: Storage) -> None:
    if not _is_there(file, storage):
        chunks = place.storage.read(file.place)
        storage.put(file.name, manifest.check_part(chunks, file, file.place))


def _is_there(file: StoredFile, storage: Storage) -> bool:
    """Return True if a file has the same bytes: a damaged one may have the same size."""
    if storage.size(file.name) != file.size:
        return False
    digest = hashlib.sha256()
    for chunk in storage.read(file.name):
        digest.update(chunk)
    return digest.hexdigest() == file.sha256


def _fill_databases(
    name: str, written: Manifest, place: BackupPlace, databases: Databases, folders: Folders
) -> None:
    """Fill all databases or none: they are committed at the very end."""
    with ExitStack() as stack:
        drafts = {service: _draft_database(databases[service], stack) for service in written.revisions}
        targets = {
            service: stack.enter_context(closing(Target(draft, folders(service), written.revisions[service])))
            for service, draft in drafts.items()
        }
        epoch = int(time.time())
        for service, target in targets.items():
            _fill_one(service, target, name, written, place)
            target.begin_epoch(epoch)
        for target in targets.values():
            target.commit()
        for service, draft in drafts.items():
            _put_in_place(draft, databases[service])


def _fill_one(service: str, target: Target, name: str, written: Manifest, place: BackupPlace) -> None:
    tables = {table.name: table for table in written.tables if table.service == service}
    if tables.keys() != target.tables.keys():
        odd = ", ".join(sorted(tables.keys() ^ target.tables.keys()))
        raise BadBackup(f"{name}: the tables of {service} are not those of its revision ({odd}).")
    target.empty()
    for each in target.tables:  # referenced ones first
        table, count = tables[each], 0
        with place.storage.open(f"{name}/{table.part}") as file:
            columns, batches = rows.read_rows(file)
            for batch in batches:
                target.insert(each, columns, batch)
                count += len(batch)
        if count != table.rows:
            raise BadBackup(
                f"{name}: {table.part} has {count} rows instead of {table.rows}; nothing was changed."
            )
        target.continue_ids(each, table.last_id)


def _draft_database(database: Database, stack: ExitStack) -> Database:
    """Return the database to fill: for a SQLite file, one of another name."""
    if not database.sqlite:
        return database
    path = Path(str(database.url.database))
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = Database(f"sqlite:///{fresh}", database.schema)
    stack.callback(_remove_draft, fresh)
    stack.callback(draft.close)
    return draft


def _put_in_place(draft: Database, database: Database) -> None:
    if database.sqlite:
        draft.close()  # the last connection merges the write-ahead log into the file
        Path(str(draft.url.database)).rename(str(database.url.database))


def _remove_draft(path: Path) -> None:
    for each in _with_log(path):
        each.unlink(missing_ok=True)


def _with_log(path: Path) -> Iterator[Path]:
    yield from (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))
