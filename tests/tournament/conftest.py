"""Arenas for the tests of the tournament service: shared ones, and some with settings of their own."""

from contextlib import contextmanager

import pytest

from bench.lab import Lab
from tests.kinds import both_kinds
from tests.tournament.arena import Arena
from tests.tournament.cup import OURS, Cup
from tests.tournament.store import Store


def pytest_generate_tests(metafunc):
    """A module whose tests do not depend on the kind of database names the one it uses."""
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
    """The stores of a tournament service; its module says more where it needs more."""
    store = Store(database_url)
    yield store
    store.database.close()


@pytest.fixture
def records_folder(tmp_path):
    """Where record files go."""
    (folder := tmp_path / "records").mkdir()
    return folder


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """The compared lines of the cup's export when nothing happens to anybody."""
    with Lab("sqlite", tmp_path_factory.mktemp("undisturbed") / "lab", **OURS) as lab:
        return Cup(lab).finish()


@pytest.fixture(scope="session")
def start(loop, new_database, valkey, tmp_path_factory):
    """`with start(lease=0.3) as arena`."""

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
    """One arena for many tests; every test makes tournaments of its own."""
    with start(sweep=5.0) as arena:
        yield arena
