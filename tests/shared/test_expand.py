"""Versions side by side: a migration leaves what the version before uses, and that version serves on."""

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import MetaData, inspect, text

import services
from bench.support.patience import patient
from maumau.errors import LaterDatabase
from services.shared.store import migrate
from services.shared.store.connect import Database
from tests.support.stores.tables import find_metadata

OWNERS = [
    one.name
    for one in pkgutil.iter_modules(services.__path__)
    if (Path(services.__path__[0]) / one.name / "migrations" / "env.py").exists()
]
FIRST = {"registry": "0007", "tournament": "0013"}  # from these on all expand


def folder_of(name):
    return Path(services.__path__[0]) / name / "migrations"


def revisions(name):
    return sorted(file.name.split("_")[0] for file in folder_of(name).glob("versions/[0-9]*.py"))


def shape(connection):
    """By table: its columns with type and whether they may be left out, and its constraints."""
    looked, found = inspect(connection), {}
    for table in set(looked.get_table_names()) - {"alembic_version"}:
        columns = {
            one["name"]: (str(one["type"]), one["nullable"] or one["default"] is not None)
            for one in looked.get_columns(table)
        }
        bound = [
            *(("unique", *one["column_names"]) for one in looked.get_unique_constraints(table)),
            *(("foreign", *one["constrained_columns"]) for one in looked.get_foreign_keys(table)),
            *(("check", one["sqltext"]) for one in looked.get_check_constraints(table)),
            *(("unique", *one["column_names"]) for one in looked.get_indexes(table) if one["unique"]),
        ]
        found[table] = columns, set(bound)
    return found


def differences(before, after):
    """Yield the changes in `after` that break code that knows `before`."""
    for table, (columns, bound) in before.items():
        if table not in after:
            yield f"{table} is gone"
            continue
        now, now_bound = after[table]
        yield from (
            f"{table}.{one} is gone or of another type" for one in columns if now.get(one) != columns[one]
        )
        yield from (f"{table}.{one} must be given" for one in now.keys() - columns if not now[one][1])
        yield from (f"{table}: {one} was not asked before" for one in now_bound - bound)


@pytest.mark.long
@pytest.mark.parametrize("name", OWNERS)
def test_each_migration_leaves_what_the_version_before_reads_and_writes(name, tmp_path):
    database, first = Database(f"sqlite:///{tmp_path / 'x.db'}", name), FIRST.get(name, revisions(name)[0])
    wrong, before = {}, {}
    with database.engine.execution_options(writes=True).connect() as connection, connection.begin():
        for revision in revisions(name):
            command.upgrade(migrate.configuration(folder_of(name), connection, MetaData()), revision)
            after = shape(connection)
            if revision > first and (found := sorted(differences(before, after))):
                wrong[revision] = found
            before = after
    database.close()
    assert not wrong


@pytest.fixture(params=OWNERS)
def later(request, database_url):
    """Yield a database migrated by a later version: its URL, the service, and a function for statements."""
    name = request.param
    database = Database(database_url, name)
    upgrade(database, name)

    def run(*statements):
        with database.write() as session:
            for one in statements:
                session.execute(text(one))

    run("UPDATE alembic_version SET version_num = '9001'", "CREATE TABLE news (id INTEGER)")
    yield database, name, run
    database.close()


def upgrade(database, name):
    migrate.upgrade(database, folder_of(name), find_metadata(name))


@pytest.mark.sample
def test_a_version_serves_on_with_the_tables_of_a_later_one(later):
    database, name, run = later
    upgrade(database, name)
    run("INSERT INTO news VALUES (1)")  # nothing was undone
    run("CREATE TABLE oldest_revision (revision VARCHAR(32))", "INSERT INTO oldest_revision VALUES ('0001')")
    upgrade(database, name)


@pytest.mark.sample
def test_a_version_that_a_later_one_has_left_behind_says_so(later):
    database, name, run = later
    run("CREATE TABLE oldest_revision (revision VARCHAR(32))", "INSERT INTO oldest_revision VALUES ('9000')")
    latest = revisions(name)[-1]
    with pytest.raises(LaterDatabase) as refusal:
        upgrade(database, name)
    assert str(refusal.value) == (
        f"The tables of the {name} service were changed by a later version of maumau (revision 9001), and"
        f" this version (revision {latest}) cannot use them. Start that version again, or restore a backup"
        " that was made before."
    )


@pytest.mark.long
def test_a_service_that_was_left_behind_ends_with_one_line(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'registry.db'}", "registry")
    upgrade(database, "registry")
    with database.write() as session:
        for one in (
            "UPDATE alembic_version SET version_num = '9001'",
            "CREATE TABLE oldest_revision (revision VARCHAR(32))",
            "INSERT INTO oldest_revision VALUES ('9000')",
        ):
            session.execute(text(one))
    database.close()
    told = {"MAUMAU_DATA": str(tmp_path), "MAUMAU_LISTEN": "127.0.0.1:0"}
    done = subprocess.run(
        [sys.executable, "-m", "services.registry"], env={**os.environ, **told}, capture_output=True,
        text=True, timeout=patient(60), check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "error: The tables of the registry service were changed by a later"
    )
    assert "Traceback" not in done.stderr


CONTRACTS = """
from alembic import op
from services.shared.store.migrate import forbid_older
revision, down_revision = "9001", {last!r}


def upgrade():
    op.drop_index("ix_token_account_id", "token")
    forbid_older("9000")
"""


def test_a_migration_that_drops_something_forbids_older_versions(tmp_path):
    """Of a copy of the registry, since no migration of this version drops anything."""
    database = Database(f"sqlite:///{tmp_path / 'registry.db'}", "registry")
    upgrade(database, "registry")
    index = next(one["name"] for one in inspect(database.engine).get_indexes("token"))
    folder = tmp_path / "migrations"
    for file in folder_of("registry").rglob("*.py"):
        (there := folder / file.relative_to(folder_of("registry"))).parent.mkdir(parents=True, exist_ok=True)
        there.write_text(file.read_text())
    words = CONTRACTS.format(last=revisions("registry")[-1]).replace("ix_token_account_id", index)
    (folder / "versions/9001_contracts.py").write_text(words)
    migrate.upgrade(database, folder, MetaData())
    migrate.upgrade(database, folder, MetaData())
    with pytest.raises(LaterDatabase):
        upgrade(database, "registry")
    database.close()
