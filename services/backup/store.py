"""The databases of all services: read at one moment, and rebuilt. No table is known by name."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, bindparam, inspect, select, text

from maumau.errors import BadBackup
from services.shared.store import migrate
from services.shared.store.connect import Database, plain_errors

REVISION = "alembic_version"
RESTORED = "restored.sql"  # in a service's migrations: statements to run after a restore
BATCH, BATCH_BYTES = 500, 4 << 20  # rows read at a time; bytes after which a batch ends
FENCES = 1 << 32  # a fence is the database's epoch times this, plus a count


class SnapshotSource:
    """The tables of a service at the moment of the cut."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.revision = str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
        self.tables = _reflect_tables(connection)

    def batches(self, table: Table) -> Iterator[list[Any]]:
        """Yield all rows of a table in batches."""
        with plain_errors():
            rows = self.connection.execution_options(stream_results=True).execute(select(table))
            batch: list[Any] = []
            size = 0
            for row in rows.yield_per(BATCH):
                batch.append(row)
                size += sum(len(value) for value in row if isinstance(value, (bytes, str)))
                if len(batch) == BATCH or size > BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
            if batch:
                yield batch

    def last_id(self, table: Table) -> int:
        """Return the last id given to a row, even a deleted one; 0 if there is none."""
        return _last_id(self.connection, table)


@contextmanager
def cut_snapshot(databases: Mapping[str, Database], scratch: Path) -> Iterator[dict[str, SnapshotSource]]:
    """Yield all databases as of one moment, while the services go on writing.

    PostgreSQL: one snapshot. SQLite: copies by its backup API in `scratch`, begun with writers locked out.
    """
    with plain_errors(), ExitStack() as stack:
        some = next(iter(databases.values()))
        opened = (
            _copy_sqlite(databases, scratch, stack) if some.sqlite else _snapshot_postgresql(databases, stack)
        )
        yield {name: SnapshotSource(connection) for name, connection in opened.items()}


def _snapshot_postgresql(databases: Mapping[str, Database], stack: ExitStack) -> dict[str, Connection]:
    found: dict[str, Connection] = {}
    exported = ""
    for name, database in databases.items():
        connection = stack.enter_context(database.engine.connect())
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
        if exported:
            connection.execute(text(f"SET TRANSACTION SNAPSHOT '{exported}'"))
        else:
            exported = str(connection.execute(text("SELECT pg_export_snapshot()")).scalar_one())
        found[name] = connection
    return found


def _copy_sqlite(databases: Mapping[str, Database], scratch: Path, stack: ExitStack) -> dict[str, Connection]:
    for name, database in databases.items():
        if not Path(str(database.url.database)).exists():
            raise BadBackup(f"There is no database of the service {name} ({database.url.database}).")
    with ExitStack() as readers:
        with ExitStack() as writers:  # no writes to any of them until all reads have begun
            for database in databases.values():
                held = writers.enter_context(database.engine.execution_options(writes=True).connect())
                held.begin()
            drivers = {name: _open_reading(one, readers) for name, one in databases.items()}
        for name, driver in drivers.items():
            with sqlite3.connect(scratch / f"{name}.db") as copy:
                driver.backup(copy)
            copy.close()
    copies = {name: Database(f"sqlite:///{scratch / name}.db", name) for name in databases}
    for each in copies.values():
        stack.callback(each.close)
    return {name: stack.enter_context(each.engine.connect()) for name, each in copies.items()}


def _open_reading(database: Database, stack: ExitStack) -> sqlite3.Connection:
    """Return a connection of the driver, in a transaction that reads the present state."""
    connection = stack.enter_context(database.engine.connect())
    connection.begin()
    connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def has_tables(database: Database) -> bool:
    """Return True if a service has begun to use the database."""
    if database.sqlite and not Path(str(database.url.database)).exists():
        return False
    with plain_errors(), database.engine.connect() as connection:
        return bool(inspect(connection).get_table_names())


class Target:
    """An empty database of a service, filled in one transaction. folder: the service's migrations."""

    def __init__(self, database: Database, folder: Path, revision: str) -> None:
        self.database, self.folder = database, folder
        self.connection = database.engine.execution_options(writes=True).connect()
        if (
            database.sqlite
        ):  # a migration may copy a table and drop the old one, which foreign keys must not prevent
            self.connection.connection.execute("PRAGMA foreign_keys=OFF")
        self._transaction = self.connection.begin()
        migrate.build(database, self.connection, folder, revision)
        self.tables = {str(table.name): table for table in _reflect_tables(self.connection)}

    def insert(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        with plain_errors():
            values = [dict(zip(columns, row, strict=True)) for row in rows]
            self.connection.execute(self.tables[name].insert(), values)

    def empty(self) -> None:
        """Delete the rows that migrations have put into their tables."""
        for table in reversed(self.tables.values()):
            self.connection.execute(table.delete())

    def continue_ids(self, name: str, last_id: int) -> None:
        """Continue the ids of a table, so that none is given twice."""
        table = self.tables[name]
        if not last_id:
            return
        if not self.database.sqlite:
            told = {"table": name, "column": _serial_column(table), "last": last_id}
            self.connection.execute(
                text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"), told
            )
        elif _has_sequences(self.connection, name):
            self.connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            told = {"name": name, "last": last_id}
            self.connection.execute(text("INSERT INTO sqlite_sequence VALUES (:name, :last)"), told)

    def begin_epoch(self, epoch: int) -> None:
        """Run the service's statements after a restore, so that no earlier lease holds."""
        script = self.folder / RESTORED
        for statement in script.read_text().split(";") if script.exists() else ():
            if statement.strip():
                told = {"epoch": epoch * FENCES, "step": FENCES}
                wanted = {name: value for name, value in told.items() if f":{name}" in statement}
                query = text(statement).bindparams(
                    *(bindparam(name, value) for name, value in wanted.items())
                )
                self.connection.execute(query)

    def commit(self) -> None:
        self._transaction.commit()
        self.close()

    def close(self) -> None:
        """Close the connection; without a commit all changes are lost."""
        self.connection.close()


def _reflect_tables(connection: Connection) -> list[Table]:
    """Return the tables, referenced ones first."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != REVISION]


def _serial_column(table: Table) -> str:
    """Return the column with ids given by the database; "" if there is none."""
    keys = list(table.primary_key)
    return str(keys[0].name) if len(keys) == 1 and keys[0].type.python_type is int else ""


def _last_id(connection: Connection, table: Table) -> int:
    if not (number := _serial_column(table)):
        return 0
    if connection.dialect.name == "sqlite":
        if not _has_sequences(connection, table.name):
            return 0
        query = text("SELECT max(seq) FROM sqlite_sequence WHERE name = :table")
        return connection.execute(query, {"table": table.name}).scalar() or 0
    query = text("SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, :column)::regclass)")
    return connection.execute(query, {"table": table.name, "column": number}).scalar() or 0


def _has_sequences(connection: Connection, name: str) -> bool:
    """Return True if SQLite remembers the ids given to rows of this table."""
    query = text("SELECT sql FROM sqlite_master WHERE name = :name")
    return "AUTOINCREMENT" in (connection.execute(query, {"name": name}).scalar() or "").upper()
