"""Actions that the sandbox prevents, in each tier and for each kind of user, and the faults that result."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from multiprocessing import connection
from pathlib import Path

import psutil
import pytest

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau import errors
from maumau.protocol.limit import RunLimits
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox import bubblewrap
from maumau.sandbox.files import artifact_cache, extra
from maumau.sandbox.inside import landlock
from maumau.sandbox.kernel import cgroup
from maumau.sandbox.kernel.host import explain_stall
from maumau.sandbox.launch import Launch, choose_sandbox
from maumau.sandbox.sandboxed_process import SandboxedProcess
from maumau.sandbox.seat import _end_leftovers, seat_mark, take_seat
from tests.support.host.nobody import CANNOT
from tests.support.kinds import one_of


def notes(outcome):
    return {note.text for each in outcome.sets for deal in each.deals for note in deal.notes}


def assert_nothing(found):
    """Assert that snoop.py has tried everything, and that nothing of it was possible."""
    (note,) = found
    assert note.startswith("tried ")
    assert note.endswith(", could []")


def test_a_program_sees_and_reaches_nothing(play, submit, tmp_path, monkeypatch):
    secret = tmp_path / "secret"
    secret.write_text("the referee's")
    monkeypatch.setenv("MAUMAU_TOKEN", "secret")
    readable = os.open(secret, os.O_RDONLY)
    os.set_inheritable(readable, True)
    try:
        snoop = submit("snoop", secret=str(secret))
        assert_nothing(notes(play(snoop, "good", sets=1, deal_ms=2000)))
    finally:
        os.close(readable)


def test_the_dangerous_program_of_these_tests_runs_only_behind_a_wall(submit, process):
    outcome = play_block(BlockOrder("mau_mau", 2, ["a"]), [submit("snoop"), submit("good")], process)
    (fault, *_) = outcome.sets[0].deals[0].faults
    assert (fault.kind, fault.stderr) == ("start", "only behind a wall\n")


def test_programs_at_one_table_are_different_users_where_the_referee_is_root(bwrap, room):
    if os.geteuid() != 0:
        pytest.skip("only root can give each seat a user of its own")
    processes = [
        start(bwrap, room, "import os, time; print(os.getuid(), flush=True); time.sleep(60)")
        for _ in range(2)
    ]
    users = {first_line(sandboxed) for sandboxed in processes}
    for sandboxed in processes:
        sandboxed.close()
    assert len(users) == 2
    assert b"0" not in users


def start(sandbox, room, code, **limits):
    launch = Launch(room, "", ["python3", "-c", code], "python", RunLimits(**limits), 60)
    return sandbox.start(launch)


def first_line(sandboxed):
    deadline = Deadline(20)
    while not deadline.has_passed():
        try:
            line = os.read(sandboxed.stdout, 1000)
        except BlockingIOError:
            time.sleep(0.01)
            continue
        return line.strip()
    raise TimeoutError("the program said nothing")


@pytest.mark.parametrize("tier", ["bwrap", "process"])
def test_killing_a_sandboxed_process_ends_the_program_however_it_resists(request, room, tier):
    sandboxed = start(
        request.getfixturevalue(tier),
        room,
        "import signal, time\n"
        "for n in set(signal.valid_signals()) - {9, 19}: signal.signal(n, signal.SIG_IGN)\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(1)",
    )
    assert first_line(sandboxed) == b"ready"
    began = time.monotonic()
    sandboxed.close()
    assert time.monotonic() - began < patient(5)
    with pytest.raises(ProcessLookupError):
        os.kill(sandboxed.pid, 0)


def test_no_group_is_left_behind(bwrap, room):
    if cgroup.find_group_folders() is None:
        pytest.skip("this user can make no control group here")
    sandboxed = start(bwrap, room, "pass")
    assert sandboxed._group
    mine = {folder: folder.stat().st_ino for folder in sandboxed._group.folders.values()}
    sandboxed.close()
    assert not [folder for folder, number in mine.items() if inode(folder) == number]


def inode(folder):
    """Return the folder's inode number, by which one made again is recognised; None if it is missing."""
    try:
        return folder.stat().st_ino
    except FileNotFoundError:
        return None


def test_an_unknown_sandbox_is_refused_with_the_known_ones():
    with pytest.raises(errors.SandboxUnavailable, match="auto, process, bwrap"):
        choose_sandbox("vm")


def test_auto_is_the_best_sandbox_available_and_says_what_it_provides(bwrap):
    found = choose_sandbox("auto")
    assert (found.name, found.isolated) == ("bwrap", True)
    assert found.says == bwrap.says
    assert "not kept from" in choose_sandbox("process").says


def test_a_sandbox_that_does_not_start_is_the_platforms_fault(bwrap, submit):
    good, lost = submit("good"), submit("good")
    for file in sorted(lost.folder.rglob("*"), reverse=True):
        file.unlink()
    lost.folder.rmdir()
    with pytest.raises(errors.PlatformFault, match=r"gone|the sandbox broke"):
        play_block(BlockOrder("mau_mau", 2, ["a"]), [good, lost], bwrap)


def test_a_sandbox_that_is_killed_from_outside_is_the_platforms_fault(bwrap, submit, mark):
    programs = [submit("good"), submit("good")]

    def kill(*_):
        for child in psutil.Process().children():
            with suppress(psutil.NoSuchProcess):  # others end meanwhile
                if "--block-fd" in child.cmdline():  # the start of a program, which the fork server is not
                    child.kill()

    with pytest.raises(errors.PlatformFault, match="was lost"):
        play_block(BlockOrder("mau_mau", 2, ["a", "b"]), programs, bwrap, kill)


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("moment", ["reported", "admitted"])
def test_the_next_referee_ends_what_a_referee_killed_during_a_start_left(bwrap, room, living, mark, moment):
    killed = [sys.executable, Path(__file__).parent / "killed.py", moment, room, mark]
    assert subprocess.run(killed, timeout=patient(60), check=False).returncode == -signal.SIGKILL
    choose_sandbox(bwrap.name)
    assert living(mark) == []


def test_a_referee_leaves_another_users_starts_alone_although_their_seats_have_the_same_numbers(
    bwrap, living, mark, monkeypatch, tmp_path
):
    with take_seat() as number:
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(artifact_cache, "_get_cache_path", lambda **_: tmp_path / "maumau-65534")
            artifact_cache.find_cache_folder()
            theirs = seat_mark(number)
        command = ["sh", "-c", "sleep 1000; : $0", mark]
        with subprocess.Popen(command, env=theirs, start_new_session=True) as other:
            _end_leftovers(number)
            assert other.poll() is None
            os.killpg(other.pid, signal.SIGKILL)
    assert living(mark) == []


def test_a_program_that_waits_for_permission_to_begin_does_not_begin_when_its_referee_is_dead():
    hold, go = bubblewrap._make_gate()
    os.close(go)
    ready = connection.wait([hold], 0)
    os.close(hold)
    assert not ready


def test_a_start_that_fails_after_its_process_was_reported_ends_it(bwrap, room, living, mark, monkeypatch):
    def refuse(*_):
        raise OSError("no room")

    monkeypatch.setattr(bubblewrap, "SandboxedProcess", refuse)
    launch = Launch(room, "", ["sleep", "1000", mark], "native", RunLimits(), 60)
    with pytest.raises(errors.PlatformFault, match="did not start: no room"):
        bwrap.start(launch)
    assert living(mark) == []


@pytest.fixture(scope="module")
def as_user(tmp_path_factory):
    """Return what `as_user.py` reports without rights: each program's faults, notes and live processes."""
    if os.geteuid() != 0:
        pytest.skip("all of these tests run as a user without rights")
    command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-m", "tests.bot.as_user"]
    command.append(tmp_path_factory.mktemp("view"))
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=patient(100), check=False, cwd=ROOT
    )
    if done.returncode == CANNOT:
        pytest.skip(f"NOT TESTED here as a user without rights: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_user_without_rights_plays_in_bwrap_too(as_user):
    assert as_user["user"] != 0
    assert as_user["says"].startswith(
        "bwrap: namespaces, no network, system call filter, a closed /proc, this user"
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("good", set()),
        ("illegal", {"illegal"}),
        ("quits", {"crash"}),
        ("spends", {"time"}),
        ("memory", {"memory"}),
        ("daemon", set()),
    ],
)
def test_faults_of_programs_are_the_same_for_a_user_without_rights(as_user, name, kinds):
    assert as_user["programs"][name]["kinds"] == sorted(kinds)
    assert as_user["programs"][name]["living"] == []


@pytest.mark.long
def test_a_program_sees_and_reaches_nothing_as_a_user_without_rights(as_user):
    snooped = as_user["programs"]["snoop"]
    assert (snooped["kinds"], snooped["living"]) == ([], [])
    assert_nothing(snooped["notes"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "kinds"),
    one_of(
        2,
        [
            ("good", set()),
            ("flood_err", set()),
            ("illegal", {"illegal"}),
            ("endless", {"output"}),
            ("quits", {"crash"}),
            ("hangs_up", {"crash"}),
            ("spends", {"time"}),
            ("memory", {"memory"}),
            ("early", {"start"}),
        ],
    ),
)
def test_faults_of_programs_are_the_same_in_the_process_tier(play, faults, process, name, kinds):
    outcome = play(
        name, "good", sets=1, sandbox=process, deal_ms=2000 if name != "spends" else 200, memory_mib=256
    )
    assert {fault.kind for fault in faults(outcome)} == kinds


@pytest.mark.long
def test_memory_of_other_runtimes_is_measured_where_no_control_group_counts_it(
    play, faults, process, submit, mark
):
    toml = f'run = ["python3", "bot.py", "{mark}"]\nruntime = "native"\n'
    outcome = play(submit("memory", toml), "good", sets=1, sandbox=process, deal_ms=5000, memory_mib=256)
    assert {fault.kind for fault in faults(outcome)} == {"memory"}


def test_a_table_is_pinned_to_the_core_it_is_given_and_its_programs_with_it(play):
    before = os.sched_getaffinity(0)
    core = max(before)
    seen = []
    others = set(psutil.Process().children())  # servers of other tests

    def look(*_):
        children = set(psutil.Process().children()) - others
        seen.append({tuple(child.cpu_affinity()) for child in children})

    outcome = play("good", "good", sets=1, cpu=core, on_deal=look)
    assert outcome.sets
    assert seen == [{(core,)}] * 2
    assert os.sched_getaffinity(0) == before


def test_a_host_that_keeps_a_program_from_running_is_distinguished_from_a_program_that_hangs():
    assert explain_stall(waited=10, queued=0.1, stolen=0.1) == ""
    assert "had no core" in explain_stall(waited=10, queued=6, stolen=0)
    assert "the host had no core" in explain_stall(waited=10, queued=0, stolen=6)


@pytest.mark.long
def test_a_thread_that_others_keep_from_its_core_is_delayed(tmp_path):
    core = str(max(os.sched_getaffinity(0)))
    spin = ["taskset", "-c", core, sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(2)]
    process = subprocess.Popen(
        spin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    sandboxed = SandboxedProcess(process, process.pid)
    try:
        deadline = time.monotonic() + 60
        while sandboxed.delay() < 0.2 and time.monotonic() < deadline:
            os.sched_yield()
        assert sandboxed.delay() >= 0.2
    finally:
        sandboxed.close()
        for other in others:
            other.kill()
            other.wait()


@pytest.fixture
def image(bwrap, not_tested):
    if not bwrap.in_memory:
        not_tested("the image of the system", "there is no file system in memory, or no ldd")
    return bwrap._image


def seen(sandbox, runtime, *command):
    """Return the output of a command in the sandbox, as a program of this runtime."""
    sandboxed = sandbox.start(
        Launch(Path(__file__).parent / "programs", "", [*command], runtime, RunLimits(), 20)
    )
    try:
        assert sandboxed.wait(patient(20))
        return os.read(sandboxed.stdout, 65536).decode()
    finally:
        sandboxed.close()


LIST = ("python3", "-S", "-c", "import os; print(*sorted(os.listdir('/usr/bin')))")
NAMES = ("python", "python3", f"python3.{sys.version_info.minor}")
COMMON = sorted(
    [
        "env", "sh", "sleep",
        *["perl"] * Path(landlock.PERL).exists(),
        *(NAMES if sys.base_prefix == "/usr" else ()),  # the interpreter of the system is there itself
    ]
)  # fmt: skip


def test_programs_find_an_image_in_place_of_the_machines_usr(bwrap, image):
    for runtime in ("python", "native", "c++"):
        assert seen(bwrap, runtime, *LIST).split() == COMMON


@pytest.mark.sample
@pytest.mark.parametrize("runtime", ["node", "java", "bash"])
def test_programs_of_other_runtimes_find_the_image_with_their_runtime_in_it(
    bwrap, image, runtime, not_tested
):
    if shutil.which(runtime) is None:
        not_tested(runtime, f"there is no {runtime}")
    found = set(seen(bwrap, runtime, *LIST).split())
    own = {*COMMON} | (set(extra.SHELL_TOOLS) if runtime == "bash" else {runtime})
    assert runtime in found
    assert found <= own


@pytest.mark.long
def test_where_memory_has_no_room_for_a_runtime_its_programs_find_the_machine_s_usr(
    bwrap, image, monkeypatch
):
    def refuse(files):
        raise OSError("there is no room")

    monkeypatch.setattr(artifact_cache, "check_room", refuse)
    monkeypatch.setattr(artifact_cache, "find_copy", lambda name, key: None)
    own = choose_sandbox("bwrap")
    monkeypatch.setattr(own, "_image", image)
    assert not own.holds_in_memory("bash")
    assert own.holds_in_memory("python")


def test_an_image_that_was_cleared_away_is_made_again(bwrap, image):
    own = choose_sandbox("bwrap")
    other = image.with_name(f"image-{uuid.uuid4().hex}")
    own._image = other  # as if it had been there, and others had cleared it
    assert seen(own, "python", *LIST).split() == COMMON
    assert own._image == image


SLACK = (
    "import ctypes; prctl = ctypes.CDLL(None, use_errno=True).prctl;"
    "print(prctl(30, 0, 0, 0, 0), prctl(29, 1, 0, 0, 0), ctypes.get_errno(), prctl(30, 0, 0, 0, 0))"
)


@pytest.mark.parametrize("runtime", ["python", "native"])
def test_a_program_sleeps_coarsely_and_cannot_change_it(bwrap, runtime):
    """PR_GET_TIMERSLACK is 30, PR_SET_TIMERSLACK is 29, EINVAL is 22."""
    before = Path("/proc/self/timerslack_ns").read_text()
    assert seen(bwrap, runtime, "python3", "-S", "-c", SLACK).split() == ["5000000", "-1", "22", "5000000"]
    assert Path("/proc/self/timerslack_ns").read_text() == before  # the referee's own
