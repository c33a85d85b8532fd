"""The sandbox's base: control groups of both versions, the cache of copies, the channel's limits."""

from __future__ import annotations

import errno
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import uuid
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau import errors
from maumau.protocol.limit import RunLimits
from maumau.referee.channel import Channel
from maumau.sandbox.files import artifact_cache, image
from maumau.sandbox.kernel import cgroup, host
from maumau.sandbox.launch import Launch

LIMITS = RunLimits(memory_mib=64, processes=7)


@pytest.fixture
def unified(tmp_path, monkeypatch):
    """Yield the files of a version 2 control group, for a kernel whose controllers are all in version 1."""
    (tmp_path / "maumau-1").mkdir()
    for name, text in {
        "cgroup.controllers": "cpu memory pids",
        "cgroup.subtree_control": "memory pids",
        "maumau-1/memory.events": "low 0\nhigh 0\nmax 3\noom 0\noom_kill 0\n",
        "maumau-1/memory.swap.max": "max",
        "maumau-1/memory.peak": str(3 << 20),
        "maumau-1/cpu.stat": "usage_usec 1500000\nuser_usec 1000000\nsystem_usec 500000\n",
    }.items():
        (tmp_path / name).write_text(text)
    if not (cgroup.__file__ or "").endswith(".py"):
        pytest.skip("a compiled module keeps its own names")
    monkeypatch.setattr(cgroup, "MOUNT", tmp_path)
    monkeypatch.setattr(cgroup, "_read_own_groups", lambda: {"": "/"})
    cgroup.find_group_folders.cache_clear()
    yield tmp_path
    cgroup.find_group_folders.cache_clear()


def test_a_group_of_version_2_is_written_and_read_as_the_kernel_has_it(unified):
    found = cgroup.make_group("maumau-1", LIMITS)
    assert (unified / "maumau-1/memory.max").read_text() == str(64 << 20)
    assert (unified / "maumau-1/memory.swap.max").read_text() == "0"
    assert (unified / "maumau-1/pids.max").read_text() == "7"
    assert (found.cpu(), found.peak_memory(), found.was_killed_for_memory()) == (1.5, 3.0, False)
    (unified / "maumau-1/memory.events").write_text("oom 1\noom_kill 1\n")
    assert (found.was_killed_for_memory(), found.was_killed_for_host()) == (True, False)
    found.join(42)
    assert (unified / "maumau-1/cgroup.procs").read_text() == "42"
    found.close()


def test_a_kill_for_the_hosts_lack_of_memory_is_not_one_for_the_programs_own(unified):
    """The kernel counts both in `oom_kill` of the program's group."""
    found = cgroup.make_group("maumau-1", LIMITS)
    assert not found.was_killed_for_host()
    (unified / "maumau-1/memory.events").write_text("low 0\nhigh 0\nmax 3\noom 0\noom_kill 1\n")
    assert (found.was_killed_for_memory(), found.was_killed_for_host()) == (False, True)


def test_groups_are_used_only_where_memory_and_pids_are_handed_down(unified):
    assert cgroup.find_group_folders() == {"": unified}
    cgroup.find_group_folders.cache_clear()
    (unified / "cgroup.controllers").write_text("cpu")
    assert cgroup.find_group_folders() is None


def test_a_worker_alone_in_its_group_steps_aside_to_hand_the_controllers_down(unified):
    (unified / "cgroup.subtree_control").write_text("")
    (unified / "cgroup.procs").write_text(f"{os.getpid()}\n")
    assert cgroup.find_group_folders() == {"": unified}
    assert (unified / "cgroup.subtree_control").read_text() == "+memory +pids"
    assert (unified / cgroup.ASIDE / "cgroup.procs").read_text() == str(os.getpid())


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(artifact_cache, "PLACE", str(tmp_path))
    return tmp_path / f"maumau-{os.geteuid()}"


def test_a_copy_is_made_once_for_its_content(place, tmp_path):
    (tmp_path / "a").write_text("1")
    first = artifact_cache.keep_copy("thing", [("in/a", tmp_path / "a")])
    assert artifact_cache.keep_copy("thing", [("in/a", tmp_path / "a")]) == first
    assert (first / "in" / "a").read_text() == "1"
    (tmp_path / "a").write_text("2")
    assert artifact_cache.keep_copy("thing", [("in/a", tmp_path / "a")]) != first
    assert [path.name for path in place.iterdir() if path.name.startswith(".")] == []


def test_copies_and_drafts_that_nobody_used_for_long_are_cleared_away(place, tmp_path):
    (tmp_path / "a").write_text("1")
    old = artifact_cache.keep_copy("thing", [("a", tmp_path / "a")])
    (place / ".thing-draft").mkdir()
    for path in (old, place / ".thing-draft"):
        os.utime(path, (0, time.time() - artifact_cache.KEPT - 1))
    (tmp_path / "a").write_text("2")
    new = artifact_cache.keep_copy("thing", [("a", tmp_path / "a")])
    assert list(place.iterdir()) == [new]


def test_what_all_programs_share_is_copied_into_memory_where_there_is_room(
    place, tmp_path, monkeypatch, caplog
):
    (tmp_path / "library.so").write_text("1")
    (tmp_path / "memory").mkdir()
    monkeypatch.setattr(artifact_cache, "MEMORY", str(tmp_path / "memory"))
    monkeypatch.setattr(artifact_cache, "has_memory", lambda: True)
    files = [("library.so", tmp_path / "library.so")]
    held = artifact_cache.keep_copy("site", files, memory=True)
    assert held.is_relative_to(tmp_path / "memory")
    assert (held / "library.so").read_text() == "1"
    assert artifact_cache.mark_used(held)

    filled = partial(full, artifact_cache._copy_files, tmp_path / "memory")
    monkeypatch.setattr(artifact_cache, "_copy_files", filled)
    (tmp_path / "library.so").write_text("2")
    held = artifact_cache.keep_copy("site", files, memory=True)
    assert held.is_relative_to(place)
    assert (held / "library.so").read_text() == "2"
    assert "read from the disk" in caplog.text


def test_the_file_that_a_link_of_a_copy_names_stays_as_it_is(place, tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "java").write_text("2")
    (tmp_path / "java").chmod(0o755)
    held = artifact_cache.keep_copy(
        "thing",
        [("a", tmp_path / "a")],
        lambda draft: (draft / "java").symlink_to(tmp_path / "java"),
    )
    assert (held / "java").read_text() == "2"
    assert (tmp_path / "java").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "java").stat().st_gid == (tmp_path / "a").stat().st_gid


def test_an_image_that_cannot_be_extended_is_refused_with_one_reason(place, tmp_path, monkeypatch, caplog):
    """Hard links lead to another file system here, as where memory is full."""
    for name in ("usr/bin/env", "usr/lib/a", "usr/lib/b"):
        (tmp_path / "base" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "base" / name).write_text("")

    def refuse_link(source, target):
        raise OSError(errno.EXDEV, "Invalid cross-device link", source, None, target)

    monkeypatch.setattr(os, "link", refuse_link)
    assert image.extend_image(tmp_path / "base", "bash") is None
    assert caplog.text.count("cross-device") <= 2  # in memory, if there is one, and on disk


def full(copy, disk, files, where, finish):
    """Simulate a disk without any room."""
    if where.is_relative_to(disk):
        raise OSError(errno.ENOSPC, "No space left on device")
    copy(files, where, finish)


def test_root_of_a_namespace_has_the_cache_of_whoever_it_is_outside(monkeypatch):
    """Its copies lie beside those of the machine's root, where /dev/shm and /var/tmp are shared."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(artifact_cache, "own_users", lambda: False)
    monkeypatch.setattr(artifact_cache, "_read_ids", lambda kind: [(0, 1001, 1)])
    assert artifact_cache._get_cache_path().name == "maumau-1001-alone"


def test_an_artifact_cache_that_others_may_write_to_is_refused(place):
    artifact_cache.find_cache_folder()
    place.chmod(0o777)
    with pytest.raises(errors.SandboxUnavailable, match="others can write"):
        artifact_cache.find_cache_folder()


def test_an_artifact_cache_that_cannot_be_made_is_no_sandbox(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(artifact_cache, "PLACE", str(tmp_path / "file"))
    with pytest.raises(errors.SandboxUnavailable, match="cannot be used: Not a directory"):
        artifact_cache.find_cache_folder()


def apart(flags, before):
    """Return the sandbox's description, or its error, in new namespaces after a shell command."""
    code = (
        "from maumau.sandbox.launch import choose_sandbox; from maumau.errors import SandboxUnavailable\n"
        "try: print(choose_sandbox('auto').says)\n"
        "except SandboxUnavailable as error: print('refused:', error)"
    )
    command = ["unshare", *flags, "sh", "-c", f'{before} && exec "$@"', "sh", sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path(artifact_cache.__file__).parents[2]
    )


def complaints(done):
    """Return messages except those about missing room in memory, which may occur here."""
    return [line for line in done.stderr.splitlines() if "there is no room for" not in line]


def test_where_var_tmp_only_reads_the_sandbox_is_refused_in_one_line(not_tested):
    done = apart(["-m"] if os.geteuid() == 0 else ["-rm"], "mount -t tmpfs -o ro tmpfs /var/tmp")
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        not_tested("a read-only /var/tmp", done.stderr)
    assert "cannot be used: Read-only file system" in done.stdout
    assert complaints(done) == []


@pytest.mark.long
def test_where_memory_has_no_room_for_the_image_programs_see_the_machine_s_usr(not_tested):
    flags = ["-m"] if os.geteuid() == 0 else ["-rm"]
    done = apart(flags, "mount -t tmpfs -o size=8m tmpfs /dev/shm")
    if "mount:" in done.stderr or "unshare:" in done.stderr:
        not_tested("a small /dev/shm", done.stderr)
    assert done.stdout.startswith("bwrap: ")
    assert re.search(r"image is read from the disk, .* no room for \d+ MiB in /dev/shm", done.stderr)


@pytest.mark.long
def test_root_of_a_namespace_that_knows_root_alone_has_no_users_of_the_seats(not_tested):
    done = apart(["-r"], "true")
    if "unshare:" in done.stderr:
        not_tested("root that is no other user", done.stderr)
    assert complaints(done) == []
    assert "bwrap: namespaces, no network, system call filter, a closed /proc, this user, " in done.stdout


def test_a_program_that_the_seats_may_not_read_is_played_from_a_copy(bwrap, play, submit, faults):
    hidden = submit("good")
    hidden.folder.parent.chmod(0o700)
    assert faults(play(hidden, "good", sets=1)) == []


@pytest.mark.parametrize("sandbox", ["bwrap", "process"])
def test_an_abort_is_named_though_it_ends_process_1_like_a_wrong_address(sandbox, request, room):
    if not (compiler := shutil.which("gcc")):
        pytest.skip("NOT TESTED here: without gcc there is no program that aborts")
    source = "#include <stdlib.h>\nint main(void) { abort(); }\n"
    subprocess.run([compiler, "-x", "c", "-o", room / "bot", "-"], input=source, text=True, check=True)
    launch = Launch(room, "", ["./bot"], "native", RunLimits(), 60)
    with closing(request.getfixturevalue(sandbox).start(launch)) as sandboxed:
        assert sandboxed.wait(patient(20))
        assert "SIGABRT" in sandboxed.end(b"").words


def test_a_worker_with_more_than_a_thousand_open_files_plays(bwrap, play, faults):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        assert faults(play("good", "good", sets=1)) == []
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_what_is_left_out_of_a_copy_is_left_out(tmp_path):
    for name in ("a", "b/c", "skip/d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.relative_to(tmp_path).as_posix() for path in artifact_cache.files_below(tmp_path, {"skip"})]
    assert found == ["a", "b/c"]


def test_the_referee_holds_no_more_of_a_flood_than_its_bounds(play):
    """A line of 1 GB and a log of 100 MB: the referee's own memory stays where it was."""
    before = resident()
    play("endless", "flood_err", sets=1, deal_ms=2000)
    assert resident() - before < 20 << 20


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_what_is_kept_of_long_lines_is_their_beginning(process, room):
    code = "while True: print('x' * 65_000, flush=True)"
    sandboxed = process.start(Launch(room, "", ["python3", "-S", "-c", code], "python", RunLimits(), 60))
    channel, lines, deadline = Channel(sandboxed, RunLimits()), 0, time.monotonic() + 60
    while lines < 600 and time.monotonic() < deadline:
        lines += channel.wait(0.1) is not None
    sandboxed.close()
    assert lines == 600
    assert sum(len(line) for _, line in channel._past) < 2 << 20
    assert channel.last_lines()[-1] == "< " + "x" * 2000 + "… (65,000 bytes)"


def test_a_group_left_over_with_less_memory_is_taken_over(bwrap):
    """A worker that was killed leaves its groups behind; version 1 minds in which order limits are raised."""
    if cgroup.find_group_folders() is None:
        pytest.skip("this user can make no control group here")
    name = f"maumau-test-{os.getpid()}"
    os.close(cgroup.make_group(name, RunLimits(memory_mib=64))._usage)
    found = cgroup.make_group(name, RunLimits(memory_mib=512))
    found.close()
    assert not [folder for folder in found.folders.values() if folder.exists()]


def test_a_core_that_a_programs_own_children_have_is_not_the_hosts_doing(process, room):
    code = """
import os, time
child = os.fork()
if not child:
    while True: pass
while time.clock_gettime((~child << 3) | 2) < 0.3: time.sleep(0.01)
print("ready", flush=True)
time.sleep(60)
"""
    launch = Launch(room, "", ["python3", "-S", "-c", code], "python", RunLimits(), 60)
    sandboxed = process.start(launch)
    channel, deadline = Channel(sandboxed, RunLimits()), time.monotonic() + 60
    while channel.wait(0.1) is None:
        assert time.monotonic() < deadline
    used = host.used_by_children(sandboxed.pid)
    sandboxed.close()
    assert used > 0.2


@pytest.mark.long
def test_no_descriptor_is_left_open(play, submit):
    """A leak grows from round to round; servers of other tests open and close some of their own."""
    play("crash", "good", sets=1)
    opened = []
    for _ in range(3):
        play("crash", "endless", "good", sets=1)
        gone = submit("good")
        gone.folder.rename(gone.folder.with_name(f"elsewhere-{uuid.uuid4().hex}"))
        with pytest.raises(errors.ProgramGone):
            play(gone, "good", sets=1)
        opened.append(len(list(Path("/proc/self/fd").iterdir())))
    assert any(after <= before for before, after in pairwise(opened))


def test_files_that_are_gone_are_not_taken_for_a_busy_host(play, submit, recwarn):
    """A retry of the same block would not bring them back."""
    gone = submit("good")
    shutil.rmtree(gone.folder)
    with pytest.raises(errors.ProgramGone, match=f"gone from {gone.folder}"):
        play(gone, "good", sets=1)
    assert list(recwarn) == []


FORKS = """
import ctypes, sys, tempfile
from pathlib import Path
from maumau.protocol.limit import RunLimits
from maumau.sandbox.launch import Launch, choose_sandbox

forks = []
note = ctypes.CFUNCTYPE(None)(lambda: forks.append(1))
assert ctypes.CDLL(None).__register_atfork(note, None, None, None) == 0
with tempfile.TemporaryDirectory() as folder:
    Path(folder).chmod(0o755)
    launch = Launch(Path(folder), "", ["python3", "-V"], "python", RunLimits(), 9)
    sandboxed = choose_sandbox(sys.argv[1]).start(launch)
    sandboxed.wait(9)
    print(sandboxed.end(b"").words, forks)
"""


@pytest.mark.sample
@pytest.mark.parametrize("tier", ["process", "bwrap"])
def test_no_fork_handler_runs_at_a_start(tier, request):
    """gRPC's take part in every fork of a process that serves, and then the program does not start."""
    request.getfixturevalue(tier)
    command = [sys.executable, "-c", FORKS, tier]
    said = subprocess.run(command, capture_output=True, text=True, timeout=patient(60), check=False)
    assert said.stdout == "exit code 0 []\n", said.stderr


BREEDS = """
import os
while True:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.long
def test_children_that_end_while_they_are_looked_for_are_no_error():
    """It ended the referee, and with it the block."""
    with subprocess.Popen([sys.executable, "-S", "-c", BREEDS]) as breeding:
        try:
            for _ in range(3000):
                assert host.used_by_children(breeding.pid) >= 0.0
        finally:
            breeding.kill()
