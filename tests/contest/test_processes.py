"""`maumau verify` in several processes: it ends, whatever happens to it, and its processes with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bench.support.patience import patient
from maumau.errors import PlatformFault
from maumau.process.spread import spread
from tests.support.kinds import one_of
from tests.support.polling import is_alive, until

ROOT = Path(__file__).parents[2]


def begin(path: Path) -> subprocess.Popen[bytes]:
    """Start `maumau verify` in two processes; Ctrl-C reaches it, since tests/conftest.py enables it."""
    return subprocess.Popen(
        [sys.executable, "-m", "maumau.cli", "verify", str(path), "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.long
def test_it_ends_every_time(tournament) -> None:
    for _ in range(20):
        running = begin(tournament.path)
        said, errors = running.communicate(timeout=patient(30))
        assert (running.returncode, errors) == (0, b"")
        assert b"agrees" in said


@pytest.mark.long
@pytest.mark.parametrize("number", one_of(2, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]))
def test_a_signal_at_any_moment_ends_it_and_its_processes(tournament, number: int) -> None:
    running = begin(tournament.path)
    family = until("it has its processes", lambda: two_children(running), 30)
    running.send_signal(number)
    said = b"".join(running.communicate(timeout=patient(30)))
    codes = {0: b"agrees", 128 + number: b"", -number: b""}
    assert running.returncode in codes, said
    assert codes[running.returncode] in said
    assert b"Traceback" not in said
    until("no process is left", lambda: not any(is_alive(one.pid) for one in family), 30)


def two_children(running: subprocess.Popen[bytes]) -> list[psutil.Process]:
    if running.poll() is not None:
        raise AssertionError(running.communicate())
    found = psutil.Process(running.pid).children()
    return found if len(found) == 2 else []


def test_results_come_in_the_order_of_the_jobs_and_no_more_are_read_than_needed() -> None:
    read = []

    def jobs():
        for number in range(50):
            read.append(number)
            yield -number

    with spread(2) as crew:
        results = crew.map(abs, jobs())
        assert next(results) == 0
        assert len(read) < 10
        assert list(results) == list(range(1, 50))


def test_a_process_that_dies_is_told_and_waited_for_by_nobody() -> None:
    with spread(2) as crew, pytest.raises(PlatformFault, match="exit code 3"):
        list(crew.map(os._exit, [3]))


def test_who_wants_no_more_results_leaves_none_at_work() -> None:
    with spread(2) as crew:
        results = crew.map(abs, range(1000))
        next(results)
        results.close()
    assert [process.returncode for process in crew.processes] == [-signal.SIGKILL] * 2
