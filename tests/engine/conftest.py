"""One arena for all tests of the engine service; every test makes tables of its own."""

import pytest

from tests.support.arenas.engine import ADMIN, Arena


@pytest.fixture(scope="package")
def arena(loop, valkey, tmp_path_factory):
    arena = Arena(loop, tmp_path_factory.mktemp("engine"), f"{valkey}")
    yield arena
    arena.stop()


@pytest.fixture(scope="package")
def engine(arena):
    """The engine as somebody without a token calls it."""
    return arena.engine()


@pytest.fixture(scope="package")
def admin(arena):
    """Return the engine as its administrator calls it."""
    return arena.engine(ADMIN)
