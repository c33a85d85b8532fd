"""The start of a build in the background, as `git` tidies up: detached, at idle priority, without a word."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from maumau.engine import build, cache, toolchain
from maumau.engine.choice import is_installed_compiled, read_mode
from maumau.engine.modules import PACKAGE, compute_key

LOG = "build.log"
UNFIT = (OSError, KeyError, ValueError, cache.Unusable)
"""Errors of a machine that is not as expected: no reason for a duel to end with one."""


def start() -> int:
    """Start a build unless there is nothing to do; return its process id, or 0.

    Call it when what the user is waiting for is done. If the engine cannot be compiled, maumau.engine.state
    has the reason.
    """
    try:
        return _start() if find_obstacle() is None else 0
    except UNFIT:
        return 0


def find_obstacle() -> str | None:
    """Return why no build can be started now, None if one can; "" if the latest is there or not wanted."""
    if is_installed_compiled() or read_mode() != "auto":
        return ""
    try:
        if missing := toolchain.explain_missing():
            return missing
        folder = cache.open_folder()
        key, tools = compute_key(), toolchain.compute_tools()
        if build.find_current(key, tools):
            return ""
        if failure := read_failure(key, tools):
            return failure
        return toolchain.explain_shortage(folder) or None
    except UNFIT as error:
        return str(error)


def read_failure(key: str, tools: str) -> str:
    """Return why the last build of these sources failed; "" after a day, or a change of the clock."""
    note = cache.get_folder() / f"{build.FAILED}{key}-{tools}"
    try:
        if abs(time.time() - note.stat().st_mtime) > cache.DAY:
            return ""
        return cache.read_file(note).decode(errors="replace").strip()
    except OSError:
        return ""


def _start() -> int:
    folder = cache.open_folder()
    (folder / LOG).unlink(missing_ok=True)  # whatever it is: to open a pipe would wait for a reader
    with (folder / LOG).open("xb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "maumau.engine.build"],
            cwd=PACKAGE.parent,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _RUNNING.append(process)  # else Python would wait for it, or complain that nobody does
    return process.pid


_RUNNING: list[subprocess.Popen[bytes]] = []
