"""Ctrl-C at any moment of a command's life: one line or none, never a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench.support.patience import patient
from tests.support.arenas.embedded import arena_environment
from tests.support.kinds import one_of

MAIN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from maumau.cli.start import main
main()
"""
COMMANDS = (
    ["--help"],
    ["rules", "list"],
    ["duel", "greedy", "first", "-n", "2000"],
    ["league", "greedy", "first", "--hours", "1"],
    ["up", "--data", "data", "--plain"],
    ["demo"],
    ["tournament", "list"],
)
BEGUN = "maumau.cli.start"


def interrupt(folder: Path, words: list[str], imports: int) -> str:
    """Return a command's output if Ctrl-C comes after this many imports; nothing may be left in TMPDIR."""
    own = arena_environment(HOME=str(folder), TMPDIR=str(folder), PYTHONPROFILEIMPORTTIME="1")
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words], cwd=folder, text=True, bufsize=1,
        env=own, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    said, left = [], None
    for line in process.stderr:
        if not line.startswith("import time:"):
            said.append(line)
        elif left is None:
            left = imports if line.split("|")[-1].strip() == BEGUN else None
        else:
            left -= 1
        if left == 0:
            os.killpg(process.pid, signal.SIGINT)
            left = -1
    process.wait(patient(60))
    return "".join(said)


@pytest.mark.sample(4)
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("imports", one_of(2, [1, 60, 200, 350]))
def test_ctrl_c_while_modules_are_imported_is_no_traceback(
    tmp_path: Path, words: list[str], imports: int
) -> None:
    said = interrupt(tmp_path, words, imports)
    assert "Traceback" not in said
    assert said.count("\n") <= 1, said
    assert not [path for path in tmp_path.glob("maumau-*") if not (path / ".lock").exists()]


BETWEEN = """
import signal
import threading
import maumau.game
from maumau.cli.start import main

signal.signal(signal.SIGINT, signal.default_int_handler)
def variants():
    lock = threading.RLock()
    with lock:
        lock.release()  # as `Condition.wait` does, before it can see to what comes then
        signal.raise_signal({number})
maumau.game.variants = variants
main()
"""


CALLBACK = """
import signal
import threading
import weakref
import maumau.game
from maumau.cli.start import main

signal.signal(signal.SIGINT, signal.default_int_handler)
class Watched:
    pass
def variants():
    watched = Watched()
    kept = weakref.ref(watched, lambda _: signal.raise_signal({number}))
    del watched  # Python prints what a callback raises, and goes on
    threading.Event().wait(60)  # at work
maumau.game.variants = variants
main()
"""


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("script", [BETWEEN, CALLBACK], ids=["between", "callback"])
def test_a_signal_where_python_would_lose_it_ends_a_command_as_any_other_does(
    script: str, number: int
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", script.format(number=int(number)), "rules", "list"],
        env=arena_environment(), capture_output=True, text=True, timeout=patient(60), check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (128 + number, "")
    assert "Traceback" not in ended.stderr


def find_imports(names: str) -> set[str]:
    """Return a fresh Python's imports for these modules, except those of the project."""
    script = f"import sys; before = set(sys.modules); import {names}; print(*(set(sys.modules) - before))"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    return {name for name in said.split() if not name.startswith("maumau")}


def test_hardly_anything_is_imported_before_ctrl_c_is_understood() -> None:
    """Each module more is a moment in which it would end in a traceback."""
    modules = "maumau.cli.start, maumau.process.importing"
    assert find_imports(modules) <= {"__future__", "_signal", "gc"}  # but for the first, built in
