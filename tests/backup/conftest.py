"""Arenas whose services have each other and databases of either kind, and the commands of `maumau admin`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from bench.support.patience import patient
from bench.support.postgresql import new_database
from services.matchmaking.app import bind as bind_matchmaking
from services.registry.app import bind as bind_registry
from services.tournament.app import bind as bind_tournament
from tests.support.arenas.tournament import Arena

KINDS = {"sqlite": "postgresql", "postgresql": "sqlite"}


def pytest_generate_tests(metafunc):
    if "source_kind" in metafunc.fixturenames:
        metafunc.parametrize("source_kind", ["sqlite", "postgresql"])


class Site(Arena):
    """An arena with all services that have tables."""

    def run(self):
        self.settings = replace(self.settings, engine_address=self.address)  # there are no live tables here
        self.start(bind_registry, bind_tournament, bind_matchmaking)

    def play_some(self, name, count):
        """Up to so many blocks of those that wait; how many are done."""
        for block in self.blocks(name, "queued")[:count]:
            self.worker.play(block.id)
        return len(self.blocks(name, "done"))


@pytest.fixture
def new_arena(loop, valkey, tmp_path, request):
    """`new_arena("sqlite")`: an arena with all three services, stopped at the test's end.

    run: whether it is started at once; else the test does.
    """
    made = []

    def make(kind, *, run=True, **settings):
        url = new_database(request.getfixturevalue("postgresql")) if kind == "postgresql" else ""
        folder = tmp_path / f"arena-{len(made)}"
        arena = Site(loop, folder, url, valkey, **settings)
        made.append(arena)
        if run:
            arena.run()
        return arena

    yield make
    for arena in made:
        if hasattr(arena, "server"):
            arena.stop()


def environment(arena) -> dict[str, str]:
    """Return the environment of a program beside this arena's databases."""
    told = {"MAUMAU_DATA": str(arena.settings.data), "MAUMAU_DATABASE_URL": arena.settings.database_url}
    told["MAUMAU_DATABASE_URL"] = told["MAUMAU_DATABASE_URL"].replace("+psycopg", "")
    return {**os.environ, **told}


def admin(arena, *words: object, refused: bool = False, **more: str):
    """`maumau admin …` beside an arena: what it says, as JSON; or how it was refused, in words."""
    command = [sys.executable, "-m", "maumau.cli", "admin", *map(str, words), "--json"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=environment(arena) | more,
        timeout=patient(60),
    )
    assert done.returncode == (1 if refused else 0), done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stderr)["error"]["message"] if refused else json.loads(done.stdout)
