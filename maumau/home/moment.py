"""The moment of a fault, played again at home: the arena's messages to the author's program, one by one.

The record says what happened; the program is asked whatever it was asked in that deal, up to the question
that it lost by. What it replies on the way changes nothing: the deal goes on as it did in the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from maumau.bot import message
from maumau.bot.fault import Fault, Misplay
from maumau.bot.limit import RunLimits
from maumau.bot.play import Play
from maumau.bot.player import Place, Player, Program
from maumau.bot.sandbox import Sandbox
from maumau.errors import BadBundle, BadFile, NotReproducible
from maumau.game import Deal
from maumau.game.action import SEATS
from maumau.game.record import HELD, stages

HOUR = 3600.0
PATIENT = RunLimits(stderr=16 << 20, init_cpu=HOUR, init_wall=HOUR)  # somebody looks at it with a debugger
MOST = 4 << 20  # bytes of a bundle


class Bundle(msgspec.Struct, frozen=True):
    """What the arena keeps of a fault: the fault itself and the record of its deal."""

    fault: Fault
    record: str


class Step(msgspec.Struct, frozen=True):
    """A question, the reply here, what was done then (`-`: nothing, empty: the fault), why it is a fault."""

    ask: str
    reply: str
    then: str
    wrong: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """All steps, and the fault that the program made here: its kind and words, empty if it made none."""

    steps: list[Step]
    kind: str
    words: str
    same_question: bool


def read(path: Path) -> Bundle:
    """The bundle in a file, as `maumau logs FAULT --out FILE` wrote it."""
    try:
        if path.stat().st_size > MOST:
            raise BadBundle(f"{path} has more than {MOST >> 20} MiB; it is no bundle.")
        return msgspec.json.decode(path.read_bytes(), type=Bundle)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError as error:
        raise BadBundle(f"{path} is no bundle of a fault: {error}.") from None


def seat_of(bundle: Bundle, seats: int) -> int:
    """Where the program sat; seat k of seating s is entrant (k + s) mod n."""
    return (bundle.fault.entrant - bundle.fault.seating) % seats


class Moment:
    """A bundle and a program; `play` asks it everything again.

    `bank` is its CPU time in seconds. `say` hears its log as it is written. NotReproducible: the fault was
    none of the program's replies.
    """

    def __init__(
        self, bundle: Bundle, program: Program, sandbox: Sandbox, bank: float, *, patient: bool = False
    ) -> None:
        if bundle.fault.kind == "forfeit" or not bundle.fault.ask:
            raise NotReproducible(f"The program was not asked: {bundle.fault.words}.")
        self.bundle, self.patient = bundle, patient
        first, _ = next(stages(bundle.record))
        self.rules, self.seats, self.seed = first.rules, first.seats, first.seed.text
        self.seat = seat_of(bundle, self.seats)
        place = Place(program, bundle.fault.entrant, bundle.fault.seating, self._hello)
        self.player = Player(place, sandbox, PATIENT if patient else RunLimits(), bank)

    def play(self, say: Callable[[str], None] = lambda _: None) -> Outcome:
        """From hello to the question; the program is ended afterwards."""
        self._say, self._said = say, 0
        try:
            self.player.start()
            self._hear()
            self.player.greet()
            if self.player.failed:
                return self._ended([], self.player.failed)
            return self._questions()
        finally:
            self._tell()
            self.player.close()

    def _hello(self, bank: float) -> bytes:
        return message.hello(self.rules, self.rules.chosen, self.seats, self.seat, bank)

    def _questions(self) -> Outcome:
        steps: list[Step] = []
        misplay: Misplay | None = None
        last = sum(1 for _ in self._moments())
        if not last:
            raise NotReproducible("The record has no question to this seat before its fault.")
        for number, (deal, then) in enumerate(self._moments(), start=1):
            if number == 1:
                play = Play(deal, self.bundle.fault.deal, self.seed, [self.player] * self.seats)
            misplay, reply = self._ask(play)
            asked = self.player.process.asked[0].decode().rstrip("\n") if self.player.process else ""
            steps.append(Step(asked, reply, "" if number == last else then, str(misplay or "")))
            if misplay and misplay.dead:
                break
        return self._ended(steps, misplay)

    def _moments(self) -> Iterator[tuple[Deal, str]]:
        """The deal at each question to the seat up to its fault, and what it did then (`-`: nothing)."""
        lines, own = self.bundle.record.split("\n"), SEATS[self.seat]
        lost = next((at for at, line in enumerate(lines) if line.startswith(f"forfeit {own} ")), 0)
        if not lost:
            raise NotReproducible("The record has no fault of this seat; bundle and record do not agree.")
        asked: tuple[int, str] | None = None
        for deal, read in _stages(self.bundle.record, lost):
            now = (len(deal.log), deal.asks)
            if self.seat in deal.to_act and now != asked:
                asked = now
                who, _, did = lines[read].partition(" ")
                yield deal, did.split(" ")[0] if who == own else "-"

    def _ask(self, play: Play) -> tuple[Misplay | None, str]:
        """One question; why its reply is a fault, and the reply."""
        player = self.player
        try:
            player.ask([play.question(self.seat, player.read_bank())])
            self._hear()
            if player.failed:
                return player.failed, ""
            before, play.deal = play.deal, play.deal.copy()
            try:
                play.take(self.seat, player.replies[0])
            finally:
                play.deal = before
        except Misplay as misplay:
            reply = player.replies[0].decode(errors="replace") if player.replies else ""
            return misplay, reply
        return None, player.replies[0].decode(errors="replace")

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

    def _ended(self, steps: list[Step], misplay: Misplay | None) -> Outcome:
        """What it came to; a program that died says how."""
        same = not steps or _without_clock(steps[-1].ask) == _without_clock(self.bundle.fault.ask)
        if misplay is None:
            return Outcome(steps, "", "", same)
        fault = self.player.fault(misplay, self.bundle.fault.deal)
        self._say(fault.stderr.encode()[self._said :].decode(errors="replace"))
        self._said = len(fault.stderr.encode())
        return Outcome(steps, fault.kind, fault.words, same)


def _stages(record: str, lost: int) -> Iterator[tuple[Deal, int]]:
    """The deal after each step, up to this line; a window that closed in silence just before it, too."""
    lines = record.split("\n")
    for deal, read in stages(record):
        if read > lost:  # several replied together, and it was among them
            return
        yield deal, read
        if read == lost:
            return
        if all(line == HELD for line in lines[read:lost]):
            for _ in lines[read:lost]:
                for seat in deal.to_act:
                    deal.apply(seat, "hold")
            yield deal, lost
            return


def _without_clock(ask: str) -> object:
    """A question without the time that is left, which differs from machine to machine."""
    try:
        asked = msgspec.json.decode(ask)
    except msgspec.MsgspecError:
        return ask
    return {key: value for key, value in asked.items() if key != "bank_ms"}


def bank_of(bundle: Bundle) -> float:
    """The seconds of CPU time that the program had left when it was asked."""
    try:
        return float(msgspec.json.decode(bundle.fault.ask)["bank_ms"]) / 1000
    except (msgspec.MsgspecError, KeyError, TypeError):
        return HOUR
