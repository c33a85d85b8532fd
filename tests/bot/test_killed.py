"""Programs that are killed from outside: the referee says so, and a second run decides."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bench.support.patience import Deadline
from maumau.protocol.limit import RunLimits
from maumau.referee.block import BlockOrder, play_block
from maumau.referee.second_run import find_provisional_faults, settle_runs
from maumau.sandbox.kernel import cgroup
from tests.bot.conftest import SEEDS

VICTIM = "victim"
TIERS = pytest.mark.parametrize("tier", ["bwrap", "process"])


@pytest.fixture
def victim(submit, mark):
    """Return a program that plays as it should and can be found by a word of its command line."""
    return submit("echo", f'run = ["python3", "bot.py", "{mark}", "{VICTIM}"]\n')


def kill_victim(mark):
    """Kill the victim's process as the kernel does when the host is out of memory, and wait for its end."""
    (pid,) = find_victim(mark)
    os.kill(pid, signal.SIGKILL)
    deadline = Deadline(20)
    while find_victim(mark):
        assert not deadline.has_passed()
        time.sleep(0.005)


def find_victim(mark):
    """Return the numbers of the victim's processes, without bubblewrap's; the dead have no command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            program, *words = (folder / "cmdline").read_text().rstrip("\0 ").split("\0")
            if program == "python3" and {mark, VICTIM} <= set(words):
                found.append(int(folder.name))
    return found


def kill_after(mark, *moments):
    """Return a hook that kills the victim after these deals of the block, counted from 1."""
    over = []

    def on_deal(*_):
        over.append(None)
        if len(over) in moments:
            kill_victim(mark)

    return on_deal


def records(sets):
    return [deal.record for one in sets for deal in one.deals]


@TIERS
def test_a_kill_from_outside_is_a_provisional_crash_in_one_deal(request, submit, victim, mark, faults, tier):
    order, sandbox = BlockOrder("mau_mau", 2, SEEDS[:3]), request.getfixturevalue(tier)
    outcome = play_block(order, [victim, submit("good")], sandbox, kill_after(mark, 1))
    (fault,) = faults(outcome)
    assert (fault.entrant, fault.kind, fault.killed) == (0, "crash", True)
    assert fault.words == "it ended with signal 9 (SIGKILL)"
    assert outcome.measured.uses[0].starts == 3  # in two seatings


def test_a_kill_of_the_host_leaves_a_block_as_it_would_have_been(process, submit, victim, mark, faults):
    order, both = BlockOrder("mau_mau", 2, SEEDS[:3]), [victim, submit("good")]
    undisturbed = play_block(order, both, process)
    first = play_block(order, both, process, kill_after(mark, 2))
    assert records(first.sets) != records(undisturbed.sets)
    assert find_provisional_faults(faults(first), is_second=False)
    settled = settle_runs(first.sets, play_block(order, both, process).sets)
    assert records(settled) == records(undisturbed.sets)
    assert [fault for one in settled for deal in one.deals for fault in deal.faults] == []


def test_a_program_killed_in_the_same_deal_of_both_runs_has_lost_it(process, submit, victim, mark):
    order, both = BlockOrder("mau_mau", 2, SEEDS[:3]), [victim, submit("good")]
    first, second = (play_block(order, both, process, kill_after(mark, 2)).sets for _ in range(2))
    settled = settle_runs(first, second)
    (fault,) = (fault for one in settled for deal in one.deals for fault in deal.faults)
    assert (fault.entrant, fault.kind) == (0, "crash")
    assert records(settled) == records(first)


@TIERS
def test_a_program_that_kills_itself_gains_a_second_run_and_no_third(request, submit, faults, tier):
    order, sandbox = BlockOrder("mau_mau", 2, SEEDS[:2]), request.getfixturevalue(tier)
    both = [submit("ends_itself"), submit("good")]
    first, second = (play_block(order, both, sandbox) for _ in range(2))
    assert {(fault.entrant, fault.kind, fault.killed) for fault in faults(first)} == {(0, "crash", True)}
    assert find_provisional_faults(faults(second), is_second=True) == []
    settled = settle_runs(first.sets, second.sets)
    assert records(settled) == records(first.sets)
    assert sum(len(deal.faults) for one in settled for deal in one.deals) == len(faults(first))


def test_version_1_tells_a_kill_at_the_limit_by_the_peak(tmp_path):
    folders = {name: tmp_path / name for name in cgroup.V1}
    for name in folders:
        (tmp_path / name).mkdir()
    memory = folders["memory"]
    (folders["cpuacct"] / "cpuacct.usage").write_text("0")
    (memory / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    for name in cgroup.PEAKS:
        (memory / name).write_text(str(64 << 20))  # that of a left-over
    found = cgroup.Group(folders, RunLimits(memory_mib=64))
    assert not found.was_killed_for_host()
    (memory / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n")
    assert (found.was_killed_for_memory(), found.was_killed_for_host()) == (False, True)
    (memory / cgroup.PEAKS[1]).write_text(str((64 << 20) - 4096))
    assert (found.was_killed_for_memory(), found.was_killed_for_host()) == (True, False)
    os.close(found._usage)


TAKES = "import sys; sys.stdin.read(1); len(b'x' * (200 << 20))"


@pytest.mark.parametrize(("above", "own"), [(64, 512), (512, 64)])
def test_the_kernel_kills_at_the_limit_of_a_group_or_of_one_above(above, own):
    """A group above that has no memory left is what a host without memory is."""
    if (usable := cgroup.find_group_folders()) is None:
        pytest.skip("this user can make no control group here")
    name = f"maumau-test-{os.getpid()}"
    upper = cgroup.make_group(name, RunLimits(memory_mib=above))
    if upper.v2:
        cgroup._hand_down(usable[""] / name)
    lower = cgroup.Group(
        {kind: path / "own" for kind, path in upper.folders.items()}, RunLimits(memory_mib=own)
    )
    with subprocess.Popen([sys.executable, "-c", TAKES], stdin=subprocess.PIPE) as process:
        lower.join(process.pid)
        process.communicate(b".")
    told = lower.was_killed_for_memory(), lower.was_killed_for_host()
    lower.close()
    upper.close()
    assert (process.returncode, *told) == (-9, own < above, own > above)
