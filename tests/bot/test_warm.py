"""A warm start differs from a cold one in the time it takes; where it would differ in more it is cold."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from bench.support.patience import Deadline, patient
from maumau.errors import SandboxUnavailable
from maumau.protocol.limit import RunLimits
from maumau.sandbox import warm
from maumau.sandbox.launch import Launch, choose_sandbox

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def bwrap():
    """Return a sandbox with its own fork server."""
    try:
        found = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here in bwrap: {reason}")
    return found


@pytest.fixture
def open_proc(bwrap, monkeypatch):
    """Programs may read all of their own /proc, so that it can be compared."""
    monkeypatch.setattr(bwrap, "_readable", [])


@pytest.fixture
def started(bwrap, room):
    """Return a function: a program's output and end, by a warm start and by a cold one."""

    def both(text, *words, file="bot.py"):
        (room / file).write_text(text)
        launch = Launch(room, "", ["python3", file, *words], "python", RunLimits(), 60)
        before = bwrap.warmth.starts["warm"]
        ends = [_end(bwrap, launch)]
        assert bwrap.warmth.starts["warm"] == before + 1
        bwrap.warmth.allowed = False
        try:
            return [*ends, _end(bwrap, launch)]
        finally:
            bwrap.warmth.allowed = True

    return both


@pytest.fixture
def small_pipes(monkeypatch):
    """Give new pipes room for a page, as the kernel does for a user with many; fail what waits for more."""

    def make():
        ends = pipe()
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, mmap.PAGESIZE)
        return ends

    def give_up(number, frame):
        pytest.fail("a pipe has too little room")

    pipe = os.pipe
    monkeypatch.setattr(os, "pipe", make)
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(round(patient(2)))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def _end(sandbox, launch):
    with closing(sandbox.start(launch)) as sandboxed:
        assert sandboxed.wait(patient(20))
        said, log = (_all(pipe) for pipe in (sandboxed.stdout, sandboxed.stderr))
        return sandboxed.end(log).words, said, log


def _all(pipe):
    parts = []
    with suppress(BlockingIOError):
        while part := os.read(pipe, 65536):
            parts.append(part)
    return b"".join(parts)


def test_a_program_sees_nothing_of_how_it_was_started(started, open_proc):
    deadline = Deadline(60)
    while True:  # two starts have two seats if a sandbox beside them takes the first one in between
        seen = [json.loads(said) for _, said, _ in started((PROGRAMS / "looks.py").read_text(), "a", "b c")]
        if seen[0]["user"] == seen[1]["user"] or deadline.has_passed():
            break
    for name in seen[0]:
        assert seen[0][name] == seen[1][name], name
    assert seen[0]["words"][0] == ["bot.py", "a", "b c"]
    assert seen[0]["shared"] == []


@pytest.mark.sample(5)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print('bye')", "exit code 0"),
        ("raise SystemExit(3)", "exit code 3"),
        ("raise SystemExit('words')", "exit code 1"),
        ("def f():\n    return 1 / 0\nf()", "exit code 1"),
        ("x = [", "exit code 1"),
        ("import os; os._exit(77)", "exit code 77"),
        ("import ctypes; ctypes.string_at(0)", "signal 11 (SIGSEGV, or SIGABRT of an abort)"),
        ("import atexit, sys; atexit.register(print, 'late'); sys.stdout.write('unflushed')", "exit code 0"),
        ("import threading, time; threading.Timer(0.05, print, ['last']).start()", "exit code 0"),
        ("import sys; sys.stderr.write(sys.stdin.read(0)); import bot2", "exit code 1"),
    ],
)
def test_it_ends_as_it_does_after_a_cold_start(started, text, words):
    ended, cold = started(text)
    assert ended == cold
    assert ended[0] == words


SEARCH = """
import sys
from pathlib import Path

head, tail = (word.encode() for word in sys.argv[1:])
with open("/proc/self/mem", "rb", buffering=0) as memory:
    for row in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_ = row.split()
        begin, end = (int(number, 16) for number in place.split("-"))
        if rights.startswith("rw"):
            memory.seek(begin)
            text = memory.read(end - begin)
            at = -1
            while (at := text.find(head, at + 1)) >= 0:
                if text.startswith(tail, at + len(head)):
                    print("found", row)
print("searched")
"""


def test_nothing_of_a_program_is_in_the_memory_of_the_next_one(bwrap, room, open_proc):
    (room / "bot.py").write_text(SEARCH)
    for words in (["hokus", "pokus"], ["hokuspokus", "fidibus"], ["hokus", "pokus"]):
        launch = Launch(room, "", ["python3", "bot.py", *words], "python", RunLimits(), 60)
        assert _end(bwrap, launch) == ("exit code 0", b"searched\n", b"")


@pytest.mark.parametrize(
    ("run", "files", "found"),
    [
        (["python3", "bot.py"], ["bot.py"], True),
        (["python3", "bot.py", "word"], ["bot.py"], True),
        (["python3", "in/bot.py"], ["in/bot.py"], True),
        (["python3", "-O", "bot.py"], ["bot.py"], False),
        (["python3", "-m", "bot"], ["bot.py"], False),
        (["python3"], ["bot.py"], False),
        (["python3.11", "bot.py"], ["bot.py"], False),
        (["./bot.py"], ["bot.py"], False),
        (["python3", "bot.py"], [], False),
        (["python3", "bot.py"], ["bot.py", "enum.py"], False),
        (["python3", "bot.py"], ["bot.py", "msgspec/__init__.py"], False),
    ],
)
def test_what_is_not_plain_python_starts_cold(room, run, files, found):
    for name in files:
        (room / name).parent.mkdir(exist_ok=True)
        (room / name).write_text("")
    assert warm.can_fork(Launch(room, "", run, "python", RunLimits(), 60)) == found
    assert not warm.can_fork(Launch(room, "", run, "native", RunLimits(), 60))


def test_a_fork_that_is_not_as_the_holder_is_never_begins(bwrap, room, monkeypatch):
    look, said = warm._read_process, []

    def differs(pid):
        said.append(look(pid))
        return said[-1] | {"NoNewPrivs": len(said)}

    monkeypatch.setattr(warm, "_read_process", differs)
    (room / "bot.py").write_text("import os; print(os.getpid())")
    refused = bwrap.warmth.starts["refused"]
    bwrap.warmth.starts["warm"] += 2
    launch = Launch(room, "", ["python3", "bot.py"], "python", RunLimits(), 60)
    assert _end(bwrap, launch) == ("exit code 0", b"1\n", b"")  # the first process: a cold start
    assert bwrap.warmth.starts["refused"] == refused + 1
    assert said[0] == said[1]


def test_a_holder_is_looked_at_when_it_has_become_what_it_will_be():
    environ = b"MARK=1\0"
    for _ in range(100):
        with subprocess.Popen(warm.HOLDER, stdout=subprocess.PIPE, env={"MARK": "1"}) as holder:
            try:
                assert holder.stdout.read(1) == b"."
                warm.wait_for_holder(holder.pid)
                assert environ in Path(f"/proc/{holder.pid}/environ").read_bytes()
            finally:
                holder.kill()


def test_processes_in_different_walls_differ():
    with subprocess.Popen(["sleep", "60"], env={}) as other:
        with pytest.raises(PermissionError, match="environ"):
            warm.compare_walls(os.getpid(), other.pid)
        other.kill()


def test_a_fork_server_that_was_killed_is_replaced(bwrap, room):
    (room / "bot.py").write_text("print('here')")
    launch = Launch(room, "", ["python3", "bot.py"], "python", RunLimits(), 60)
    ended, refused = _end(bwrap, launch), bwrap.warmth.starts["refused"]
    assert ended == ("exit code 0", b"here\n", b"")
    first = bwrap.warmth._fork_server.pid
    os.kill(first, signal.SIGKILL)
    for _ in range(3):  # there may be a fork yet that takes an order
        assert _end(bwrap, launch) == ended
    assert bwrap.warmth._fork_server.pid != first
    assert bwrap.warmth.starts["refused"] <= refused + 1


def test_the_fork_server_ends_with_its_referee(tmp_path):
    code = """
        import sys, time
        from maumau.sandbox.launch import choose_sandbox
        found = choose_sandbox("bwrap")
        found.prepare()
        print(found.warmth._fork_server.pid, flush=True)
        time.sleep(60)
    """
    words = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as referee:
        fork_server = psutil.Process(int(referee.stdout.readline()))
        family = [fork_server, fork_server.parent(), *fork_server.children()]
        referee.send_signal(signal.SIGKILL)
    assert psutil.wait_procs(family, timeout=patient(10))[1] == []


def test_the_fork_server_has_no_rights_beyond_its_work_and_no_network(bwrap):
    bwrap.prepare()
    top = Path("/proc", str(bwrap.warmth._fork_server.pid))
    status = dict(line.split(":\t", 1) for line in (top / "status").read_text().splitlines())
    assert int(status["CapEff"], 16) == sum(1 << number for number in (5, 6, 7, 8, 18, 21))
    assert int(status["NoNewPrivs"]) == 1
    for kind in ("net", "ipc", "uts", "mnt"):
        assert (top / "ns" / kind).readlink() != Path("/proc/self/ns", kind).readlink()
    assert not (top / "root/etc/passwd").exists()


def test_a_program_starts_where_new_pipes_have_room_for_a_page(started, small_pipes):
    assert started("print('hello')") == [("exit code 0", b"hello\n", b"")] * 2
