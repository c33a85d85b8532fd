"""A control group per program, v1 or v2, where this user may make one: its memory, processes and CPU."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

from maumau.protocol.limit import MIB, RunLimits

MOUNT = Path("/sys/fs/cgroup")
V1 = ("memory", "pids", "cpuacct")
ASIDE = "maumau-referee"
PEAKS = ("memory.max_usage_in_bytes", "memory.memsw.max_usage_in_bytes")
"""Files of version 1 with the peak of memory, and of memory and swap."""
NEAR = MIB
"""Bytes below the limit where the kernel may already have none to give."""


class Group:
    """The group of one program; in v1 that is a folder in each controller's tree, in v2 one folder."""

    def __init__(self, folders: dict[str, Path], limits: RunLimits) -> None:
        self.folders = folders
        self.v2 = "" in folders
        memory = folders.get("memory", folders.get("", Path()))
        pids = folders.get("pids", folders.get("", Path()))
        self._memory = memory
        self._make_group()
        if (memory / "memory.memsw.limit_in_bytes").exists():
            _write_value(
                memory / "memory.memsw.limit_in_bytes", -1
            )  # a left-over's may be lower than the new limit
        _write_value(memory / ("memory.max" if self.v2 else "memory.limit_in_bytes"), limits.memory_mib * MIB)
        for swap, most in (("memory.swap.max", 0), ("memory.memsw.limit_in_bytes", limits.memory_mib * MIB)):
            if (memory / swap).exists():
                _write_value(memory / swap, most)
        _write_value(pids / "pids.max", limits.processes)
        self._limit = limits.memory_mib * MIB
        self._peaks = [] if self.v2 else [memory / name for name in PEAKS if (memory / name).exists()]
        self._kills, self._shortages = self._count_kills(), self._count_shortages()  # a left-over has a past
        for peak in self._peaks:
            _write_value(peak, 0)
        usage = folders[""] / "cpu.stat" if self.v2 else folders["cpuacct"] / "cpuacct.usage"
        self._usage = os.open(usage, os.O_RDONLY | os.O_CLOEXEC)
        self.cpu: Callable[[], float] = self._cpu_v2 if self.v2 else self._cpu_v1
        """Seconds of CPU used by everything that ever was in the group."""

    def join(self, pid: int) -> None:
        """Move one process in; its future children join as well."""
        for folder in self.folders.values():
            _write_value(folder / "cgroup.procs", pid)

    def _cpu_v1(self) -> float:
        return int(os.pread(self._usage, 32, 0)) / 1e9

    def _cpu_v2(self) -> float:
        return int(os.pread(self._usage, 256, 0).split(None, 2)[1]) / 1e6

    def peak_memory(self) -> float:
        """Return the peak memory use, in MiB."""
        names = ("memory.peak", "memory.current") if self.v2 else ("memory.max_usage_in_bytes",)
        for name in names:
            if (self._memory / name).exists():
                return int((self._memory / name).read_text()) / MIB
        return 0.0

    def was_killed_for_memory(self) -> bool:
        """Return True if the kernel killed a process because the group had reached its limit."""
        return self._count_kills() > self._kills and self._has_reached_limit()

    def was_killed_for_host(self) -> bool:
        """Return True if the kernel killed a process although the group had not reached its limit.

        The host, or a group above, was out of memory: the kernel counts these kills in the same place.
        """
        return self._count_kills() > self._kills and not self._has_reached_limit()

    def close(self) -> None:
        """Remove the group; its processes are dead and waited for, so only a moment's delay is possible."""
        os.close(self._usage)
        for folder in self.folders.values():
            try:
                folder.rmdir()
            except OSError:
                continue  # the seat's next program takes the folder over

    def _make_group(self) -> None:
        for folder in self.folders.values():
            folder.mkdir(exist_ok=True)

    def _count_kills(self) -> int:
        return self._read_count("memory.events" if self.v2 else "memory.oom_control", "oom_kill")

    def _has_reached_limit(self) -> bool:
        """Return True if the group reached its limit, in version 1 even if dropping cached files sufficed."""
        if self.v2:
            return self._count_shortages() > self._shortages
        return any(int(peak.read_text()) > self._limit - NEAR for peak in self._peaks)

    def _count_shortages(self) -> int:
        """Return how often there was no memory left below the limit; version 1 does not count that."""
        return self._read_count("memory.events", "oom") if self.v2 else 0

    def _read_count(self, name: str, key: str) -> int:
        words = (self._memory / name).read_text().split()
        return int(words[words.index(key) + 1]) if key in words else 0


def make_group(name: str, limits: RunLimits) -> Group:
    """Return the control group of a seat; its name is used by one program at a time."""
    return Group(
        {controller: place / name for controller, place in (find_group_folders() or {}).items()}, limits
    )


@functools.cache
def find_group_folders() -> dict[str, Path] | None:
    """Return the folders in which groups can be made, by controller (v2: under the empty name), or None."""
    own = _read_own_groups()
    found = {name: MOUNT / name / own[name].lstrip("/") for name in V1 if name in own}
    if len(found) == len(V1) and all(map(_is_usable, found.values())):
        return found
    unified = MOUNT / own.get("", "/").removesuffix("/" + ASIDE).lstrip("/")
    return {"": unified} if _is_delegated(unified) and _is_usable(unified) else None


def _read_own_groups() -> dict[str, str]:
    """Return this process's group by controller."""
    groups: dict[str, str] = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        groups |= dict.fromkeys(controllers.split(","), path)
    return groups


def _is_usable(folder: Path) -> bool:
    """Return True if a group can be made there, by trying it."""
    probe = folder / f"maumau-probe-{os.getpid()}"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError:
        return False
    return True


def _is_delegated(folder: Path) -> bool:
    """Return True if v2 delegates memory and pids to child groups, after moving this process if necessary."""
    try:
        offered = set((folder / "cgroup.controllers").read_text().split())
        if not {"memory", "pids"} <= offered:
            return False
        if not {"memory", "pids"} <= set((folder / "cgroup.subtree_control").read_text().split()):
            _hand_down(folder)
    except OSError:
        return False
    return True


def _hand_down(folder: Path) -> None:
    """Delegate the controllers of a v2 group, after leaving it: it must have no processes of its own."""
    if (folder / "cgroup.procs").read_text().split() == [str(os.getpid())]:
        aside = folder / ASIDE
        aside.mkdir(exist_ok=True)
        _write_value(aside / "cgroup.procs", os.getpid())
    _write_value(folder / "cgroup.subtree_control", "+memory +pids")


def _write_value(path: Path, value: int | str) -> None:
    path.write_text(str(value))
