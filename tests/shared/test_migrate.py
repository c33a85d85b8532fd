"""Migrations: each service brings its own tables up to date, alone and completely."""

import importlib
import pkgutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import inspect

import services
from services.shared import migrate
from services.shared.connect import Database

OWNERS = [
    one.name
    for one in pkgutil.iter_modules(services.__path__)
    if (Path(services.__path__[0]) / one.name / "migrations" / "env.py").exists()
]


@pytest.fixture(params=OWNERS)
def service(request):
    """The name, the migrations' folder and the tables that the code has now."""
    models = importlib.import_module(f"services.{request.param}.models")
    return request.param, Path(models.__file__).parent / "migrations", models.Table.metadata


def test_the_migrations_end_in_the_tables_that_the_code_has(service, database_url):
    name, folder, metadata = service
    database = Database(database_url, name)
    migrate.upgrade(database, folder, metadata)
    migrate.upgrade(database, folder, metadata)
    writer = database.engine.execution_options(writes=True)
    with writer.connect() as connection, connection.begin():
        command.check(migrate.configuration(folder, connection, metadata))
    database.close()


def test_replicas_that_start_together_migrate_once(service, database_url):
    name, folder, metadata = service
    databases = [Database(database_url, name) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda one: migrate.upgrade(one, folder, metadata), databases))
    tables = inspect(databases[0].engine).get_table_names(None if databases[0].sqlite else name)
    assert set(metadata.tables) < set(tables)
    for database in databases:
        database.close()
