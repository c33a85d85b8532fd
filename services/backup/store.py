"""The databases of all services: read at one moment, and made again. It knows no table by its name."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, bindparam, inspect, select, text

from maumau.errors import BadBackup
from services.shared import migrate
from services.shared.connect import Database, plain_errors

REVISION = "alembic_version"
RESTORED = "restored.sql"  # among a service's migrations: what it wants done after a restore
BATCH, BATCH_BYTES = 500, 4 << 20  # rows that are read at once; bytes after which a batch ends
FENCES = 1 << 32  # a fence is the database's epoch, times this, and a count


class Source:
    """One service's tables at the moment of the cut."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.revision = str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
        self.tables = _reflect(connection)

    def batches(self, table: Table) -> Iterator[list[Any]]:
        """All rows of a table, some at a time."""
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
        """The last number that was given to a row, whether or not that is still there; 0 if there is none."""
        return _last_id(self.connection, table)


@contextmanager
def cut(databases: Mapping[str, Database], scratch: Path) -> Iterator[dict[str, Source]]:
    """All databases at one and the same moment, while the services go on writing.

    PostgreSQL: one snapshot. SQLite: copies by its backup API in `scratch`, begun while nobody writes to any.
    """
    with plain_errors(), ExitStack() as stack:
        some = next(iter(databases.values()))
        opened = _copies(databases, scratch, stack) if some.sqlite else _snapshot(databases, stack)
        yield {name: Source(connection) for name, connection in opened.items()}


def _snapshot(databases: Mapping[str, Database], stack: ExitStack) -> dict[str, Connection]:
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


def _copies(databases: Mapping[str, Database], scratch: Path, stack: ExitStack) -> dict[str, Connection]:
    for name, database in databases.items():
        if not Path(str(database.url.database)).exists():
            raise BadBackup(f"There is no database of the service {name} ({database.url.database}).")
    with ExitStack() as readers:
        with ExitStack() as writers:  # nobody else may write to any of them until all have begun to read
            for database in databases.values():
                held = writers.enter_context(database.engine.execution_options(writes=True).connect())
                held.begin()
            drivers = {name: _reading(one, readers) for name, one in databases.items()}
        for name, driver in drivers.items():
            with sqlite3.connect(scratch / f"{name}.db") as copy:
                driver.backup(copy)
            copy.close()
    copies = {name: Database(f"sqlite:///{scratch / name}.db", name) for name in databases}
    for each in copies.values():
        stack.callback(each.close)
    return {name: stack.enter_context(each.engine.connect()) for name, each in copies.items()}


def _reading(database: Database, stack: ExitStack) -> sqlite3.Connection:
    """A connection of the driver's, in a transaction whose moment is now."""
    connection = stack.enter_context(database.engine.connect())
    connection.begin()
    connection.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()
    driver = connection.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def has_tables(database: Database) -> bool:
    """Whether a service has begun to use it."""
    if database.sqlite and not Path(str(database.url.database)).exists():
        return False
    with plain_errors(), database.engine.connect() as connection:
        return bool(inspect(connection).get_table_names())


class Target:
    """One service's empty database, filled in one transaction. folder: the service's migrations."""

    def __init__(self, database: Database, folder: Path, revision: str) -> None:
        self.database, self.folder = database, folder
        self.connection = database.engine.execution_options(writes=True).connect()
        if (
            database.sqlite
        ):  # a migration may copy a table and drop the old one, which references must not stop
            self.connection.connection.execute("PRAGMA foreign_keys=OFF")
        self._transaction = self.connection.begin()
        migrate.build(database, self.connection, folder, revision)
        self.tables = {str(table.name): table for table in _reflect(self.connection)}

    def insert(self, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        with plain_errors():
            values = [dict(zip(columns, row, strict=True)) for row in rows]
            self.connection.execute(self.tables[name].insert(), values)

    def empty(self) -> None:
        """Migrations may have put rows into their tables."""
        for table in reversed(self.tables.values()):
            self.connection.execute(table.delete())

    def continue_ids(self, name: str, last_id: int) -> None:
        """No row to come gets a number that was given before."""
        table = self.tables[name]
        if not last_id:
            return
        if not self.database.sqlite:
            told = {"table": name, "column": _number(table), "last": last_id}
            self.connection.execute(
                text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"), told
            )
        elif _has_sequences(self.connection, name):
            self.connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": name})
            told = {"name": name, "last": last_id}
            self.connection.execute(text("INSERT INTO sqlite_sequence VALUES (:name, :last)"), told)

    def begin_epoch(self, epoch: int) -> None:
        """What the service wants done, so that no lease from before the restore holds."""
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
        """Without a commit nothing of it stays."""
        self.connection.close()


def _reflect(connection: Connection) -> list[Table]:
    """The tables, those that others refer to first."""
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != REVISION]


def _number(table: Table) -> str:
    """The column whose numbers the database gives; "" if there is none."""
    keys = list(table.primary_key)
    return str(keys[0].name) if len(keys) == 1 and keys[0].type.python_type is int else ""


def _last_id(connection: Connection, table: Table) -> int:
    if not (number := _number(table)):
        return 0
    if connection.dialect.name == "sqlite":
        if not _has_sequences(connection, table.name):
            return 0
        query = text("SELECT max(seq) FROM sqlite_sequence WHERE name = :table")
        return connection.execute(query, {"table": table.name}).scalar() or 0
    query = text("SELECT pg_sequence_last_value(pg_get_serial_sequence(:table, :column)::regclass)")
    return connection.execute(query, {"table": table.name, "column": number}).scalar() or 0


def _has_sequences(connection: Connection, name: str) -> bool:
    """Whether SQLite keeps in mind which numbers it gave to rows of this table."""
    query = text("SELECT sql FROM sqlite_master WHERE name = :name")
    return "AUTOINCREMENT" in (connection.execute(query, {"name": name}).scalar() or "").upper()
