"""The walls that a program can run behind, weakest first, behind one interface: `start` gives its process."""

from __future__ import annotations

import resource
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from maumau.bot.limit import MIB, RunLimits
from maumau.bot.sandboxed_process import SandboxedProcess
from maumau.errors import SandboxUnavailable

PENDING = 1024  # pending signals and timers that a user may have


class Launch(msgspec.Struct, frozen=True):
    """What to start: the program's folder and content hash, its command, and what it may use.

    `cpu_seconds` is all CPU time the process can ever get; the referee's own clock is stricter. `charged`:
    its CPU time is taken from a bank, so that none may go uncounted.
    """

    folder: Path
    sha256: str
    run: list[str]
    runtime: str
    limits: RunLimits
    cpu_seconds: int
    charged: bool = True


class Sandbox(Protocol):
    """A tier: its name, whether it keeps programs from each other and the machine, whether control groups
    count what all processes of a program use, and a line about it."""

    name: str
    isolated: bool
    counted: bool
    says: str

    def holds_in_memory(self, runtime: str) -> bool:
        """Whether what programs of this runtime find of the system lies in memory, so that reading it leaves
        no trace for their next seating."""

    def prepare(self) -> None:
        """Do ahead of the first start what this process will need for it."""

    def start(self, launch: Launch) -> SandboxedProcess:
        """Start a program; PlatformFault if the wall cannot be built just now."""


def choose_sandbox(name: str) -> Sandbox:
    """The tier of this name, probed by a real start; `auto`: the best there is here."""
    from maumau.bot.bubblewrap import Bubblewrap
    from maumau.bot.plain import Plain

    tiers: dict[str, Callable[[], Sandbox]] = {"process": Plain, "bwrap": Bubblewrap}
    if name != "auto":
        if name not in tiers:
            raise SandboxUnavailable(f"There is no sandbox {name!r}; known are auto, {', '.join(tiers)}.")
        return tiers[name]()
    try:
        return Bubblewrap()
    except SandboxUnavailable as reason:
        return Plain(f" (bwrap: {reason})")


def compute_limits(launch: Launch, *, memory: bool, processes: bool) -> dict[str, int]:
    """What the kernel counts for each process, by name; `memory` and `processes` where no group does."""
    most = launch.limits
    found = {
        "core": 1,  # byte: none is written, and unlike with 0 no collector of core files is started
        "memlock": 0,
        "sigpending": PENDING,
        "nofile": most.files,
        "fsize": most.tmp_mib * MIB,
        "cpu": launch.cpu_seconds,
        **({"as": most.memory_mib * MIB} if memory else {}),
        **({"nproc": most.processes} if processes else {}),
    }
    return {key: value for key, value in found.items() if _lowers_limit(key, value)}


def write_prlimit(found: dict[str, int]) -> list[str]:
    """The words that start a command with these limits."""
    return [find_tool("prlimit"), *(f"--{key}={value}" for key, value in found.items()), "--"]


def find_tool(name: str) -> str:
    """The path of one of the system's programs that prepare a process."""
    program = shutil.which(name)
    if program is None or sys.platform != "linux":
        raise SandboxUnavailable(f"Programs are run on Linux only, with {name} (package util-linux).")
    return program


def _lowers_limit(key: str, value: int) -> bool:
    """A hard limit that is lower already cannot be raised, and need not be."""
    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{key.upper()}"))[1]
    return hard == resource.RLIM_INFINITY or hard >= value
