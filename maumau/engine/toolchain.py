"""The tools that compile the engine: a C compiler with Python's headers, mypyc, and room."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from maumau.engine.choice import is_checkout
from maumau.engine.modules import PACKAGE

COMPILERS = ("cc", "gcc", "clang")
LOCK = "requirements-build.lock"
NEEDED_MEMORY, NEEDED_ROOM = 1200, 600
"""MiB that have to be free in memory, of which a build takes up to half, and on the disk."""


def find_compiler() -> str:
    """Return the command of the C compiler, as CC has it or Python was built with, or "" without one."""
    try:
        given = shlex.split(os.environ.get("CC", ""))
    except ValueError:  # a quotation that is not closed
        return ""
    if given:  # it may be several words, such as `ccache gcc`
        found = shutil.which(given[0])
        return shlex.join([found, *given[1:]]) if found else ""
    known = [*shlex.split(sysconfig.get_config_var("CC") or "")[:1], *COMPILERS]
    return next((shlex.quote(found) for name in known if (found := shutil.which(name))), "")


def find_uv() -> Path:
    """Return the path that the installer of a checkout has."""
    return PACKAGE.parent / ".uv/bin/uv"


def has_mypyc() -> bool:
    """Return True if this environment can translate Python to C."""
    return all(find_spec(name) is not None for name in ("mypyc", "setuptools"))


def explain_missing() -> str:
    """Return in a phrase why this machine cannot compile; "" if nothing is missing."""
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return "it is compiled for CPython on Linux only"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "it is not compiled for a Python without its global lock"
    if not find_compiler():
        return "there is no C compiler"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "Python's headers are missing (Debian: python3-dev)"
    if not has_mypyc() and not (is_checkout() and find_uv().exists()):
        return "mypy and setuptools, which compile it, are not installed (the extra `compile`)"
    return ""


def explain_shortage(folder: Path) -> str:
    """Return in a phrase which resource is too scarce for a build now; "" if there is enough."""
    memory, room = _read_free_memory(), shutil.disk_usage(folder).free >> 20
    if memory < NEEDED_MEMORY:
        return f"{memory} MiB of memory are free, and a build wants {NEEDED_MEMORY}"
    if room < NEEDED_ROOM:
        return f"{room} MiB are free in {folder}, and a build wants {NEEDED_ROOM}"
    return ""


def _read_free_memory() -> int:
    """Return the MiB that are free, at most all of this process's control group."""
    lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
    free = int(lines["MemAvailable"].split()[0]) >> 10
    try:
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return free
    return free if most == "max" else min(free, int(most) >> 20)


def compute_tools() -> str:
    """Return the hash of the C compiler and of mypyc; a newer one compiles again."""
    from hashlib import sha256

    words = [_identify(word) for word in shlex.split(find_compiler())]
    return sha256("\0".join([*words, _find_mypyc(), platform.machine()]).encode()).hexdigest()[:8]


def _identify(word: str) -> str:
    """Return a word of the compiler's command, for a program with its path, size and time."""
    program = shutil.which(word)
    if program is None:
        return word
    path = Path(program).resolve()
    found = path.stat()
    return f"{path}\0{found.st_size}\0{found.st_mtime_ns}"


def _find_mypyc() -> str:
    """Return the version of mypyc here, else the one that it will be fetched in."""
    from importlib.metadata import PackageNotFoundError, version  # imports all of `email`

    try:
        return version("mypy")
    except PackageNotFoundError:
        pins = (PACKAGE.parent / LOCK).read_text(encoding="utf-8").splitlines()
        return next((pin.split("==")[1].split()[0] for pin in pins if pin.startswith("mypy==")), "")


def compute_lock() -> str:
    """Return the hash of the lock of a checkout's build tools and of this Python."""
    from hashlib import sha256

    lock = PACKAGE.parent / LOCK
    return sha256(sys.version.encode() + lock.read_bytes()).hexdigest()[:16]
