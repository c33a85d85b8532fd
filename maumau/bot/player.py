"""An entrant at a seat for one seating: its processes one after the other, its bank, its faults."""

from __future__ import annotations

import math
import select
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from maumau.bot.fault import Fault, Misplay, decode_text
from maumau.bot.limit import RunLimits
from maumau.bot.manifest import Manifest
from maumau.bot.message import BYE, read_ready
from maumau.bot.pace import SLOWEST, Pace
from maumau.bot.process import Process
from maumau.bot.sandbox import Launch, Sandbox
from maumau.bot.use import Use

GRACE = 0.25  # seconds to end by itself after bye

GoOn = Callable[[], None]


class Program(msgspec.Struct, frozen=True):
    """One entrant: where its files lie, what it says about itself, its content hash and its name.

    `broken` says why it cannot be started, such as a build step that failed in play: each start is its fault.
    `built`: in the folder lies what its build step left behind.
    """

    folder: Path
    manifest: Manifest
    sha256: str
    name: str
    broken: str = ""
    built: bool = False


class Place(msgspec.Struct, frozen=True):
    """Who sits here, by number among the entrants, in which seating, and how hello is written for a bank.

    Without a program it is the referee itself that plays here, at random.
    """

    program: Program | None
    entrant: int
    seating: int
    hello: Callable[[float], bytes]


class Player:
    """An entrant in one seating; `bank` is what is left to the next process in reference seconds, `wall` the
    seconds it may be waited for; `deals` has the reference seconds used for each deal, by number.

    After `hear` there are `replies`, or `failed` says why some of those that are `due` will never come;
    `taken` of them have been carried out.
    """

    def __init__(self, place: Place, sandbox: Sandbox, limits: RunLimits, bank: float, pace: Pace) -> None:
        self.place, self.use = place, Use()
        self.bank, self.wall = bank, bank * limits.wall_factor * max(1.0, pace.now)
        self.deals = defaultdict[int, float](float)
        self._sandbox, self._limits, self._pace = sandbox, limits, pace
        self._asked: list[int] = []
        self.process: Process | None = None
        self.replies: list[bytes] = []
        self.due = self.taken = 0
        self.failed: Misplay | None = None

    @property
    def to_start(self) -> bool:
        """Whether a process must be started before the next deal."""
        return self.process is None and self.place.program is not None

    def start(self) -> None:
        """Start a process and say hello, unless nothing is left to play with."""
        self.failed, program = None, self.place.program
        assert program
        if program.broken:
            self.failed = Misplay("start", program.broken)
        elif self.bank <= 0:
            self.failed = Misplay("time", "its bank of CPU time was spent before this deal")
        elif self.wall <= 0:
            self.failed = Misplay("wall", "its time to be waited for was spent before this deal")
        else:
            seconds = math.ceil((self._limits.init_cpu + self.bank) * SLOWEST) + 1
            said = program.manifest
            launch = Launch(program.folder, program.sha256, said.run, said.runtime, self._limits, seconds)
            sandboxed, before = self._sandbox.start(launch), self.use.wall_ms / 1000
            self.process = Process(sandboxed, self._limits, self._pace, before)
            self.use.starts += 1
            self.ask([self.place.hello(self.bank * self._pace.now)])

    def greet(self) -> None:
        """Read the answer to hello; from then on the bank runs."""
        if self.failed is None and self.process:
            try:
                read_ready(self.replies[0])
                self._count_start(self.process)
                self.process.grant(self.bank, self.wall)
            except Misplay as misplay:
                self.failed = misplay

    def read_bank(self, deals: list[int] | None = None) -> float:
        """The CPU time left now, in seconds of this core; Misplay: none. It is read to ask these deals."""
        assert self.process
        bank = self.process.read_bank()
        self._book(self.process, deals or [])
        return bank

    def _book(self, process: Process, deals: list[int]) -> None:
        """What was used since deals were last asked is theirs in equal parts; `deals` are asked next."""
        spent, asked = process.book(), self._asked
        if asked:
            share, used = spent / len(asked), self.deals
            for number in asked:
                used[number] += share
        self._asked = deals

    def count(self) -> None:
        """There was a probe: what was used up to now is counted."""
        if self.process:
            self.process.count()

    def ask(self, lines: list[bytes]) -> None:
        """Send questions, in one write; `hear` or `hear_all` waits for the replies."""
        assert self.process
        self.replies, self.due, self.taken, self.failed = [], len(lines), 0, None
        self.use.replies += self.due if self.process.playing else 0
        try:
            self.process.ask(lines)
        except Misplay as misplay:
            self.failed = misplay

    def refuse(self, misplay: Misplay) -> None:
        """It is not asked, for it could not reply."""
        self.replies, self.due, self.taken, self.failed = [], 0, 0, misplay

    def hear(self, go_on: GoOn) -> None:
        """Wait for the replies."""
        assert self.process
        try:
            self.process.hear(self.replies, self.due, go_on)
        except Misplay as misplay:
            self.fail(misplay)

    def fail(self, misplay: Misplay) -> None:
        """The replies that are missing will never come; what came when the bank was spent came too late."""
        self.failed = misplay
        if misplay.kind == "time":
            self.replies = []

    def fault(self, misplay: Misplay, deal: int) -> Fault:
        """Write down a fault with all that its author needs; a process that cannot go on is ended."""
        process, place, ended = self.process, self.place, ""
        if process is None:
            overran = misplay.kind == "time"
            return Fault(place.entrant, place.seating, deal, misplay.kind, misplay.words, overran=overran)
        try:
            if misplay.dead:
                misplay, end = process.bury(misplay)
                ended = end.words
            return Fault(
                place.entrant,
                place.seating,
                deal,
                misplay.kind,
                misplay.words,
                ask=decode_text(self._unanswered(process), self._limits.line),
                lines=process.channel.past(),
                stderr=decode_text(process.channel.last_log(), self._limits.stderr),
                cpu_ms=round(process.cpu() * 1000, 3),
                wall_ms=round(process.waited * 1000, 3),
                memory_mib=round(process.sandboxed.peak(), 1),
                exit=ended,
                overran=misplay.kind in {"time", "start"} and process.left <= 0,
                used_ms=round(process.used * 1000, 3),
                granted_ms=round(process.granted * 1000, 3),
                pace=round(self._pace.now, 3),
            )
        finally:
            if misplay.dead:
                self._leave(process)

    def _unanswered(self, process: Process) -> bytes:
        """The question whose reply was the last one, or is missing."""
        asked = process.asked
        return asked[min(self.taken, len(asked) - 1)].rstrip(b"\n") if asked else b""

    def bye(self) -> None:
        """Say goodbye; `close` follows."""
        if self.process:
            self.process.tell(BYE)
            self.process.flush()

    def close(self, until: float = 0.0) -> None:
        """End the process, which may end by itself until the monotonic time `until`."""
        if self.process:
            self.process.sandboxed.wait(max(0.0, until - time.monotonic()))
            self._leave(self.process)

    def _leave(self, process: Process) -> None:
        self.process = None
        sandboxed, use = process.sandboxed, self.use
        use.wall_ms += process.waited * 1000
        use.memory_mib = max(use.memory_mib, sandboxed.peak())
        use.log = decode_text(process.channel.last_log(), self._limits.stderr)
        sandboxed.kill()
        try:
            sandboxed.wait(GRACE)
            self._count_all(process)
        finally:
            sandboxed.close()

    def _count_all(self, process: Process) -> None:
        """What the process has used up to its end."""
        self.use.cpu_ms += process.cpu() * 1000
        if not process.playing:
            self._count_start(process)
            return
        process.count()
        self._book(process, [])
        self.use.bank_ms += process.used * 1000
        self.bank, self.wall = process.left, process.wall

    def _count_start(self, process: Process) -> None:
        process.count()
        self.use.start_ms += process.used * 1000


def hear_all(players: Sequence[Player], go_on: GoOn) -> None:
    """Wait until each has its reply or has failed; nobody is charged for the others' time."""
    pending = [player for player in players if player.process and player.failed is None]
    if len(pending) == 1:
        pending[0].hear(go_on)
        return
    passed = 0.0
    while pending := [player for player in pending if not _collect_replies(player, passed)]:
        began = time.perf_counter()
        _wait_for_any(pending)
        passed = time.perf_counter() - began
        go_on()


def _wait_for_any(players: Sequence[Player]) -> None:
    channels = [player.process.channel for player in players if player.process]
    owners = {descriptor: channel for channel in channels for descriptor in channel.descriptors}
    poll = select.poll()
    for descriptor, channel in owners.items():
        poll.register(descriptor, select.POLLOUT if descriptor == channel.sandboxed.stdin else select.POLLIN)
    most = min(player.process.slice() for player in players if player.process)
    for descriptor, _ in poll.poll(most * 1000):
        owners[descriptor].ready(descriptor)


def _collect_replies(player: Player, passed: float) -> bool:
    process = player.process
    assert process
    process.waited_for(passed)
    try:
        process.collect(player.replies, player.due)
        if len(player.replies) < player.due:
            if passed:
                process.look()
            return False
        process.read_bank()
    except Misplay as misplay:
        player.fail(misplay)
    return True
