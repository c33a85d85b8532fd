"""The machine under the table: which core it plays on, and whether it kept a program from running."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import time
from collections.abc import Iterator
from pathlib import Path

UNSWEPT = 100_000  # objects more than there were, until the collector looks
PR_SET_TIMERSLACK = 29
SLACK = 5_000_000  # nanoseconds by which a program's sleep may be longer
CAP_SYS_RESOURCE = 24  # from linux/capability.h
STALLED = 0.5  # the share of the time waited that was the host's doing


def read_stolen_seconds() -> float:
    """Return the seconds that other machines took from this one's cores since it started, by core."""
    words = (
        Path("/proc/stat").read_text().split(maxsplit=10)
    )  # cpu user nice system idle iowait irq softirq steal
    return int(words[8]) / os.sysconf("SC_CLK_TCK") / (os.cpu_count() or 1)


def first_thread(pid: int) -> tuple[float, float]:
    """Return the seconds that a process's first thread ran, and that it was ready without having a core."""
    try:
        ran, queued = Path(f"/proc/{pid}/schedstat").read_text().split()[:2]
    except (OSError, ValueError):
        return 0.0, 0.0
    return int(ran) / 1e9, int(queued) / 1e9


def used_by_children(pid: int) -> float:
    """Return the CPU seconds of all processes started by a process, running or waited for.

    A process that is waited for meanwhile is missed this once rather than counted twice.
    """
    waited_for = _read_proc_seconds(pid, 13, 15)
    return waited_for + sum(
        _read_cpu_clock(child) + _read_proc_seconds(child, 13, 15) for child in _list_descendants(pid)
    )


def _read_cpu_clock(pid: int) -> float:
    """Return the CPU seconds of a process, to the nanosecond; coarser for a zombie."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return _read_proc_seconds(pid, 11, 13)


def _read_proc_seconds(pid: int, begin: int, end: int) -> float:
    """Return CPU seconds from /proc: 11 and 12 are its own, 13 and 14 its waited-for children's."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[begin:end])) / os.sysconf("SC_CLK_TCK")


def _list_descendants(pid: int) -> Iterator[int]:
    """Yield the descendants of a process; orphans become children of the namespace's first process."""
    parents = [pid]
    while parents:
        found: set[int] = set()
        with contextlib.suppress(OSError):  # it has ended
            for task in Path(f"/proc/{parents.pop()}/task").iterdir():
                with contextlib.suppress(OSError):
                    found.update(map(int, (task / "children").read_text().split()))
        yield from found
        parents += found


def explain_stall(waited: float, queued: float, stolen: float) -> str:
    """Return why a program that was waited for this long could not run; empty if it could.

    `queued`: seconds it was ready to run and had no core; `stolen`: seconds taken by the machine below. A
    program that sleeps, waits for its own children or for a byte that never comes has neither.
    """
    for seconds, words in ((queued, "it was ready to run and had no core"), (stolen, "the host had no core")):
        if seconds >= STALLED * waited:
            load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count() or 1} cores"
            return f"of {waited:.1f} s that a program was waited for, for {seconds:.1f} s {words} ({load})"
    return ""


@contextlib.contextmanager
def collecting_seldom() -> Iterator[None]:
    """Make the garbage collector run seldom, on new objects only: a table makes no cycles."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(UNSWEPT)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextlib.contextmanager
def pinned_to_core(core: int | None) -> Iterator[None]:
    """Pin this thread, and every program it starts meanwhile, to one core; None: any core."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def has_capability(number: int) -> bool:
    """Return True if this process may use this capability now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next(line.split()[1] for line in lines if line.startswith("CapEff:"))
    return bool(int(effective, 16) >> number & 1)


def is_readable(descriptor: int, seconds: float) -> bool:
    """Return True if there is data or the end of file within this time; works for any descriptor number."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


@contextlib.contextmanager
def coarse_timers() -> Iterator[None]:
    """Let timers of programs started here fire up to 5 ms late, together with others.

    Otherwise each of its threads could interrupt the core 20,000 times a second, at the expense of others.
    """
    _call_prctl(PR_SET_TIMERSLACK, SLACK)
    try:
        yield
    finally:
        _call_prctl(PR_SET_TIMERSLACK, 0)  # as it was when this thread began


def _call_prctl(option: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value))
