"""The moment of a fault, replayed at home: the arena's messages to the author's program, one by one.

The record has the actions; the program is asked every question of that deal, up to the one that led to the
fault. Its other replies change nothing: the deal continues as it did in the arena.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from maumau.bot import debugger
from maumau.home.bundle import Bundle, Question, Script
from maumau.home.handicap import own_pace
from maumau.protocol.fault import Fault, Misplay
from maumau.protocol.limit import RunLimits
from maumau.referee.place import Program, SeatPlace
from maumau.referee.player import ProgramPlayer
from maumau.sandbox.launch import Launch, Sandbox
from maumau.sandbox.sandboxed_process import SandboxedProcess

HOUR = 3600.0
WAY = 10.0  # seconds of CPU time for each question before the last
ENOUGH = 16 << 20  # bytes of log, where it is read as it comes


class MomentStep(msgspec.Struct, frozen=True):
    """A question, the reply here, the original action (`-`: none, empty: the fault), the reason if wrong."""

    ask: str
    reply: str
    then: str
    wrong: str = ""


class MomentOutcome(msgspec.Struct, frozen=True):
    """All steps, and the `fault` that the program made here, if any.

    `same_question`: the last question is, byte for byte, the one in the bundle.
    """

    steps: list[MomentStep]
    fault: Fault | None
    same_question: bool


class Debugged:
    """A sandbox whose programs may stop at a `breakpoint()`, on the command's terminal."""

    isolated = False
    counted = False

    def __init__(self, inner: Sandbox) -> None:
        self.inner, self.name, self.says = inner, inner.name, inner.says

    def holds_in_memory(self, runtime: str) -> bool:
        return self.inner.holds_in_memory(runtime)

    def prepare(self) -> None:
        self.inner.prepare()

    def start(self, launch: Launch) -> SandboxedProcess:
        terminal = next((os.ttyname(each) for each in (2, 0) if os.isatty(each)), "")
        said = [f"{name}={value}" for name, value in debugger.get_environment(terminal).items()]
        return self.inner.start(replace(launch, run=["env", *said, *launch.run]))


class ReplayedMoment:
    """A bundle and a program; `play` asks it every question again.

    Earlier questions have ample time, the last one has its original bank. `patient`: a debugger is in use,
    and time is unlimited.
    """

    def __init__(self, bundle: Bundle, program: Program, sandbox: Sandbox, *, patient: bool = False) -> None:
        self.bundle, self.script, self.patient = bundle, Script(bundle), patient
        limits = RunLimits(memory_mib=bundle.memory_mib)
        if patient:
            sandbox, limits = Debugged(sandbox), replace(limits, stderr=ENOUGH, init_cpu=HOUR, init_wall=HOUR)
        place = SeatPlace(program, bundle.fault.entrant, bundle.fault.seating, lambda _: self.script.hello)
        pace = own_pace()
        pace.begin_block()
        self.player = ProgramPlayer(place, sandbox, limits, HOUR, pace)
        self._then = False  # True once the bank is that of the bundle's question

    def play(self, say: Callable[[str], None] = lambda _: None) -> MomentOutcome:
        """Ask from hello to the last question, and end the program. `say` receives its log as it comes."""
        self._say, self._said = say, 0
        try:
            self.player.start()
            self._hear_reply()
            self.player.read_greeting()
            if self.player.failed:
                return self._conclude([], self.player.failed, same=True)
            return self._ask_questions()
        finally:
            self._tell_log()
            self.player.close()

    def _ask_questions(self) -> MomentOutcome:
        steps: list[MomentStep] = []
        for question in self.script.questions():
            ask = question.line.decode().rstrip("\n")
            self._grant_time(then=question.last or ask == self.bundle.fault.ask)
            misplay, reply = self._ask_question(question)
            steps.append(MomentStep(ask, reply, question.then, str(misplay or "")))
            if misplay and misplay.dead:
                break
        return self._conclude(steps, misplay, same=steps[-1].ask == self.bundle.fault.ask)

    def _grant_time(self, *, then: bool) -> None:
        """Grant time for a question: for the bundle's last one, the time that was left in the arena."""
        left = self.script.bank_ms / 1000 / self.bundle.fault.pace  # messages have the time of that host
        bank = HOUR if self.patient else left if then else max(WAY, left)
        if self.player.process and not self._then:
            self.player.process.grant_bank(bank, bank * RunLimits().wall_factor)
        self._then = self._then or then

    def _ask_question(self, question: Question) -> tuple[Misplay | None, str]:
        """Ask one question; return the fault of its reply, or None, and the reply."""
        player, play = self.player, question.play
        player.replies = []
        try:
            player.read_bank()
            player.ask([question.line])
            self._hear_reply()
            if player.failed:
                return player.failed, ""
            before, play.deal = play.deal, play.deal.copy()
            try:
                play.take_reply(self.script.seat, player.replies[0])
            finally:
                play.deal = before
        except Misplay as misplay:
            return misplay, "".join(_decode_lines(player.replies))
        return None, "".join(_decode_lines(player.replies))

    def _hear_reply(self) -> None:
        if self.player.failed is None:
            self.player.hear_replies(self._tell_log)
        self._tell_log()

    def _tell_log(self) -> None:
        """Report the new part of the program's log."""
        if self.player.process:
            log = self.player.process.channel.log
            self._say(log[self._said :].decode(errors="replace"))
            self._said = len(log)

    def _conclude(self, steps: list[MomentStep], misplay: Misplay | None, *, same: bool) -> MomentOutcome:
        """Return the outcome; for a program that died, report the rest of its log."""
        if misplay is None:
            return MomentOutcome(steps, None, same)
        fault = self.player.record_fault(misplay, self.bundle.fault.deal, b"")
        self._say(fault.stderr.encode()[self._said :].decode(errors="replace"))
        self._said = len(fault.stderr.encode())
        return MomentOutcome(steps, fault, same)


def _decode_lines(lines: list[bytes]) -> Iterator[str]:
    return (line.decode(errors="replace") for line in lines)
