"""Sandbox levels, weakest first, with one interface: `start` returns the program's process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from maumau.errors import SandboxUnavailable
from maumau.process.linux import require_linux
from maumau.protocol.limit import MIB, RunLimits
from maumau.sandbox.sandboxed_process import SandboxedProcess

PENDING = 1024  # pending signals and timers that a user may have


class Launch(msgspec.Struct, frozen=True):
    """A start: the program's folder and content hash, its command, and its limits.

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
    """A tier of isolation for programs.

    It has a name, says whether it keeps programs from each other and the machine and whether control groups
    count what all processes of a program use, and has a line for the user.
    """

    name: str
    isolated: bool
    counted: bool
    says: str

    def holds_in_memory(self, runtime: str) -> bool:
        """Return True if the system files of this runtime are in memory.

        Reading them then leaves no trace for a program's next seating.
        """

    def prepare(self) -> None:
        """Prepare for starts in this process, ahead of the first one."""

    def start(self, launch: Launch) -> SandboxedProcess:
        """Start a program; raise PlatformFault if the sandbox cannot be built at the moment."""


def choose_sandbox(name: str) -> Sandbox:
    """Return the sandbox of this name, tested by a real start; `auto`: the strongest that works here."""
    require_linux("Bots")
    from maumau.sandbox.bubblewrap import Bubblewrap
    from maumau.sandbox.plain import Plain

    tiers: dict[str, Callable[[], Sandbox]] = {"process": Plain, "bwrap": Bubblewrap}
    if name != "auto":
        if name not in tiers:
            raise SandboxUnavailable(f"There is no sandbox {name!r}; known: auto, {', '.join(tiers)}.")
        return tiers[name]()
    try:
        return Bubblewrap()
    except SandboxUnavailable as reason:
        return Plain(f" (bwrap: {reason})")


def compute_limits(launch: Launch, *, memory: bool, processes: bool) -> dict[str, int]:
    """Return the kernel's limits per process, by name; `memory` and `processes` if no group limits them."""
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
    """Return the command prefix that sets these limits."""
    return [find_tool("prlimit"), *(f"--{key}={value}" for key, value in found.items()), "--"]


def find_tool(name: str) -> str:
    """Return the path of a system program that prepares a process."""
    program = shutil.which(name)
    if program is None:
        raise SandboxUnavailable(f"Bots are started by {name}, which is missing here (package util-linux).")
    return program


def _lowers_limit(key: str, value: int) -> bool:
    """Return False if the hard limit is lower already: it cannot be raised, and need not be."""
    import resource

    hard = resource.getrlimit(getattr(resource, f"RLIMIT_{key.upper()}"))[1]
    return hard == resource.RLIM_INFINITY or hard >= value
