"""Migrations: each service brings its own tables up to date, alone and completely."""

import pkgutil
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.util import CommandError
from sqlalchemy import create_engine, inspect, make_url, text
from sqlmodel import SQLModel

import services
from bench.support.patience import patient
from services.shared.store import connect, migrate
from services.shared.store.connect import Database
from tests.support.stores.tables import find_metadata

OWNERS = [
    one.name
    for one in pkgutil.iter_modules(services.__path__)
    if (Path(services.__path__[0]) / one.name / "migrations" / "env.py").exists()
]


@pytest.fixture(params=OWNERS)
def service(request):
    """Return the name, the migrations' folder and the tables that the code has now."""
    folder = Path(services.__path__[0]) / request.param / "migrations"
    return request.param, folder, find_metadata(request.param)


@pytest.mark.sample
@pytest.mark.stores
def test_the_migrations_end_in_the_tables_that_the_code_has(service, database_url):
    name, folder, metadata = service
    database = Database(database_url, name)
    migrate.upgrade(database, folder, metadata)
    writer = database.engine.execution_options(writes=True)
    with writer.connect() as connection, connection.begin():
        command.check(migrate.configuration(folder, connection, metadata))
    database.close()


@pytest.mark.sample
def test_alembic_is_not_even_imported_where_nothing_has_to_be_done(service, database_url, monkeypatch):
    name, folder, metadata = service
    database = Database(database_url, name)
    migrate.upgrade(database, folder, metadata)
    monkeypatch.setitem(sys.modules, "alembic", None)  # later imports raise ImportError
    migrate.upgrade(database, folder, metadata)
    database.close()


@pytest.mark.sample
def test_replicas_that_start_together_migrate_once(service, database_url):
    name, folder, metadata = service
    databases = [Database(database_url, name) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda one: migrate.upgrade(one, folder, metadata), databases))
    tables = inspect(databases[0].engine).get_table_names(None if databases[0].sqlite else name)
    assert set(metadata.tables) < set(tables)
    for database in databases:
        database.close()


@pytest.mark.sample
def test_migrations_wait_for_each_other_longer_than_a_write_waits(service, tmp_path, monkeypatch):
    name, folder, metadata = service
    monkeypatch.setattr(connect, "BUSY", 0.05)
    file = tmp_path / "test.db"
    database = Database(f"sqlite:///{file}", name)
    with database.read() as session:  # it writes ahead from now on
        assert session.exec(text("SELECT 1")).scalar_one() == 1
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        upgraded = pool.submit(migrate.upgrade, database, folder, metadata)
        with pytest.raises(TimeoutError):
            upgraded.result(0.5)
        other.rollback()
        upgraded.result(patient(30))
    assert set(metadata.tables) < set(inspect(database.engine).get_table_names())
    database.close()
    other.close()


@pytest.mark.stores
def test_the_registry_starts_where_its_user_may_not_use_the_trigrams(postgresql_url):
    """The extension is in a schema without USAGE: searches read all names then."""
    superuser = create_engine(postgresql_url, isolation_level="AUTOCOMMIT")
    url = make_url(postgresql_url)
    user = f"user_{url.database}"
    with superuser.connect() as connection:
        for words in (
            "CREATE SCHEMA elsewhere",
            "CREATE EXTENSION pg_trgm SCHEMA elsewhere",
            f'CREATE ROLE "{user}" LOGIN',
            f'GRANT CREATE ON DATABASE "{url.database}" TO "{user}"',
            f'CREATE SCHEMA registry AUTHORIZATION "{user}"',
        ):
            connection.execute(text(words))
    folder = Path(services.__path__[0]) / "registry" / "migrations"
    database = Database(url.set(username=user).render_as_string(hide_password=False), "registry")
    migrate.upgrade(database, folder, find_metadata("registry"))
    indexes = {one["name"] for one in inspect(database.engine).get_indexes("team", "registry")}
    assert "ix_team_standing" in indexes
    assert not {one for one in indexes if one.endswith(migrate.PARTS)}
    database.close()
    superuser.dispose()


def test_a_failed_upgrade_leaves_the_connection_as_it_was(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'x.db'}", "registry")
    with pytest.raises(CommandError):
        migrate.upgrade(database, tmp_path / "no-migrations", SQLModel.metadata)
    with database.read() as session:
        settings = [
            session.exec(text(f"PRAGMA {name}")).scalar_one() for name in ("foreign_keys", "busy_timeout")
        ]
    database.close()
    assert settings == [1, 30_000]
