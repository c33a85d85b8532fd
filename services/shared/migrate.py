"""Alembic at start: each service brings its tables up to date, and of several replicas one does it.

A service's `migrations/env.py` calls `run()` and nothing else.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, MetaData, inspect, text
from sqlalchemy.schema import CreateSchema

from services.shared.connect import BUSY, Database, plain_errors, set_busy_timeout

if TYPE_CHECKING:
    from alembic.config import Config

PATIENCE = 600.0  # seconds that one waits for another one's migrations; who dies leaves no lock
NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def upgrade(database: Database, folder: Path, metadata: MetaData) -> None:
    """Runs the migrations in `folder` that the database has not had, in one transaction or not at all.

    Alembic takes longer to import than all of this, so it is left alone where nothing has to be done.
    """
    if is_current(database, folder):
        return
    from alembic import command

    with plain_errors(), database.engine.execution_options(writes=True).connect() as connection:
        if database.sqlite:  # a batch copies a table and drops the old one, which references must not stop
            connection.connection.execute("PRAGMA foreign_keys=OFF")
            set_busy_timeout(connection.connection, PATIENCE)
        try:
            with connection.begin():
                database.alone(connection)
                if not database.sqlite:
                    connection.execute(CreateSchema(database.schema, if_not_exists=True))
                command.upgrade(configuration(folder, connection, metadata), "head")
        finally:
            if database.sqlite:  # the connection goes back into the pool
                connection.connection.execute("PRAGMA foreign_keys=ON")
                set_busy_timeout(connection.connection, BUSY)


def build(database: Database, connection: Connection, folder: Path, revision: str) -> None:
    """The tables as they were at this revision, in an empty database and in the transaction that is open."""
    from alembic import command

    if not database.sqlite:
        connection.execute(CreateSchema(database.schema, if_not_exists=True))
    command.upgrade(configuration(folder, connection, MetaData()), revision)


def is_known(folder: Path, revision: str) -> bool:
    """Whether one of the migrations in `folder` leads to this revision."""
    return any(file.name.split("_")[0] == revision for file in folder.glob("versions/[0-9]*.py"))


def is_current(database: Database, folder: Path) -> bool:
    """Whether the database has had the latest of the migrations, whose files begin with their revision."""
    latest = max((file.name.split("_")[0] for file in folder.glob("versions/[0-9]*.py")), default="")
    with plain_errors(), database.engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return False
        had = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
    return had == [latest]


def configuration(folder: Path, connection: Connection, metadata: MetaData) -> "Config":
    """Alembic's configuration without a file of its own; `connection` and `metadata` reach run()."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection, "metadata": metadata})
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def run() -> None:
    """What a service's env.py does."""
    from alembic import context

    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"], target_metadata=attributes["metadata"],
        render_as_batch=True, compare_type=True,
    )  # fmt: skip
    context.run_migrations()
