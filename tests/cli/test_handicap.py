"""The whole road on a slow host: the clocks of programs run three times as fast, and every core is busy."""

import os
import shlex
from pathlib import Path

import pytest

from bench.support.busy import run_busy_loops
from tests.support.terminal import Terminal


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_demonstration_on_a_handicapped_host_is_decided_and_verified(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, MAUMAU_HANDICAP="3")
    with run_busy_loops(os.cpu_count() or 1):
        answer = terminal.spawn("demo", "--data", "data", seconds=400)
    assert "does not play" not in answer.out
    assert "house bots: counter, first, greedy, hoarder, random, rollout\n" in answer.out
    *_, verify, export = shlex.split(answer.out.splitlines()[-1])
    assert verify == "verify"
    terminal.run("verify", export)
