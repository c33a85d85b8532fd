"""Migrations by Alembic at start: each service brings its tables up to date, by one of its replicas.

A service's `migrations/env.py` calls `run()` and nothing else. Migrations expand: columns that the version
before uses are kept, so that both run side by side while an arena is upgraded. Unused ones are
dropped one release later, by a migration that calls `forbid_older` (decision 60).
`tests/shared/test_expand.py` compares each revision with the one before.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, MetaData, inspect, text
from sqlalchemy.schema import CreateSchema

from maumau.errors import LaterDatabase
from services.shared.base import log
from services.shared.store.connect import BUSY, Database, plain_errors, set_busy_timeout

if TYPE_CHECKING:
    from alembic.config import Config

PATIENCE = 600.0  # seconds to wait for another replica's migrations; a process that dies leaves no lock
OLDEST = "oldest_revision"  # a table: versions that do not know its revision must not serve any more
PARTS = "_name_part"
"""The end of the names of indexes that only some servers have, so that no model names them."""
NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


logger = log.get(__name__)


def upgrade(database: Database, folder: Path, metadata: MetaData) -> None:
    """Run the pending migrations in `folder`, in one transaction or not at all.

    Tables of a later version are left as they are; raise LaterDatabase if this version cannot use them.
    Alembic takes longer to import than all of this, so it is not imported if nothing is pending.
    """
    known = sorted(file.name.split("_")[0] for file in folder.glob("versions/[0-9]*.py"))
    with plain_errors(), database.engine.connect() as connection:
        if _serves(connection, database.schema, known):
            return
    from alembic import command

    with plain_errors(), database.engine.execution_options(writes=True).connect() as connection:
        if database.sqlite:  # a batch copies a table and drops the old one; foreign keys must not prevent it
            connection.connection.execute("PRAGMA foreign_keys=OFF")
            set_busy_timeout(connection.connection, PATIENCE)
        try:
            with connection.begin():
                database.alone(connection)
                if _serves(connection, database.schema, known):  # another replica was faster
                    return
                if not database.sqlite:
                    connection.execute(CreateSchema(database.schema, if_not_exists=True))
                command.upgrade(configuration(folder, connection, metadata), "head")
        finally:
            if database.sqlite:  # the connection returns to the pool
                connection.connection.execute("PRAGMA foreign_keys=ON")
                set_busy_timeout(connection.connection, BUSY)


def _serves(connection: Connection, service: str, known: Sequence[str]) -> bool:
    """Return True if the tables are current or, which is logged, of a later version that can be used.

    known: the revisions that this version knows, the latest last.
    """
    had, latest = read_revision(connection), known[-1] if known else ""
    if not had or not known:
        return False
    if had in known:
        return had == latest
    if inspect(connection).has_table(OLDEST):
        oldest = connection.execute(text(f"SELECT revision FROM {OLDEST}")).scalars().all()  # noqa: S608
        if not set(oldest) <= set(known):
            raise LaterDatabase(
                f"The tables of the {service} service were changed by a later version of maumau (revision"
                f" {had}), and this version (revision {latest}) cannot use them. Start that version again, or"
                " restore a backup that was made before."
            )
    logger.info("the tables are those of a later version", service=service, has=had, knows=latest)
    return True


def read_revision(connection: Connection) -> str:
    """Return the revision of the last migration of the database; "" if it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return max(connection.execute(text("SELECT version_num FROM alembic_version")).scalars(), default="")


def forbid_older(oldest: str) -> None:
    """Bar versions that do not know this revision; for a migration that drops something."""
    from alembic import op

    op.execute(f"CREATE TABLE IF NOT EXISTS {OLDEST} (revision VARCHAR(32) NOT NULL)")
    op.execute(f"DELETE FROM {OLDEST}")  # noqa: S608
    op.execute(f"INSERT INTO {OLDEST} VALUES ('{oldest}')")  # noqa: S608


def build(database: Database, connection: Connection, folder: Path, revision: str) -> None:
    """Build the tables of this revision, in an empty database and in the open transaction."""
    from alembic import command

    if not database.sqlite:
        connection.execute(CreateSchema(database.schema, if_not_exists=True))
    command.upgrade(configuration(folder, connection, MetaData()), revision)


def is_known(folder: Path, revision: str) -> bool:
    """Return True if a migration in `folder` leads to this revision."""
    return any(file.name.split("_")[0] == revision for file in folder.glob("versions/[0-9]*.py"))


def configuration(folder: Path, connection: Connection, metadata: MetaData) -> "Config":
    """Return Alembic's configuration without a file; `connection` and `metadata` reach run()."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection, "metadata": metadata})
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def run() -> None:
    """Run the migrations, as a service's env.py."""
    from alembic import context

    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"],
        target_metadata=attributes["metadata"],
        render_as_batch=True,
        compare_type=True,
        include_name=lambda name, *_: name != OLDEST and not str(name).endswith(PARTS),
    )
    context.run_migrations()
