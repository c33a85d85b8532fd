"""A real worker process against a real arena, with house bots of the library."""

import os
import shutil
import signal
import subprocess
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from bench.support.patience import patient
from maumau.submission.package import pack_submission
from services.tournament.domain import machine
from tests.support.arenas.tournament import WORKER, Arena
from tests.support.waiting import until

BOTS = Path(__file__).parents[2] / "maumau" / "bots"


@pytest.fixture(scope="package")
def arena(loop, valkey, tmp_path_factory):
    """Blocks are small and leases short: what is lost is noticed within seconds."""
    arena = Arena(loop, tmp_path_factory.mktemp("arena"), "", valkey, lease=6.0, sweep=0.3)
    arena.start()
    yield arena
    arena.stop()


class Process:
    """A worker as the supervisor starts it."""

    def __init__(self, folder, around=(), **settings):
        """around: the words before its command."""
        told = {"DATA": folder, "WORKER_TOKEN": WORKER, "IMAGE": "optional", **settings}
        path = told.pop("path", os.environ["PATH"])
        settings = {f"MAUMAU_{name.upper()}": str(value) for name, value in told.items()}
        env = {**os.environ, "PATH": path, **settings}
        self.log = folder / "worker.log"
        folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*around, sys.executable, "-m", "services.worker"], env=env, stdout=out, stderr=out
            )

    @classmethod
    def of(cls, arena, folder, **settings):
        """Return a worker of this arena."""
        at = {"registry_address": arena.address, "tournament_address": arena.address}
        return cls(folder, **{"broker_url": arena.settings.broker_url, **at, **settings})

    @property
    def pid(self):
        return self.process.pid

    def family(self):
        """Return the processes below it: the child, and what that has started."""
        try:
            return psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(patient(10))


@pytest.fixture(scope="package")
def worker(arena, tmp_path_factory):
    """`with worker() as process`; settings may be told otherwise."""

    @contextmanager
    def started(**settings):
        one = Process.of(arena, tmp_path_factory.mktemp("worker"), **settings)
        try:
            yield one
        finally:
            if one.process.poll() is None:
                one.stop(signal.SIGKILL)

    return started


@pytest.fixture(scope="package")
def house(arena, tmp_path_factory):
    """Submits a house bot, validated by whoever works, or `trusted` for what it is; its new name."""

    def submit(bot, *, trusted=False):
        name = f"{bot}-{uuid.uuid4().hex[:8]}"
        folder = shutil.copytree(BOTS / bot, tmp_path_factory.mktemp("house") / name)
        manifest = (folder / "bot.toml").read_text()
        (folder / "bot.toml").write_text(manifest.replace(f'name = "{bot}"', f'name = "{name}"'))
        version = arena.admin.submit(name, pack_submission(folder).archive).version
        if trusted:
            arena.pass_validation(version.id)
        until(lambda: arena.admin.version(version.id).settled, 40)
        found = arena.admin.version(version.id)
        assert found.state == "active", found.reason
        return name

    return submit


@pytest.fixture(autouse=True)
def _one_machine(monkeypatch):
    """Treat all workers as one machine, whatever their names: no seating waits for another machine."""
    monkeypatch.setattr(machine, "RECENT", 0)
