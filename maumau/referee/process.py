"""One process of a program as the table sees it: lines, CPU and wall clocks, exit."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from maumau.errors import PlatformFault
from maumau.protocol.fault import Misplay
from maumau.protocol.limit import RunLimits
from maumau.referee.channel import Channel
from maumau.referee.overhead import Overhead
from maumau.referee.pace import Pace
from maumau.sandbox.kernel.host import explain_stall, read_stolen_seconds
from maumau.sandbox.sandboxed_process import End, SandboxedProcess

SLICE = 0.5  # seconds at most between two looks at a program that is waited for
CORES = os.cpu_count() or 1
START_SHARE = (
    3  # times the CPU time of a start that it may take at least: more than `init_wall` on slow cores
)
LAST_WORDS = 1.0  # seconds from a closed stdout to the end; who lives longer has closed it on purpose


def get_start_wall(limits: RunLimits, pace: float) -> float:
    """Return the seconds that a program is waited for until it is ready, on a core of this pace.

    They are the same everywhere unless the core is so slow that they would not do for its CPU time.
    """
    return max(limits.init_wall, START_SHARE * limits.init_cpu * pace)


class Process:
    """A started program, and the time it has left.

    `bank` is CPU time, in seconds of this core at its present pace; `wall` the seconds of waiting. `overhead`
    is what the referee's thread does for it; what is charged of that is taken from both.

    Until `grant` it is starting, and both are those of the init budget. `granted`, `left` and `used` are in
    reference seconds; the last two as of the last count. Waiting time while the referee itself is stalled is
    not charged. `before`: waiting seconds of the program's earlier processes in this seating, which a stall
    of the host during this one does not excuse.
    """

    def __init__(
        self, sandboxed: SandboxedProcess, limits: RunLimits, pace: Pace, before: float = 0.0
    ) -> None:
        self.sandboxed, self.limits, self.channel = sandboxed, limits, Channel(sandboxed, limits)
        self.overhead = Overhead(pace)
        self._clock, self._charged = pace.cpu_clock(sandboxed), 0.0
        self.playing = False
        self.asked: list[bytes] = []
        self.waited, self._before = 0.0, before
        self._read_at = time.perf_counter()
        self._pace, self._stolen = pace, read_stolen_seconds()
        self._set_bank(limits.init_cpu, get_start_wall(limits, pace.now))

    def cpu(self) -> float:
        """Return the CPU seconds that the program has used or is charged."""
        return self._clock() + self.overhead.charged

    def grant_bank(self, bank: float, wall: float) -> None:
        """Give the started program its bank, in reference seconds, and its time to be waited for."""
        self.playing = True
        self._set_bank(bank, wall)

    def extend_bank(self, bank: float, wall: float) -> None:
        """Add to the bank and to the time to be waited for."""
        self.count_time()
        self.granted += bank
        self.left += bank
        self.wall += wall
        self._note_clock(self.cpu())

    def _set_bank(self, bank: float, wall: float) -> None:
        self.granted = self.left = bank
        self.wall, self.used, self._unbooked = wall, 0.0, 0.0
        self._note_clock(self.cpu())

    def _note_clock(self, cpu: float) -> None:
        """Note that all is counted up to this clock reading; from here on the present pace applies."""
        self._counted = self._booked = self._read = cpu
        self._counted_pace = self._pace.last
        self.bank = self.left * self._pace.now
        self._until = cpu + self.bank

    def read_bank(self) -> float:
        """Return the bank, read from the clock; raise Misplay if it is spent, which a probe must confirm."""
        self._read_at = time.perf_counter()  # before the clock, so that no time is missed
        self._read = cpu = self.cpu()
        self.bank = bank = self._until - cpu
        if bank > 0:
            return bank
        self._pace.probe_host()
        self.count_time()
        if self.left > 0:
            return self.bank
        raise self._describe_overrun()

    def confirm_bank(self) -> None:
        """Raise Misplay if the bank is spent; mostly all cores together have given less since it was read."""
        if not self.playing or self.bank < CORES * (time.perf_counter() - self._read_at):
            self.read_bank()

    def count_time(self) -> None:
        """Count the time used since the last count, at the mean of the paces then and now."""
        cpu, pace = self.cpu(), (self._counted_pace + self._pace.last) / 2
        used = (cpu - self._counted) / pace
        self.used += used
        self.left -= used
        self._unbooked += (cpu - self._booked) / pace
        self._note_clock(cpu)

    def book_time(self) -> float:
        """Return the reference seconds used since the last call, up to the last clock reading."""
        spent = self._unbooked + (self._read - self._booked) / self._counted_pace
        self._unbooked, self._booked = 0.0, self._read
        return spent

    def tell(self, line: bytes) -> None:
        """Send a line without a reply, at the latest with the next question."""
        self.channel.hold(line)

    def flush(self) -> None:
        """Send all pending lines."""
        self.channel.send([])

    def ask(self, lines: list[bytes], *, alone: bool = False) -> None:
        """Send questions, in one write; `alone`: no other program is asked before its replies are awaited."""
        overhead = self.overhead
        overhead.begin(len(lines))
        if self.sandboxed.watched and self.sandboxed.is_over_memory():
            raise self._too_much_memory()
        self.asked = lines
        self.channel.send(lines)
        if not alone:
            overhead.end()

    def collect_replies(self, replies: list[bytes], due: int) -> None:
        """Add the replies that have arrived; raise Misplay if no more will come."""
        while len(replies) < due and (lines := self.channel.take(due - len(replies))):
            replies += lines

    def hear_replies(self, replies: list[bytes], due: int, go_on: Callable[[], None]) -> None:
        """Wait for the replies; `go_on` is called between two looks and may raise. Misplay: no more come."""
        if not self.overhead.counting:
            self.overhead.begin()
        try:
            self._await_replies(replies, due, go_on)
        finally:
            self.overhead.end()
            if self.overhead.charged != self._charged:
                self._take_charge()

    def _await_replies(self, replies: list[bytes], due: int, go_on: Callable[[], None]) -> None:
        wait, clock = self.channel.wait, time.perf_counter
        began = clock()
        while True:
            line = wait(self.next_wait())
            if line is not None:
                replies.append(line)
                if len(replies) < due:
                    self.collect_replies(replies, due)
                if len(replies) == due:
                    break
            now = clock()
            self.waited_for(now - began)
            began = now
            self.check_limits()
            go_on()
        now = clock()
        self.waited += now - began
        self.wall -= now - began
        self.confirm_bank()

    @contextlib.contextmanager
    def charge_while(self) -> Iterator[None]:
        """Charge this thread's time during the block to the program."""
        self.overhead.begin()
        try:
            yield
        finally:
            self.overhead.end()
            self._take_charge()

    def charge_seconds(self, seconds: float) -> None:
        """Charge seconds that the referee's thread used for it while waiting for several programs."""
        self.overhead.add(seconds)
        self._take_charge()

    def _take_charge(self) -> None:
        """Deduct charges from the waiting time as well; the CPU clock includes them."""
        charged = self.overhead.charged - self._charged
        if charged:
            self._charged += charged
            self.waited += charged
            self.wall -= charged

    def next_wait(self) -> float:
        """Return the seconds to wait before the next look."""
        if self.bank > SLICE < self.wall:
            return SLICE
        return max(0.001, min(self.bank, self.wall))

    def waited_for(self, seconds: float) -> None:
        """Count time waited since the last look."""
        seconds = min(seconds, 2 * SLICE)
        self.overhead.grant_wait(seconds)
        self.waited += seconds
        self.wall -= seconds

    def check_limits(self) -> None:
        """Raise Misplay if a limit is exceeded, PlatformFault if the host kept the program from running."""
        self.read_bank()
        if self.sandboxed.is_over_memory():
            raise self._too_much_memory()
        if self.wall > 0:
            return
        waited = self.waited + (self._before if self.playing else 0.0)
        host = explain_stall(waited, self.sandboxed.delay(), read_stolen_seconds() - self._stolen)
        if host:
            raise PlatformFault(f"The host stalled: {host}.")
        raise Misplay("wall", f"it did not answer; it was waited for {self.waited:.1f} s in all", dead=True)

    def end_and_diagnose(self, misplay: Misplay) -> tuple[Misplay, End]:
        """End the process and find the cause of its end; raise PlatformFault if the sandbox broke."""
        alive = not (misplay.kind == "crash" and self.sandboxed.wait(LAST_WORDS))
        end = self.sandboxed.end(self.channel.last_log())
        if end.platform:
            raise PlatformFault(f"A program was lost: {end.words}.")
        self.count_time()
        if misplay.kind == "crash":
            misplay = self._find_cause(end, alive=alive)
        if not self.playing:
            words = f"before it answered hello: {misplay.words}"
            misplay = Misplay("start", words, dead=True, killed=misplay.killed)
        return misplay, end

    def _describe_overrun(self) -> Misplay:
        what = "bank of CPU time" if self.playing else "CPU time for starting"
        words = f"its {what} is spent: {self.used * 1000:,.0f} of {self.granted * 1000:,.0f} reference ms"
        if charged := self.overhead.charged:
            words += f"; with {charged * 1000:,.0f} ms of the referee's time, which its pipes made expensive"
        return Misplay("time", words, dead=True)

    def _too_much_memory(self) -> Misplay:
        return Misplay("memory", f"it used more than {self.limits.memory_mib} MiB", dead=True)

    def _find_cause(self, end: End, *, alive: bool) -> Misplay:
        if self.sandboxed.is_over_memory() or b"MemoryError" in self.channel.last_log()[-200:]:
            return self._too_much_memory()
        if self.left <= 0:
            return self._describe_overrun()
        if alive:
            return Misplay("crash", "it closed its stdout and lived on", dead=True)
        killed = end.killed or self.sandboxed.was_killed_for_host()
        words = f"it ended with {end.words}" if end.ran else end.words
        return Misplay("crash", words, dead=True, killed=killed)
