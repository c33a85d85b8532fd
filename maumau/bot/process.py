"""One process of a program as the table sees it: lines, the clock of its bank, the wall clock, its end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from maumau.bot.cell import Cell, End
from maumau.bot.channel import Channel
from maumau.bot.fault import Misplay
from maumau.bot.host import stalled, steal
from maumau.bot.limit import RunLimits
from maumau.errors import PlatformFault

SLICE = 0.5  # seconds at most between two looks at a program that is waited for
CORES = os.cpu_count() or 1
LAST_WORDS = 1.0  # seconds from a closed stdout to the end; who lives longer has closed it on purpose


class Process:
    """A started program. `bank` and `wall` are the seconds of CPU and of waiting that it has left.

    Until `grant` it is starting, and both are those of the init budget. Waiting that passes while the referee
    itself stands still is nobody's.
    """

    def __init__(self, cell: Cell, limits: RunLimits) -> None:
        self.cell, self.limits, self.channel = cell, limits, Channel(cell, limits)
        self.playing = False
        self.asked: list[bytes] = []
        self.waited = 0.0
        self.wall = limits.init_wall
        self.bank = limits.init_cpu
        self._until = cell.cpu() + limits.init_cpu
        self._stolen = steal()

    def grant(self, bank: float, wall: float) -> None:
        """It has started: from now on it has these."""
        self.playing, self.wall, self.bank = True, wall, bank
        self._until = self.cell.cpu() + bank

    def read_bank(self) -> float:
        """The bank, read from the clock now; Misplay if it is spent."""
        self.bank = bank = self._until - self.cell.cpu()
        if bank <= 0:
            words = "its bank of CPU time is spent" if self.playing else "its CPU time for starting is spent"
            raise Misplay("time", words, dead=True)
        return bank

    def tell(self, line: bytes) -> None:
        """Send a line that wants no reply, at the latest with the next question."""
        self.channel.hold(line)

    def flush(self) -> None:
        """Send what was told."""
        self.channel.send([])

    def ask(self, lines: list[bytes]) -> None:
        """Send questions, in one write."""
        if self.cell.watched and self.cell.burst():
            raise self._too_much_memory()
        self.asked = lines
        self.channel.send(lines)

    def collect(self, replies: list[bytes], due: int) -> None:
        """Add the replies that are here already; Misplay: no more will come."""
        while len(replies) < due and (lines := self.channel.take(due - len(replies))):
            replies += lines

    def hear(self, replies: list[bytes], due: int, go_on: Callable[[], None]) -> None:
        """Wait for the replies; `go_on` is called between two looks and may raise. Misplay: no more come."""
        wait, clock = self.channel.wait, time.perf_counter
        began = first = clock()
        while True:
            line = wait(self.slice())
            if line is not None:
                replies.append(line)
                if len(replies) < due:
                    self.collect(replies, due)
                if len(replies) == due:
                    break
            now = clock()
            self.waited_for(now - began)
            began = now
            self.look()
            go_on()
        now = clock()
        self.waited += now - began
        self.wall -= now - began
        # Since it was asked it used no more than all cores give: mostly that saves reading its clock.
        if not self.playing or self.bank < CORES * (now - first):
            self.read_bank()

    def slice(self) -> float:
        """How long to wait before the next look."""
        if self.bank > SLICE < self.wall:
            return SLICE
        return max(0.001, min(self.bank, self.wall))

    def waited_for(self, seconds: float) -> None:
        """Count time waited since the last look."""
        seconds = min(seconds, 2 * SLICE)
        self.waited += seconds
        self.wall -= seconds

    def look(self) -> None:
        """Misplay if it has used up what it may use; PlatformFault if the host kept it from running."""
        self.read_bank()
        if self.cell.burst():
            raise self._too_much_memory()
        if self.wall > 0:
            return
        host = stalled(self.waited, self.cell.delay(), steal() - self._stolen)
        if host:
            raise PlatformFault(f"The host stalled: {host}.")
        raise Misplay("wall", f"it did not answer; it was waited for {self.waited:.1f} s in all", dead=True)

    def bury(self, misplay: Misplay) -> tuple[Misplay, End]:
        """End the process and find out what it really died of; PlatformFault if the wall broke."""
        alive = not (misplay.kind == "crash" and self.cell.wait(LAST_WORDS))
        end = self.cell.end(self.channel.last_log())
        if end.platform:
            raise PlatformFault(f"A program was lost: {end.words}.")
        self.bank = max(0.0, self._until - self.cell.cpu())
        if misplay.kind == "crash":
            misplay = self._cause(end, alive=alive)
        if not self.playing:
            misplay = Misplay("start", f"before it answered hello: {misplay.words}", dead=True)
        return misplay, end

    def _too_much_memory(self) -> Misplay:
        return Misplay("memory", f"it used more than {self.limits.memory_mib} MiB", dead=True)

    def _cause(self, end: End, *, alive: bool) -> Misplay:
        if self.cell.burst() or b"MemoryError" in self.channel.last_log()[-200:]:
            return self._too_much_memory()
        if self.bank <= 0:
            return Misplay("time", "its bank of CPU time is spent", dead=True)
        if alive:
            return Misplay("crash", "it closed its stdout and lived on", dead=True)
        return Misplay("crash", f"it ended with {end.words}" if end.ran else end.words, dead=True)
