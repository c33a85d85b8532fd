"""One Docker engine for all tests in containers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.containers import engine
from tests.containers.engine import CannotBeHad


@pytest.fixture(scope="session")
def docker_env(not_tested) -> Iterator[dict[str, str]]:
    """The environment with which `docker` reaches it; it has the base image."""
    with ExitStack() as stack:
        try:
            env = stack.enter_context(engine.running(install=bool(os.environ.get("MAUMAU_CONTAINERS"))))
            engine.build_base(env)
        except CannotBeHad as error:
            not_tested("the compose file, and the stores in containers", str(error))
        yield env
