"""All processes of the arena: started in stages, started again when they die, stopped without a trace."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from services.supervisor.child import Child

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = {2: 0.7, 1: 0.4, 0: 0.4}
"""Seconds that a stage has to end before it is killed: workers, services, Valkey; together under 2.

Nothing is lost with a kill: what a worker had is played again, at once after the next start, and databases
and Valkey's log are whole at any moment.
"""
REFUSALS = 3
"""So many starts in a row that fail for want of a port: the program that has it means to stay."""

Say = Callable[[str], None]
Ended = Callable[[str, int], None]


class Roster:
    """The children by name. Everything here belongs to the main thread, except `pids` and `restart`.

    `ended` is told the name and the process of each child that died.
    """

    def __init__(self, say: Say, ended: Ended | None = None) -> None:
        self._say, self._children, self._sick = say, dict[str, Child](), set[tuple[str, int]]()
        self._ended = ended
        self._others = _children_of_this_process()
        _adopt_orphans()

    def start(self, children: Iterable[Child]) -> None:
        """Starts them and keeps them running from now on."""
        for child in children:
            self._children[child.name] = child
            child.start()

    def pids(self) -> dict[str, int]:
        """The process of each child by name, 0 while it waits to be started again."""
        return {name: child.pid for name, child in list(self._children.items())}

    def restart(self, name: str, pid: int) -> None:
        """Has a child whose process hangs killed and started again; any thread may ask."""
        self._sick.add((name, pid))

    def failed(self) -> str:
        """During the start, when nothing is started again: who died and what it said; else empty."""
        for child in self._children.values():
            if how := child.died():
                return f"{child.name} did not start ({how}): {child.last_words()}"
        return ""

    def tick(self) -> bool:
        """Looks after everybody once; whether a process changed."""
        before = self.pids()
        while self._sick:
            name, pid = self._sick.pop()
            child = self._children[name]
            if child.pid == pid and not child.refusals:  # else it was started again since
                self._say(f"{child.name} does not answer, stopping it")
                child.kill()
        for child in self._children.values():
            self._look_after(child)
        self._end_orphans()
        return before != self.pids()

    def _look_after(self, child: Child) -> None:
        child.trim_log()
        pid = child.pid
        if pid and (how := child.died()):
            if self._ended:
                self._ended(child.name, pid)
            pause = child.back_off()
            self._say(f"{child.name} {_describe(child, how)} again in {pause:g} s")
        if not child.pid and time.monotonic() >= child.due:
            child.start()

    def displaced(self) -> str:
        """The name of a child whose port another program keeps; empty if there is none."""
        return next((name for name, child in self._children.items() if child.refusals >= REFUSALS), "")

    def stop(self, names: Collection[str] | None = None) -> dict[str, int]:
        """Ends these for good, or all: the latest stage first, each politely, then by force.

        The processes, by name, that had to be killed: what they had in hand they have not given back.
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
        """What a dead child left behind is a child of ours now, and nobody's work. Whether there was any."""
        known = {child.pid for child in self._children.values()}
        orphans = _children_of_this_process() - known - self._others
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        return bool(orphans)


def _describe(child: Child, how: str) -> str:
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
