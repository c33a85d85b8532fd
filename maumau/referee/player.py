"""An entrant at a seat for one seating: its processes one after the other, its bank, its faults."""

from __future__ import annotations

import math
import select
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from maumau.protocol.fault import FORFEIT, Fault, Misplay, decode_text
from maumau.protocol.limit import RunLimits
from maumau.protocol.message import BYE, read_ready
from maumau.protocol.use import Use
from maumau.referee.pace import SLOWEST, Pace
from maumau.referee.place import SeatPlace
from maumau.referee.process import Process
from maumau.sandbox.launch import Launch, Sandbox

GRACE = 0.25  # seconds to end by itself after bye
MORE = 0.1  # seconds after a fault in which a line that nobody asked for may come
EARLY = "this line was written before it was asked"
SURPLUS = "it writes more lines than it is asked for; one line answers one question"

GoOn = Callable[[], None]


class Grant(NamedTuple):
    """Time granted for a deal of a game, and what its set had taken before, in seconds of bank and wall."""

    bank: float
    wall: float
    used: float
    waited: float


class ProgramPlayer:
    """An entrant in one seating.

    `bank`: reference seconds left for the next process; `wall`: seconds it may be waited for; `deals`:
    reference seconds used for each deal, by number. `most`: what the bank may come to, as games go on.

    After `hear_replies` there are `replies`, or `failed` says why some of those that are `due` never come.
    """

    def __init__(
        self,
        place: SeatPlace,
        sandbox: Sandbox,
        limits: RunLimits,
        bank: float,
        pace: Pace,
        most: float = 0.0,
    ) -> None:
        self.place, self.use = place, Use()
        self.bank, self.wall = bank, bank * limits.wall_factor * max(1.0, pace.now)
        self._most = max(bank, most)
        self.deals = defaultdict[int, float](float)
        self._waits = defaultdict[int, float](float)  # seconds it was waited for, by deal
        self._grants = defaultdict[int, list[Grant]](list)  # for the deals of a game but its first, by set
        self._waited = 0.0  # for this process, as far as they are there
        self._sandbox, self._limits, self.pace = sandbox, limits, pace
        self._asked: list[int] = []
        self.process: Process | None = None
        self.replies: list[bytes] = []
        self.due = 0
        self.failed: Misplay | None = None

    @property
    def to_start(self) -> bool:
        """True if a process must be started before the next deal."""
        return self.process is None and self.place.program is not None

    def start(self) -> None:
        """Start a process and say hello, unless the bank is empty."""
        self.failed, program = None, self.place.program
        assert program
        if program.broken:
            self.failed = Misplay("start", program.broken)
        elif self.bank <= 0:
            self.failed = Misplay("time", "its bank of CPU time was spent before this deal")
        elif self.wall <= 0:
            self.failed = Misplay("wall", "its time to be waited for was spent before this deal")
        else:
            seconds = math.ceil((self._limits.init_cpu + self._most) * SLOWEST) + 1
            said = program.manifest
            launch = Launch(program.folder, program.sha256, said.run, said.runtime, self._limits, seconds)
            sandboxed, before = self._sandbox.start(launch), self.use.wall_ms / 1000
            self.process = Process(sandboxed, self._limits, self.pace, before)
            self.use.starts += 1
            self.ask([self.place.hello(self.bank * self.pace.now)])

    def extend_bank(self, number: int, bank: float) -> None:
        """Grant time for another deal of a game, which is the set of this number."""
        wall = bank * self._limits.wall_factor * max(1.0, self.pace.now)
        if self.process:
            self._book_time(self.process, self._asked)
        self._grants[number].append(Grant(bank, wall, self.deals[number], self._waits[number]))
        self._add_time(bank, wall)

    def _add_time(self, bank: float, wall: float) -> None:
        if self.process and self.process.playing:
            self.process.extend_bank(bank, wall)
        else:
            self.bank, self.wall = self.bank + bank, self.wall + wall

    def return_time(self, number: int, kept: int = 0) -> None:
        """Give back the time that a set has taken behind its first `kept` deals, less what it was granted.

        The player has no process now. The host's pace may have changed since the grants. May be repeated.
        """
        first = max(0, kept - 1)
        taken = self._grants[number][first:]
        del self._grants[number][first:]
        if kept and not taken:
            return
        used, waited = (taken[0].used, taken[0].waited) if kept else (0.0, 0.0)
        self.bank += self.deals[number] - used - sum(grant.bank for grant in taken)
        self.wall += self._waits[number] - waited - sum(grant.wall for grant in taken)
        self.deals[number], self._waits[number] = used, waited

    def read_greeting(self) -> None:
        """Read the answer to hello, after which the bank runs."""
        if self.failed is None and self.process:
            try:
                read_ready(self.replies[0])
                self._count_start(self.process)
                self._waited = self.process.waited
                self.process.grant_bank(self.bank, self.wall)
            except Misplay as misplay:
                self.failed = misplay

    def read_bank(self, deals: list[int] | None = None) -> float:
        """Return the CPU time left before these deals, in seconds of this core; raise Misplay if none is."""
        assert self.process
        bank = self.process.read_bank()
        self._book_time(self.process, deals or [])
        return bank

    def _book_time(self, process: Process, deals: list[int]) -> None:
        """Divide the time used since the last question equally among its deals; `deals` are asked next."""
        spent, asked = process.book_time(), self._asked
        waited, self._waited = process.waited - self._waited, process.waited
        if asked:
            share, used, wait, waits = spent / len(asked), self.deals, waited / len(asked), self._waits
            for number in asked:
                used[number] += share
                waits[number] += wait
        self._asked = deals

    def count_time(self) -> None:
        """Count the time used so far, after a probe of the pace."""
        if self.process:
            self.process.count_time()

    def ask(self, lines: list[bytes], *, alone: bool = False) -> None:
        """Send questions, in one write; `hear_replies` or `hear_all` waits for the replies.

        alone: no other program is asked in between.
        """
        assert self.process
        self.replies, self.due, self.failed = [], len(lines), None
        self.use.replies += self.due if self.process.playing else 0
        try:
            self.process.ask(lines, alone=alone)
        except Misplay as misplay:
            self.failed = misplay

    def mark_failed(self, misplay: Misplay) -> None:
        """Mark the player as failed without asking it, since it could not reply."""
        self.replies, self.due, self.failed = [], 0, misplay

    def hear_replies(self, go_on: GoOn) -> None:
        """Wait for the replies."""
        assert self.process
        try:
            self.process.hear_replies(self.replies, self.due, go_on)
        except Misplay as misplay:
            self.fail_missing(misplay)

    def read_long(self, take: Callable[[int, bytes], None], seat: int, line: bytes) -> None:
        """Carry out a long reply at the program's expense, since reading it may be costly."""
        assert self.process
        with self.process.charge_while():
            take(seat, line)

    def fail_missing(self, misplay: Misplay) -> None:
        """Give up on the missing replies; if the bank ran out, those that came were late as well."""
        self.failed = misplay
        if misplay.kind == "time":
            self.replies = []

    def record_fault(self, misplay: Misplay, deal: int, question: bytes) -> Fault:
        """Record a fault with all that its author needs; end a process that cannot continue.

        question: the one that the fault answers; empty before the first one.
        """
        process, place, ended = self.process, self.place, ""
        if process is None or misplay.kind == FORFEIT:
            overran = misplay.kind == "time"
            return Fault(place.entrant, place.seating, deal, misplay.kind, misplay.words, overran=overran)
        try:
            if misplay.dead:
                misplay, end = process.end_and_diagnose(misplay)
                ended = end.words
            elif hint := _find_surplus(process):
                misplay = Misplay(misplay.kind, f"{misplay.words} ({hint})")
            return Fault(
                place.entrant,
                place.seating,
                deal,
                misplay.kind,
                misplay.words,
                ask=decode_text(question or b"".join(process.asked[-1:]), self._limits.line).rstrip("\n"),
                lines=process.channel.last_lines(),
                stderr=decode_text(process.channel.last_log(), self._limits.stderr),
                cpu_ms=round(process.cpu() * 1000, 3),
                wall_ms=round(process.waited * 1000, 3),
                memory_mib=round(process.sandboxed.peak_memory(), 1),
                exit=ended,
                overran=misplay.kind in {"time", "start"} and process.left <= 0,
                used_ms=round(process.used * 1000, 3),
                granted_ms=round(process.granted * 1000, 3),
                pace=round(self.pace.now, 3),
                killed=misplay.killed,
            )
        finally:
            if misplay.dead:
                self._leave_process(process)

    def say_goodbye(self) -> None:
        """Say goodbye; `close` follows."""
        if self.process:
            self.process.tell(BYE)
            self.process.flush()

    def close(self, until: float = 0.0) -> None:
        """End the process, which may exit by itself until the monotonic time `until`."""
        if self.process:
            self.process.sandboxed.wait(max(0.0, until - time.monotonic()))
            self._leave_process(self.process)

    def _leave_process(self, process: Process) -> None:
        self.process = None
        sandboxed, use = process.sandboxed, self.use
        use.wall_ms += process.waited * 1000
        use.memory_mib = max(use.memory_mib, sandboxed.peak_memory())
        use.log = decode_text(process.channel.last_log(), self._limits.stderr)
        sandboxed.kill()
        try:
            sandboxed.wait(GRACE)
            self._count_all(process)
        finally:
            sandboxed.close()

    def _count_all(self, process: Process) -> None:
        """Count all that the process has used up to its end."""
        self.use.cpu_ms += process.cpu() * 1000
        if not process.playing:
            self._count_start(process)
            return
        process.count_time()
        self._book_time(process, [])
        self.use.bank_ms += process.used * 1000
        self.bank, self.wall = process.left, process.wall

    def _count_start(self, process: Process) -> None:
        process.count_time()
        self.use.start_ms += process.used * 1000


def hear_all(players: Sequence[ProgramPlayer], go_on: GoOn) -> None:
    """Wait until each player has its reply or has failed; no player is charged for the others' time."""
    pending = [player for player in players if player.process and player.failed is None]
    if len(pending) == 1:
        pending[0].hear_replies(go_on)
        return
    passed, heard, spent = 0.0, list[Process](), 0.0
    while pending:
        pace = pending[0].pace
        pending = [player for player in pending if not _collect_replies(player, passed)]
        now = time.thread_time() - pace.probed
        _charge_look(heard, now - spent)
        if pending:
            began, spent = time.perf_counter(), now
            heard = _wait_for_any(pending)
            passed = time.perf_counter() - began
            go_on()


def _charge_look(heard: Sequence[Process], seconds: float) -> None:
    """Charge the writing processes, in equal parts, for the referee's look at all programs."""
    for process in heard:
        process.charge_seconds(seconds / len(heard))


def _wait_for_any(players: Sequence[ProgramPlayer]) -> list[Process]:
    """Wait until some can be read from or written to, do so, and return their processes."""
    channels = [player.process.channel for player in players if player.process]
    owners = {descriptor: channel for channel in channels for descriptor in channel.descriptors}
    poll = select.poll()
    for descriptor, channel in owners.items():
        poll.register(descriptor, select.POLLOUT if descriptor == channel.sandboxed.stdin else select.POLLIN)
    most = min(player.process.next_wait() for player in players if player.process)
    ready = [descriptor for descriptor, _ in poll.poll(most * 1000)]
    for descriptor in ready:
        owners[descriptor].ready(descriptor)
    heard = {owners[descriptor] for descriptor in ready}
    return [player.process for player in players if player.process and player.process.channel in heard]


def _collect_replies(player: ProgramPlayer, passed: float) -> bool:
    process = player.process
    assert process
    process.waited_for(passed)
    try:
        process.collect_replies(player.replies, player.due)
        if len(player.replies) < player.due:
            if passed:
                process.check_limits()
            return False
        process.confirm_bank()
    except Misplay as misplay:
        player.fail_missing(misplay)
    return True


def _find_surplus(process: Process) -> str:
    """Return that a program that lives on does not write one line for one question, or an empty string."""
    if process.channel.is_ahead:
        return EARLY
    return SURPLUS if process.channel.has_more(MORE) else ""
