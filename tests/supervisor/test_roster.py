"""Processes are kept alive, and none is ever left behind."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.supervisor.process import child as module
from services.supervisor.process.child import Child
from services.supervisor.process.roster import PATIENCE, PR_SET_CHILD_SUBREAPER, REFUSALS, Roster
from tests.support.polling import is_alive, until

SLEEP = "import time; time.sleep(600)"
DEAF = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); " + SLEEP
)


def child(folder: Path, code: str, name: str = "one", stage: int = 2) -> Child:
    return Child(name, [sys.executable, "-c", code], dict(os.environ), folder, stage)


class Said(list[str]):
    def __call__(self, line: str) -> None:
        self.append(line)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def roster(said: Said) -> Iterator[Roster]:
    roster = Roster(said)
    yield roster
    roster.stop_children()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)  # the tests' process goes on without orphans


def test_what_is_killed_is_started_again_and_one_line_says_so(
    roster: Roster, said: Said, tmp_path: Path
) -> None:
    roster.start_children([child(tmp_path, SLEEP)])
    first = roster.list_pids()["one"]
    os.kill(first, signal.SIGKILL)
    until("it runs again", lambda: roster.check_children() and roster.list_pids()["one"] not in {0, first})
    assert [line for line in said if "SIGKILL" in line and "again" in line] == said


def test_what_dies_at_once_is_started_again_after_longer_and_longer_pauses(tmp_path: Path) -> None:
    broken = child(tmp_path, "raise SystemExit(3)")
    pauses = []
    for _ in range(9):
        broken.start()
        until("it has died", broken.poll_exit)
        pauses.append(broken.back_off())
    assert pauses[:3] == [0.25, 0.5, 1.0]
    assert pauses[-1] == 30.0


def test_its_last_words_are_repeated(roster: Roster, said: Said, tmp_path: Path) -> None:
    roster.start_children([child(tmp_path, "print('error: no room'); raise SystemExit(1)")])
    until("it has died", lambda: roster.check_children() and said)
    assert "exit code 1" in said[0]
    assert "error: no room" in said[0]


def test_a_port_that_another_program_has_is_said_and_tried_again(
    roster: Roster, said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "print('error: 127.0.0.1:1 cannot be listened on: another program has it'); raise SystemExit(1)"
    command = [sys.executable, "-S", "-c", code]
    roster.start_children([Child("one", command, {}, tmp_path, 2, listens="127.0.0.1:1")])
    until("it has been refused once", lambda: roster.check_children() and said)
    assert said == ["one cannot start because another program has 127.0.0.1:1; trying again in 0.25 s"]
    assert not roster.find_displaced()
    until("it was refused too often", lambda: roster.check_children() and roster.find_displaced() == "one")
    assert len(said) == REFUSALS


def test_who_hangs_is_killed_and_started_again(roster: Roster, said: Said, tmp_path: Path) -> None:
    roster.start_children([child(tmp_path, SLEEP)])
    first = roster.list_pids()["one"]
    roster.restart_child("one", first)
    until("it runs again", lambda: roster.check_children() and roster.list_pids()["one"] not in {0, first})
    assert said[0] == "one does not answer, stopping it"
    roster.restart_child("one", first)  # said of the process before, and heard late
    roster.check_children()
    assert len(said) == 2


def test_the_stop_ends_who_does_not_listen_and_all_that_he_started(
    roster: Roster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.supervisor.process.roster.PATIENCE", {2: 0.2, 1: 0.2, 0: 0.2})
    code = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {DEAF!r}]); p.wait()"
    roster.start_children([child(tmp_path, DEAF), child(tmp_path, code, "two", 1)])
    until(
        "both listen to nothing",
        lambda: all(_says(tmp_path / f"{name}.log", "deaf") for name in ("one", "two")),
    )
    deaf, group = roster.list_pids()["one"], roster.list_pids()["two"]
    roster.stop_children()
    assert not is_alive(deaf)
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


def test_the_later_stage_ends_before_the_earlier_one(
    roster: Roster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.supervisor.process.roster.PATIENCE", dict.fromkeys((2, 1, 0), 60.0))
    order = tmp_path / "order"
    code = (
        "import signal, sys, time\n"
        f"def end(*_): open({str(order)!r}, 'a').write(sys.argv[1] + ' '); sys.exit()\n"
        "signal.signal(signal.SIGTERM, end); print('up', flush=True); time.sleep(600)"
    )
    for stage, name in ((0, "valkey"), (1, "service"), (2, "worker")):
        roster.start_children(
            [Child(name, [sys.executable, "-c", code, name], dict(os.environ), tmp_path, stage)]
        )
        until("it is up", lambda name=name: _says(tmp_path / f"{name}.log", "up"))
    roster.stop_children()
    assert order.read_text() == "worker service valkey "


def test_what_a_dead_process_left_behind_in_another_session_is_ended(roster: Roster, tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "if os.fork(): sys.stdout.flush(); time.sleep(600)\n"
        "os.setsid(); print(os.getpid(), flush=True); time.sleep(600)"
    )
    roster.start_children([child(tmp_path, code)])
    log = tmp_path / "one.log"
    until("it has started another", lambda: log.read_text().strip())
    stray = int(log.read_text())
    os.kill(roster.list_pids()["one"], signal.SIGKILL)
    until("the stray is gone", lambda: roster.check_children() is not None and not is_alive(stray))


def test_nothing_outlives_a_roster_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from services.supervisor.process.roster import Roster;"
        "from services.supervisor.process.child import Child; import time; r = Roster(print);"
        f"own = Child('one', [sys.executable, '-c', {SLEEP!r}], {{}}, Path({str(tmp_path)!r}), 2);"
        "r.start_children([own]);"
        "print(r.list_pids()['one'], flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        assert is_alive(pid)
        process.kill()
    until("the child is gone", lambda: not is_alive(pid))


def test_a_log_never_grows_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_SIZE", 1000)
    talker = child(tmp_path, "print('x' * 2000, flush=True); " + SLEEP)
    talker.start()
    log = tmp_path / "one.log"
    until("it has talked", lambda: log.stat().st_size > 1000)
    talker.trim_log()
    assert log.stat().st_size == 0
    assert (tmp_path / "one.log.1").read_text() == "x" * 2000 + "\n"
    talker.kill()
    until("it has died", talker.poll_exit)


def _says(log: Path, words: str) -> bool:
    return log.exists() and words in log.read_text()


def test_whatever_happens_the_end_takes_less_than_two_seconds_of_patience() -> None:
    assert sum(PATIENCE.values()) < 2


def test_who_had_to_be_killed_is_told(roster: Roster, tmp_path: Path) -> None:
    roster.start_children([child(tmp_path, DEAF, "deaf"), child(tmp_path, SLEEP, "polite")])
    until("it is deaf", lambda: "deaf" in (tmp_path / "deaf.log").read_text())
    deaf = roster.list_pids()["deaf"]
    assert roster.stop_children() == {"deaf": deaf}
    assert not is_alive(deaf)


def test_what_is_spared_outlives_the_others(roster: Roster) -> None:
    spared, left = (subprocess.Popen([sys.executable, "-c", SLEEP]) for _ in range(2))
    try:
        roster.spare_process(spared.pid)
        roster.stop_children()  # it looks for orphans at once
        until("the other one has been killed", lambda: left.poll() is not None)
        assert spared.poll() is None
    finally:
        for process in (spared, left):
            process.kill()
            process.wait()
