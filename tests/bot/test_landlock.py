"""Of /proc a program can read fixed copies and nothing else, and what scripts do with links there goes on."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from bench.support.patience import patient
from maumau.errors import SandboxUnavailable
from maumau.protocol.limit import RunLimits
from maumau.sandbox.files.proc import READABLE
from maumau.sandbox.inside import landlock
from maumau.sandbox.launch import Launch, choose_sandbox

WALK = """
import os
def read(path):
    try: return bool(open(path, "rb").read(1) or True)
    except OSError: return False
paths = [os.path.join(top, name) for top, _, names in os.walk("/proc") for name in names]
print(*sorted(path for path in paths if not os.path.islink(path) and read(path)))
"""
MOVE = """
import os
os.mkdir("/tmp/a"); os.mkdir("/tmp/b"); open("/tmp/a/x", "w").write("1")
os.rename("/tmp/a/x", "/tmp/b/x"); os.link("/tmp/b/x", "/tmp/a/y"); print(open("/tmp/a/y").read())
"""
IDIOMS = {
    "(echo a > /dev/stdout) | cat; (echo b > /dev/stderr) 2>&1 | cat": ("a\nb", ""),
    "cat <(echo a) <(echo b)": ("a\nb", ""),
    "echo a | cat /dev/stdin": ("a", ""),
    "echo a > /tmp/x; cat /dev/stdin < /tmp/x; cat /proc/self/fd/0 < /tmp/x": ("a\na", ""),
    "test /proc/$$/exe -ef /usr/bin/bash && echo found": ("found", ""),
    "trap '' PIPE; yes 2>/dev/null | head -1": ("y", ""),
    "echo ${LC_ALL-unset}": ("unset", ""),
}


@pytest.fixture
def bwrap(not_tested):
    try:
        found = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here in bwrap: {reason}")
    if not found.own_proc:
        not_tested("a closed /proc", "there is none here")
    return found


@pytest.fixture(params=["warm", "perl", "python"])
def way(request, bwrap, monkeypatch, not_tested):
    """By whom /proc is closed: the fork server's fork, and the two that bubblewrap can start."""
    if request.param == "perl" and not Path(landlock.PERL).is_file():
        not_tested("closing /proc by Perl", f"there is no {landlock.PERL}")
    if request.param == "python":
        monkeypatch.setattr(landlock, "PERL", "/nonexistent")
    bwrap.warmth.allowed = request.param == "warm"
    return request.param


def run(sandbox, room, run, runtime="python"):
    """Return a command's stdout and stderr, and its end."""
    with closing(sandbox.start(Launch(room, "", run, runtime, RunLimits(), 60))) as sandboxed:
        assert sandboxed.wait(patient(30))
        said, log = (read_all(pipe) for pipe in (sandboxed.stdout, sandboxed.stderr))
        return said, log, sandboxed.end(log.encode()).words


def read_all(pipe):
    try:
        return os.read(pipe, 65536).decode().strip()
    except BlockingIOError:
        return ""


def test_a_program_reads_nothing_in_proc_but_fixed_copies(bwrap, room, way):
    (room / "bot.py").write_text(WALK)
    assert run(bwrap, room, ["python3", "bot.py"]) == (" ".join(sorted(READABLE)), "", "exit code 0")
    assert bwrap.warmth.starts["warm"] == (way == "warm")


def test_files_are_moved_and_linked_from_folder_to_folder(bwrap, room, way):
    (room / "bot.py").write_text(MOVE)
    assert run(bwrap, room, ["python3", "bot.py"]) == ("1", "", "exit code 0")


def test_the_first_landlock_closes_proc_but_moves_nothing_between_folders(bwrap, room, way, monkeypatch):
    monkeypatch.setattr(bwrap, "_version", 1)
    move = "os.mkdir('/tmp/a'); open('/tmp/x', 'w'); os.rename('/tmp/x', '/tmp/a/x')"
    (room / "bot.py").write_text(WALK + move)
    said, log, _ = run(bwrap, room, ["python3", "bot.py"])
    assert said == " ".join(sorted(READABLE))
    assert "Invalid cross-device link" in log


@pytest.mark.sample
@pytest.mark.parametrize("script", IDIOMS)
def test_what_scripts_do_with_links_in_proc_goes_on(bwrap, room, script, not_tested):
    if shutil.which("bash") is None:
        not_tested("scripts", "there is no bash")
    assert run(bwrap, room, ["bash", "-c", script], "bash") == (*IDIOMS[script], "exit code 0")


def test_a_command_that_cannot_be_run_is_named(bwrap, room, way):
    said, _, words = run(bwrap, room, ["./missing"])
    assert (said, words) == ("", "it could not be started: ./missing: No such file or directory")


def test_a_program_that_says_so_of_itself_chooses_no_words_that_steer(bwrap, room):
    code = f"import sys; sys.stderr.write({landlock.MARK!r} + 'x\\x1b[2J\\x00y' + 'z' * 999); sys.exit(127)"
    words = run(bwrap, room, ["python3", "-c", code])[2]
    assert words.startswith("it could not be started: x[2Jyzz")
    assert words.isprintable()
    assert len(words) < 250


def test_without_landlock_there_is_no_proc_at_all(room, monkeypatch):
    monkeypatch.setattr(landlock, "find_version", lambda: 0)
    try:
        bare = choose_sandbox("bwrap")
    except SandboxUnavailable as reason:
        pytest.skip(f"NOT TESTED here in bwrap: {reason}")
    assert not bare.own_proc
    assert "no /proc" in bare.says
    (room / "bot.py").write_text("import os; print(os.path.exists('/proc/self'))")
    for bare.warmth.allowed in (True, False):
        assert run(bare, room, ["python3", "bot.py"]) == ("False", "", "exit code 0")


def test_a_fork_that_cannot_close_proc_never_begins(bwrap, room, monkeypatch):
    """A path that is not there stands for a kernel that refuses; the cold start is refused as well."""
    monkeypatch.setattr(bwrap, "_readable", [*READABLE, "/proc/nothing"])
    (room / "bot.py").write_text("print('began')")
    said, log, _ = run(bwrap, room, ["python3", "bot.py"])
    assert said == ""
    assert "/proc/nothing: No such file or directory" in log
    assert bwrap.warmth.starts["warm"] == 0
