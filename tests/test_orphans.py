"""Processes that a run has started end with it."""

import os
import signal
import subprocess
import sys

import psutil
import pytest

from bench.support.patience import patient
from tests.support import orphans, polling


def test_a_process_that_ends_meanwhile_does_not_keep_others_from_being_ended(monkeypatch):
    sleeping = ["sleep", "60"]
    with subprocess.Popen(sleeping) as ended, subprocess.Popen(sleeping) as other:
        children = [psutil.Process(one.pid) for one in (ended, other)]
        ended.kill()
        ended.wait()
        lists = iter([children, []])
        monkeypatch.setattr(psutil.Process, "children", lambda self, *, recursive: next(lists))
        assert orphans.end_children() == ["sleep"]
        assert not children[1].is_running()


@pytest.mark.long
def test_an_interrupted_run_leaves_no_server_though_a_test_goes_on(tmp_path):
    held = tmp_path / "held"
    command = [sys.executable, "-m", "pytest", "tests/support/held.py", "-n", "1"]
    environment = os.environ | {"HELD": str(held)}
    run = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    polling.until("the servers run", lambda: held.exists() or run.poll() is not None, 60)
    servers = [int(pid) for pid in held.read_text().split()]
    assert len(servers) >= 2
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=patient(60))
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert [pid for pid in servers if polling.is_alive(pid)] == []
    assert "ended, because its test process was killed: valkey-server" in said
    assert "ended, because its test process was killed: postgres" in said
