"""The moment of a fault, played again at home: the arena's messages to the author's program, one by one.

The record says what happened; the program is asked whatever it was asked in that deal, up to the question
that it lost by. What it replies on the way changes nothing: the deal goes on as it did in the arena.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import msgspec
from msgspec.structs import replace

from maumau.bot import debugger
from maumau.bot.fault import Fault, Misplay
from maumau.bot.limit import RunLimits
from maumau.bot.player import Place, Player, Program
from maumau.bot.sandbox import Launch, Sandbox
from maumau.bot.sandboxed_process import SandboxedProcess
from maumau.home.bundle import Bundle, Question, Script
from maumau.home.handicap import own_pace

HOUR = 3600.0
WAY = 10.0  # seconds of CPU time for each question before the last
ENOUGH = 16 << 20  # bytes of log, where somebody reads it as it comes


class Step(msgspec.Struct, frozen=True):
    """A question, the reply here, what was done then (`-`: nothing, empty: the fault), why it is a fault."""

    ask: str
    reply: str
    then: str
    wrong: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """All steps, and the `fault` that the program made here, if any.

    `same_question`: the last question is, byte for byte, the one in the bundle.
    """

    steps: list[Step]
    fault: Fault | None
    same_question: bool


class Debugged:
    """A sandbox whose programs may stop at a `breakpoint()`, on the terminal of the command."""

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


class Moment:
    """A bundle and a program; `play` asks it everything again.

    On the way every question has time enough, the last has the bank that it had then. `patient`: somebody
    looks at it with a debugger, and there is no hurry at all.
    """

    def __init__(self, bundle: Bundle, program: Program, sandbox: Sandbox, *, patient: bool = False) -> None:
        self.bundle, self.script, self.patient = bundle, Script(bundle), patient
        limits = RunLimits(memory_mib=bundle.memory_mib)
        if patient:
            sandbox, limits = Debugged(sandbox), replace(limits, stderr=ENOUGH, init_cpu=HOUR, init_wall=HOUR)
        place = Place(program, bundle.fault.entrant, bundle.fault.seating, lambda _: self.script.hello)
        pace = own_pace()
        pace.begin_block()
        self.player = Player(place, sandbox, limits, HOUR, pace)
        self._then = False  # whether the bank is the one of then

    def play(self, say: Callable[[str], None] = lambda _: None) -> Outcome:
        """From hello to the question; the program is ended afterwards. `say` hears its log as it comes."""
        self._say, self._said = say, 0
        try:
            self.player.start()
            self._hear()
            self.player.greet()
            if self.player.failed:
                return self._ended([], self.player.failed, same=True)
            return self._questions()
        finally:
            self._tell()
            self.player.close()

    def _questions(self) -> Outcome:
        steps: list[Step] = []
        for question in self.script.questions():
            ask = question.line.decode().rstrip("\n")
            self._grant(then=question.last or ask == self.bundle.fault.ask)
            misplay, reply = self._ask(question)
            steps.append(Step(ask, reply, question.then, str(misplay or "")))
            if misplay and misplay.dead:
                break
        return self._ended(steps, misplay, same=steps[-1].ask == self.bundle.fault.ask)

    def _grant(self, *, then: bool) -> None:
        """Time for a question; from the one in the bundle on, what was left then."""
        left = self.script.bank / self.bundle.fault.pace  # messages have it in the time of that host
        bank = HOUR if self.patient else left if then else max(WAY, left)
        if self.player.process and not self._then:
            self.player.process.grant(bank, bank * RunLimits().wall_factor)
        self._then = self._then or then

    def _ask(self, question: Question) -> tuple[Misplay | None, str]:
        """One question; why its reply is a fault, and the reply."""
        player, play = self.player, question.play
        player.replies = []
        try:
            player.read_bank()
            player.ask([question.line])
            self._hear()
            if player.failed:
                return player.failed, ""
            before, play.deal = play.deal, play.deal.copy()
            try:
                play.take(self.script.seat, player.replies[0])
            finally:
                play.deal = before
        except Misplay as misplay:
            return misplay, "".join(_texts(player.replies))
        return None, "".join(_texts(player.replies))

    def _hear(self) -> None:
        if self.player.failed is None:
            self.player.hear(self._tell)
        self._tell()

    def _tell(self) -> None:
        """What has come to its log since."""
        if self.player.process:
            log = self.player.process.channel.log
            self._say(log[self._said :].decode(errors="replace"))
            self._said = len(log)

    def _ended(self, steps: list[Step], misplay: Misplay | None, *, same: bool) -> Outcome:
        """What it came to; a program that died says how."""
        if misplay is None:
            return Outcome(steps, None, same)
        fault = self.player.fault(misplay, self.bundle.fault.deal)
        self._say(fault.stderr.encode()[self._said :].decode(errors="replace"))
        self._said = len(fault.stderr.encode())
        return Outcome(steps, fault, same)


def _texts(lines: list[bytes]) -> Iterator[str]:
    return (line.decode(errors="replace") for line in lines)
