"""One process of a program as the table sees it: lines, the clock of its bank, the wall clock, its end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from maumau.bot.channel import Channel
from maumau.bot.fault import Misplay
from maumau.bot.host import explain_stall, read_stolen_seconds
from maumau.bot.limit import RunLimits
from maumau.bot.pace import Pace
from maumau.bot.sandboxed_process import End, SandboxedProcess
from maumau.errors import PlatformFault

SLICE = 0.5  # seconds at most between two looks at a program that is waited for
CORES = os.cpu_count() or 1
LAST_WORDS = 1.0  # seconds from a closed stdout to the end; who lives longer has closed it on purpose


class Process:
    """A started program. `bank` is the CPU time it has left, in seconds of this core at its present pace;
    `wall` the seconds of waiting.

    Until `grant` it is starting, and both are those of the init budget. `granted`, `left` and `used` are in
    reference seconds; the last two as they were when last counted. Waiting that passes while the referee
    itself stands still is nobody's. `before`: seconds of waiting that its earlier lives in this seating took,
    for which no stall of the host in this one is an excuse.
    """

    def __init__(
        self, sandboxed: SandboxedProcess, limits: RunLimits, pace: Pace, before: float = 0.0
    ) -> None:
        self.sandboxed, self.limits, self.channel = sandboxed, limits, Channel(sandboxed, limits)
        self.cpu = pace.clock(sandboxed)
        self.playing = False
        self.asked: list[bytes] = []
        self.waited, self._before = 0.0, before
        self._pace, self._stolen = pace, read_stolen_seconds()
        self._grant(limits.init_cpu, limits.init_wall * max(1.0, pace.now))

    def grant(self, bank: float, wall: float) -> None:
        """It has started: from now on it has these, `bank` in reference seconds."""
        self.playing = True
        self._grant(bank, wall)

    def _grant(self, bank: float, wall: float) -> None:
        self.granted = self.left = bank
        self.wall, self.used, self._unbooked = wall, 0.0, 0.0
        self._note(self.cpu())

    def _note(self, cpu: float) -> None:
        """All is counted up to this reading of its clock; from here on the pace is the present one."""
        self._counted = self._booked = self._read = cpu
        self._counted_pace = self._pace.last
        self.bank = self.left * self._pace.now
        self._until = cpu + self.bank

    def read_bank(self) -> float:
        """The bank, read from the clock now; Misplay if it is spent, which a probe must confirm."""
        self._read = cpu = self.cpu()
        self.bank = bank = self._until - cpu
        if bank > 0:
            return bank
        self._pace.look()
        self.count()
        if self.left > 0:
            return self.bank
        raise self._overrun()

    def count(self) -> None:
        """Count what it has used since it was last counted, at the mean of the paces then and now."""
        cpu, pace = self.cpu(), (self._counted_pace + self._pace.last) / 2
        used = (cpu - self._counted) / pace
        self.used += used
        self.left -= used
        self._unbooked += (cpu - self._booked) / pace
        self._note(cpu)

    def book(self) -> float:
        """The reference seconds it has used since this was last asked, as far as its clock was read."""
        spent = self._unbooked + (self._read - self._booked) / self._counted_pace
        self._unbooked, self._booked = 0.0, self._read
        return spent

    def tell(self, line: bytes) -> None:
        """Send a line that wants no reply, at the latest with the next question."""
        self.channel.hold(line)

    def flush(self) -> None:
        """Send what was told."""
        self.channel.send([])

    def ask(self, lines: list[bytes]) -> None:
        """Send questions, in one write."""
        if self.sandboxed.watched and self.sandboxed.burst():
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
        if self.sandboxed.burst():
            raise self._too_much_memory()
        if self.wall > 0:
            return
        waited = self.waited + (self._before if self.playing else 0.0)
        host = explain_stall(waited, self.sandboxed.delay(), read_stolen_seconds() - self._stolen)
        if host:
            raise PlatformFault(f"The host stalled: {host}.")
        raise Misplay("wall", f"it did not answer; it was waited for {self.waited:.1f} s in all", dead=True)

    def bury(self, misplay: Misplay) -> tuple[Misplay, End]:
        """End the process and find out what it really died of; PlatformFault if the wall broke."""
        alive = not (misplay.kind == "crash" and self.sandboxed.wait(LAST_WORDS))
        end = self.sandboxed.end(self.channel.last_log())
        if end.platform:
            raise PlatformFault(f"A program was lost: {end.words}.")
        self.count()
        if misplay.kind == "crash":
            misplay = self._cause(end, alive=alive)
        if not self.playing:
            misplay = Misplay("start", f"before it answered hello: {misplay.words}", dead=True)
        return misplay, end

    def _overrun(self) -> Misplay:
        what = "bank of CPU time" if self.playing else "CPU time for starting"
        words = f"its {what} is spent: {self.used * 1000:,.0f} of {self.granted * 1000:,.0f} reference ms"
        return Misplay("time", words, dead=True)

    def _too_much_memory(self) -> Misplay:
        return Misplay("memory", f"it used more than {self.limits.memory_mib} MiB", dead=True)

    def _cause(self, end: End, *, alive: bool) -> Misplay:
        if self.sandboxed.burst() or b"MemoryError" in self.channel.last_log()[-200:]:
            return self._too_much_memory()
        if self.left <= 0:
            return self._overrun()
        if alive:
            return Misplay("crash", "it closed its stdout and lived on", dead=True)
        return Misplay("crash", f"it ended with {end.words}" if end.ran else end.words, dead=True)
