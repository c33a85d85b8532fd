"""Arenas for the tests of the tournament service: shared ones, and some with settings of their own."""

from contextlib import contextmanager

import pytest

from bench.support.lab import Lab
from tests.support.arenas.cup import OURS, Cup
from tests.support.arenas.tournament import Arena
from tests.support.kinds import both_kinds
from tests.support.stores.tournament import Store


def pytest_generate_tests(metafunc):
    """Choose the databases: a module whose tests do not depend on the kind names the one it uses."""
    if "new_database" in metafunc.fixturenames:
        named = getattr(metafunc.module, "DATABASES", None)
        kinds = named or both_kinds(metafunc, "sqlite", "postgresql")
        metafunc.parametrize("new_database", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def new_database(request):
    """Makes empty databases of one kind; "" means SQLite files in the arena's folder."""
    if request.param == "sqlite":
        return lambda: ""
    return request.getfixturevalue("new_postgresql")


@pytest.fixture
def postgresql_url(new_postgresql):
    return new_postgresql()


@pytest.fixture
def store(database_url):
    """Yield the stores of a tournament service; its module adds more where needed."""
    store = Store(database_url)
    yield store
    store.database.close()


@pytest.fixture
def records_folder(tmp_path):
    """Return a folder for record files."""
    (folder := tmp_path / "records").mkdir()
    return folder


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """Return the compared lines of the cup's export without any disturbance."""
    with Lab("sqlite", tmp_path_factory.mktemp("undisturbed") / "lab", **OURS) as lab:
        return Cup(lab).finish()


@pytest.fixture(scope="session")
def start(loop, new_database, valkey, tmp_path_factory):
    """Return `with start(lease=0.3) as arena`."""

    @contextmanager
    def started(**settings):
        arena = Arena(loop, tmp_path_factory.mktemp("arena"), new_database(), valkey, **settings)
        arena.start()
        try:
            yield arena
        finally:
            arena.stop()

    return started


@pytest.fixture(scope="package")
def arena(start):
    """Yield one arena for many tests; every test makes its own tournaments."""
    with start(sweep=5.0) as arena:
        yield arena
