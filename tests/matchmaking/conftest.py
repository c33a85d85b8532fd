"""An arena with a matchmaking service; the tests' own worker plays what it asks for."""

from contextlib import contextmanager

import pytest
import redis

from maumau.bots import folder
from maumau.client.arena import Arena as Client
from maumau.submission.package import pack_submission
from services.matchmaking.upkeep import faults
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.kinds import both_kinds


def pytest_generate_tests(metafunc):
    if "new_database" in metafunc.fixturenames:
        kinds = both_kinds(metafunc, "sqlite", "postgresql")
        metafunc.parametrize("new_database", kinds, indirect=True, scope="session")


@pytest.fixture(scope="session")
def new_database(request):
    if request.param == "sqlite":
        return lambda: ""
    return request.getfixturevalue("new_postgresql")


@pytest.fixture
def postgresql_url(new_postgresql):
    return new_postgresql()


@pytest.fixture(scope="session", autouse=True)
def endless_patience():
    """Bots that crash in every deal play on: they are the worst of their ladders, in test after test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(faults, "IN_A_ROW", 10**6)
        yield


@pytest.fixture(scope="session")
def start(loop, new_database, valkey, tmp_path_factory):
    @contextmanager
    def started(**settings):
        folder = tmp_path_factory.mktemp("matchmaking")
        arena = Matchmaker(loop, folder, new_database(), valkey, **settings).begin()
        try:
            yield arena
        finally:
            arena.stop()

    return started


@pytest.fixture(scope="package")
def arena(start):
    with start(sweep=0.5) as arena:
        yield arena


@pytest.fixture(scope="package")
def house(arena):
    """Make the account of the house, with greedy."""
    token = arena.admin.create_account("house").token
    with Client(arena.address, arena.address, token) as house:
        version = house.submit("greedy", pack_submission(folder("greedy")).archive).version
        arena.pass_validation(version.id)
        house.activate(version.id)


@pytest.fixture
def apart_url(arena):
    """Return an empty database of the arena's Redis that no service uses."""
    url = f"{arena.redis_url}/9"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url
