"""Services that are forked by one process which has imported everything: each is like one started alone."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bench.support.patience import patient
from services.supervisor.process import forked
from services.supervisor.process.child import Child
from services.supervisor.process.fork_server import WORKER
from services.supervisor.process.forked import Forked, ForkServer
from services.supervisor.process.roster import PR_SET_CHILD_SUBREAPER, Roster
from tests.support.polling import is_alive, until
from tests.support.variables import ENGINE

pytestmark = pytest.mark.long

LOOK = """
import json, os, sys, time
from pathlib import Path
own = Path("/proc/self")
said = {
    "command": own.joinpath("cmdline").read_text().rstrip("\\0").split("\\0"), "argv": sys.argv,
    "name": __name__, "environ": dict(os.environ), "first": own.joinpath("environ").read_text(),
    "parent": os.getppid(), "session": os.getsid(0), "umask": os.umask(0),
    "files": [os.readlink(own / "fd" / each) for each in "012"], "open": len(os.listdir(own / "fd")) - 1,
    "blocked": [line for line in own.joinpath("status").read_text().splitlines() if "SigBlk" in line],
    "has_services": "services.tournament.app" in sys.modules,
    "has_worker": "celery.worker.consumer" in sys.modules,
}
print(json.dumps(said), flush=True)
time.sleep(600)
"""
SECRET = {"MAUMAU_ADMIN_TOKEN": "mm_secret-of-a-test", "PATH": os.defpath, "LANG": "ä"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("forked")
    (folder / "looks_around.py").write_text(LOOK)
    (folder / "fails.py").write_text("raise SystemExit('error: no such database')")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ForkServer]:
    """A fork server whose parent had settings of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(Path(__file__).parents[2])]))
        patch.setenv("MAUMAU_DATABASE_URL", "postgresql://of-the-parent")
        server = ForkServer()
    until("everything is imported", server.is_ready, 60)
    yield server
    server.close()


@pytest.fixture
def own_server(folder: Path) -> Iterator[ForkServer]:
    """A fork server for a test that ends it, or needs a new one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(Path(__file__).parents[2])]))
        server = ForkServer()
    yield server
    server.close()


@pytest.fixture
def roster() -> Iterator[Roster]:
    roster = Roster(print)
    yield roster
    roster.stop_children()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)  # the tests' process goes on without orphans


def start(roster: Roster, server: ForkServer | None, folder: Path, module: str) -> Path:
    """Start a module as a child called `one`; return its log."""
    log = folder / "one.log"
    log.unlink(missing_ok=True)
    roster.start_children(
        [Child("one", [sys.executable, "-m", module], SECRET, folder, 1, module=module)], server
    )
    return log


def read_log(log: Path) -> dict[str, object]:
    until("it has looked around", lambda: log.read_text().endswith("\n"), 30)
    return json.loads(log.read_text())


def test_a_forked_service_is_a_process_like_one_that_starts_alone(
    roster: Roster, server: ForkServer, folder: Path
) -> None:
    said = read_log(start(roster, server, folder, "looks_around"))
    pid = roster.list_pids()["one"]
    assert isinstance(roster._children["one"]._process, Forked)
    assert said["command"] == [sys.executable, "-m", "looks_around"]
    assert (said["name"], said["argv"]) == ("__main__", [str(folder / "looks_around.py")])
    assert (said["parent"], said["session"], said["umask"]) == (os.getpid(), pid, 0o077)
    log = str(folder / "one.log")
    assert said["files"] == [os.devnull, log, log]
    assert said["open"] == 3
    assert said["blocked"] == ["SigBlk:\t0000000000000000"]
    assert said["has_services"]


def test_modules_of_workers_are_imported_with_the_first_worker(
    roster: Roster, own_server: ForkServer, folder: Path
) -> None:
    until("everything is imported", own_server.is_ready, 60)
    assert not read_log(start(roster, own_server, folder, "looks_around"))["has_worker"]
    start(roster, own_server, folder, WORKER)
    assert isinstance(roster._children["one"]._process, Forked)
    until("the worker misses its settings", roster.find_failure, 30)
    assert read_log(start(roster, own_server, folder, "looks_around"))["has_worker"]


def test_only_the_forked_process_learns_its_settings(
    roster: Roster, server: ForkServer, folder: Path
) -> None:
    said = read_log(start(roster, server, folder, "looks_around"))
    assert said["environ"] == SECRET
    assert "MAUMAU_" not in str(said["first"]).replace(ENGINE, "")
    mapped = Path(f"/proc/{server._process.pid}/environ").read_text()
    assert "MAUMAU_" not in mapped.replace(ENGINE, "")


def test_a_forked_service_that_dies_is_reported_and_started_alone(
    roster: Roster, server: ForkServer, folder: Path
) -> None:
    log = start(roster, server, folder, "fails")
    found: list[str] = []
    until("its end is seen", lambda: found.append(roster.find_failure()) or found[-1], 30)
    assert found[-1] == "one did not start (exit code 1): error: no such database"
    start(roster, server, folder, "looks_around")
    first = roster.list_pids()["one"]
    read_log(log)
    os.kill(first, signal.SIGKILL)
    until(
        "it runs again", lambda: roster.check_children() and roster.list_pids()["one"] not in {0, first}, 30
    )
    assert isinstance(roster._children["one"]._process, subprocess.Popen)


def test_the_end_of_a_forked_process_is_waited_for_until_a_time(
    roster: Roster, server: ForkServer, folder: Path
) -> None:
    start(roster, server, folder, "looks_around")
    process = roster._children["one"]._process
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0)
    process_id = process.pid
    os.kill(process_id, signal.SIGKILL)
    assert process.wait(patient(10)) == -signal.SIGKILL
    assert process.poll() == -signal.SIGKILL


def test_where_the_fork_server_has_died_processes_start_alone(roster: Roster, tmp_path: Path) -> None:
    broken = ForkServer()
    os.kill(broken._process.pid, signal.SIGKILL)
    until("its end is seen", broken.is_ready, 30)
    code = "import time; time.sleep(600)"
    roster.start_children([Child("one", [sys.executable, "-S", "-c", code], SECRET, tmp_path, 1)], broken)
    assert isinstance(roster._children["one"]._process, subprocess.Popen)
    assert is_alive(roster.list_pids()["one"])
    broken.close()


def check_that_processes_start_alone(roster: Roster, server: ForkServer, folder: Path) -> None:
    code = "import time; time.sleep(600)"
    command = [sys.executable, "-S", "-c", code]
    children = [Child(name, command, SECRET, folder, 1, module="this") for name in ("one", "two")]
    roster.start_children(children, server)
    assert all(isinstance(child._process, subprocess.Popen) for child in children)
    assert all(map(is_alive, roster.list_pids().values()))


def stop_process(pid: int) -> None:
    """Stop a process, and wait until it is stopped."""
    os.kill(pid, signal.SIGSTOP)
    until("it is stopped", lambda: psutil.Process(pid).status() == psutil.STATUS_STOPPED)


def test_where_the_fork_server_is_killed_with_a_request_unread_processes_start_alone(
    roster: Roster, own_server: ForkServer, tmp_path: Path
) -> None:
    pid = own_server._process.pid
    until("everything is imported", own_server.is_ready, 60)
    stop_process(pid)
    link = own_server._link.fileno()

    def kill_with_request_unread() -> None:
        until("a request waits", lambda: any(fcntl.ioctl(link, termios.TIOCOUTQ, bytes(4))))
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_with_request_unread)
    killer.start()
    check_that_processes_start_alone(roster, own_server, tmp_path)
    killer.join()


def test_where_the_fork_server_does_not_answer_it_is_killed_and_processes_start_alone(
    roster: Roster, own_server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    until("everything is imported", own_server.is_ready, 60)
    stop_process(own_server._process.pid)
    monkeypatch.setattr(forked, "ANSWERING", 0.2)
    check_that_processes_start_alone(roster, own_server, tmp_path)
    assert own_server._process.wait(patient(10)) == -signal.SIGKILL


def test_where_the_fork_server_does_not_end_its_imports_it_is_killed_and_processes_start_alone(
    roster: Roster, own_server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_process(own_server._process.pid)
    assert not own_server.is_ready()
    monkeypatch.setattr(forked, "IMPORTING", 0.0)
    assert own_server.is_ready()
    assert own_server._process.wait(patient(10)) == -signal.SIGKILL
    check_that_processes_start_alone(roster, own_server, tmp_path)


def test_a_fork_server_that_does_not_end_is_killed(
    own_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_process(own_server._process.pid)
    monkeypatch.setattr(forked, "ANSWERING", 0.2)
    own_server.close()
    assert own_server._process.wait(patient(10)) == -signal.SIGKILL


def test_a_forked_process_that_does_not_read_its_environment_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr(forked, "ANSWERING", 0.2)
    with subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"]) as process:
        assert not forked._hand_over(process.pid, b"x" * 3_000_000, writing)
        assert process.wait(patient(10)) == -signal.SIGKILL
    os.close(reading)
    assert forked._hand_over(process.pid, b"x", writing), "a process that died is reported by `poll`"
    os.close(writing)


def test_a_forked_process_and_its_server_die_with_the_one_that_asked(folder: Path) -> None:
    code = (
        "from pathlib import Path; import sys, time;"
        "from services.supervisor.process.forked import ForkServer;"
        "from services.supervisor.process.child import Child;"
        "from services.supervisor.process.roster import Roster;"
        "server, roster = ForkServer(), Roster(print)\n"
        "while not server.is_ready(): time.sleep(0.02)\n"
        "command = [sys.executable, '-m', 'looks_around']\n"
        f"own = Child('one', command, {{}}, Path({str(folder)!r}), 1, module=command[-1])\n"
        "roster.start_children([own], server)\n"
        "print(roster.list_pids()['one'], server._process.pid, flush=True); time.sleep(600)"
    )
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[2])])
    env = {**os.environ, "PYTHONPATH": path}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True
    ) as process:
        pids = [int(word) for word in process.stdout.readline().split()]
        assert all(map(is_alive, pids))
        process.kill()
    until("both have ended", lambda: not any(map(is_alive, pids)), 10)
