"""All processes of the arena: started in stages, restarted when they die, stopped without remains."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from services.supervisor.process.child import Child
from services.supervisor.process.forked import ForkServer

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = {2: 0.7, 1: 0.4, 0: 0.4}
"""Seconds that a stage has to end before it is killed: workers, services, Valkey; together under 2.

A kill loses nothing: a worker's blocks are played again right after the next start, and databases
and Valkey's log are consistent at any moment.
"""
REFUSALS = 3
"""Consecutive starts that fail for want of a port after which the other program is taken to stay."""

SELDOM = 4
"""Ticks between checks that are not urgent: sizes of logs, and processes whose end went unnoticed."""

Say = Callable[[str], None]
Ended = Callable[[str, int], None]


class Roster:
    """The children by name. It belongs to the main thread, except for `list_pids` and `restart_child`.

    `ended` gets the name and the process id of each child that died.
    """

    def __init__(self, say: Say, ended: Ended | None = None) -> None:
        self._say, self._children, self._sick = say, dict[str, Child](), set[tuple[str, int]]()
        self._ended = ended
        self._ticks = 0
        self._others = _children_of_this_process()
        _adopt_orphans()

    def start_children(self, children: Iterable[Child], server: ForkServer | None = None) -> None:
        """Start children, by a fork server if there is one, and keep them running."""
        for child in children:
            self._children[child.name] = child
            child.start(server)

    def spare_process(self, pid: int) -> None:
        """Leave a process alone that outlives the arena."""
        self._others.add(pid)

    def list_pids(self) -> dict[str, int]:
        """Return the process id of each child by name, 0 while it awaits its restart."""
        return {name: child.pid for name, child in list(self._children.items())}

    def restart_child(self, name: str, pid: int) -> None:
        """Have a child whose process hangs killed and restarted; callable from any thread."""
        self._sick.add((name, pid))

    def find_failure(self) -> str:
        """Return, during the start, which child died and its last words; "" if none did."""
        for child in self._children.values():
            if how := child.poll_exit():
                return f"{child.name} did not start ({how}): {child.last_words()}"
        return ""

    def check_children(self) -> bool:
        """Look after all children once; return True if a process changed."""
        before = self.list_pids()
        while self._sick:
            name, pid = self._sick.pop()
            child = self._children[name]
            if child.pid == pid and not child.refusals:  # else it was restarted since
                self._say(f"{child.name} does not answer, stopping it")
                child.kill()
        self._ticks += 1
        for child in self._children.values():
            self._look_after(child)
        has_changed = before != self.list_pids()
        if has_changed or self._ticks % SELDOM == 0:
            self._end_orphans()
        return has_changed

    def _look_after(self, child: Child) -> None:
        if self._ticks % SELDOM == 0:
            child.trim_log()
        pid = child.pid
        if pid and (how := child.poll_exit()):
            if self._ended:
                self._ended(child.name, pid)
            pause = child.back_off()
            self._say(f"{child.name} {_describe_death(child, how)} again in {pause:g} s")
        if not child.pid and time.monotonic() >= child.due:
            child.start()

    def find_displaced(self) -> str:
        """Return the name of a child whose port another program keeps; "" if there is none."""
        return next((name for name, child in self._children.items() if child.refusals >= REFUSALS), "")

    def stop_children(self, names: Collection[str] | None = None) -> dict[str, int]:
        """End these children for good, or all: the latest stage first, by SIGTERM, then by SIGKILL.

        Return the killed processes, by name: they have not given back their blocks.
        """
        ending = [self._children.pop(name) for name in list(self._children) if names is None or name in names]
        killed: dict[str, int] = {}
        for stage in sorted(PATIENCE, reverse=True):
            killed |= _stop_stage([child for child in ending if child.stage == stage], PATIENCE[stage])
        last = time.monotonic() + 1
        while self._end_orphans() and time.monotonic() < last:
            time.sleep(0.01)
        return killed

    def _end_orphans(self) -> bool:
        """Kill processes that dead children left behind, now ours; return True if there were any."""
        known = {child.pid for child in self._children.values()}
        orphans = _children_of_this_process() - known - self._others
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        return bool(orphans)


def _describe_death(child: Child, how: str) -> str:
    if child.refusals:
        return f"cannot start because another program has {child.listens or 'its port'}; trying"
    why = f": {child.last_words()}" if how.startswith("exit") else ""
    return f"died ({how}{why}), starting it"


def _stop_stage(children: Collection[Child], patience: float) -> dict[str, int]:
    for child in children:
        child.terminate()
    until = time.monotonic() + patience
    killed = {child.name: child.pid for child in children if not child.wait(until)}
    for child in children:
        child.kill()
        child.wait(until + 1)
    return killed


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _children_of_this_process() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found |= {int(pid) for pid in task.read_text().split()}
    return found
