"""The bundle that the arena keeps of a fault, with all questions to the program in its deal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from maumau.errors import BadBundle, BadFile, NotReproducible
from maumau.game import Deal, Rules, load_text
from maumau.game.notation.action import SEATS
from maumau.game.record import HELD
from maumau.game.replay import replay_stages
from maumau.protocol import message
from maumau.protocol.fault import FORFEIT, Fault
from maumau.protocol.limit import RunLimits
from maumau.referee.play import DealPlay

MAX_BYTES = 4 << 20  # bytes of a bundle
BANK = 10.0  # seconds, where the fault was before any question


class RuleSet(msgspec.Struct, frozen=True):
    """The variant of the deal, with its text if it is a custom one."""

    name: str = ""
    variant_toml: str = ""


class Bundle(msgspec.Struct, frozen=True):
    """A fault, the record and the rules of its deal, and the memory limit of the program."""

    fault: Fault
    record: str
    memory_mib: int = RunLimits().memory_mib
    rules: RuleSet = RuleSet()

    def own_rules(self) -> Rules | None:
        """Return the custom variant that the record names; None if it is a known one."""
        return load_text(self.rules.name, self.rules.variant_toml) if self.rules.variant_toml else None


class Question(msgspec.Struct, frozen=True):
    """A line for the program, the deal, the original action `then` (`-`: none); `last`: it lost the deal."""

    line: bytes
    play: DealPlay
    then: str
    last: bool


def read_bundle(path: Path) -> Bundle:
    """Return the bundle in a file, as `maumau logs FAULT --out FILE` wrote it."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadBundle(f"{path} has more than {MAX_BYTES >> 20} MiB; it is not a bundle.")
        return msgspec.json.decode(path.read_bytes(), type=Bundle)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.MsgspecError as error:
        raise BadBundle(f"{path} is not a fault bundle: {error}.") from None


class _QuestionHead(msgspec.Struct):
    """The deal and bank in a question; a fault before any question has neither."""

    deal: int = 0
    bank_ms: float = 1000 * BANK


class Script:
    """The messages to the program, from hello to the question of the fault; NotReproducible without one.

    Every message has the bank of that last question, so that it is the same, byte for byte.
    """

    def __init__(self, bundle: Bundle) -> None:
        fault = bundle.fault
        if fault.kind == FORFEIT or not fault.ask:
            raise NotReproducible(f"The program was not asked: {fault.words}.")
        self.bundle, self.record = bundle, bundle.record
        self.own = bundle.own_rules()
        first, _ = next(replay_stages(self.record, own=self.own))
        self.rules, self.seats, self.seed = first.rules, first.seats, first.seed.text
        self.seat = (fault.entrant - fault.seating) % self.seats  # seat k is entrant (k + seating) mod n
        asked = _read_question(fault.ask)
        self.number = asked.deal
        self.bank_ms = int(asked.bank_ms)
        bank = (self.bank_ms + 0.5) / 1000  # half of one: it is rounded down
        self.hello = message.write_hello(self.rules, self.rules.chosen, self.seats, self.seat, bank)

    def questions(self) -> Iterator[Question]:
        """Yield the questions; the deal is played on when the next one is requested."""
        last = sum(1 for _ in self._replay_moments())
        if not last:
            raise NotReproducible("The record has no question to this seat before its fault.")
        first = max(1, last - self._since_met() + 1)
        for number, (deal, then) in enumerate(self._replay_moments(), start=1):
            if number == 1:
                play = DealPlay(deal, self.bundle.fault.deal, self.number, self.seed, [])
            if number >= first:
                play.advance_deal()
                line = play.question_line(self.seat, self.bank_ms)
                yield Question(line, play, "" if number == last else then, number == last)

    def _since_met(self) -> int:
        """Return the number of the deal's questions to this process, as far as its last lines show; else all.

        A process that was started in the middle of a deal meets it there for the first time.
        """
        head = f'> {{"deal":{self.number},"'
        own = [line.removeprefix(head) for line in self.bundle.fault.lines if line.startswith(head)]
        met = next((at for at, line in enumerate(own) if line.startswith("rng")), None)
        return len(self.record) if met is None else len(own) - met

    def _replay_moments(self) -> Iterator[tuple[Deal, str]]:
        """Yield the deal at each question to the seat up to its fault, and its action then (`-`: none)."""
        lines, own = self.record.split("\n"), SEATS[self.seat]
        lost = next((at for at, line in enumerate(lines) if line.startswith(f"forfeit {own} ")), 0)
        if not lost:
            raise NotReproducible("The record has no fault of this seat; bundle and record do not agree.")
        asked: tuple[int, str] | None = None
        for deal, read in _replay_stages(self.record, lost, self.own):
            now = (len(deal.log), deal.asks)
            if self.seat in deal.to_act and now != asked:
                asked = now
                who, _, did = lines[read].partition(" ")
                yield deal, did.split(" ")[0] if who == own else "-"


def _replay_stages(record: str, lost: int, own: Rules | None) -> Iterator[tuple[Deal, int]]:
    """Yield the deal after each step up to this line, including a window that closed silently before it."""
    lines = record.split("\n")
    for deal, read in replay_stages(record, own=own):
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


def _read_question(ask: str) -> _QuestionHead:
    try:
        return msgspec.json.decode(ask, type=_QuestionHead)
    except msgspec.MsgspecError:
        return _QuestionHead()
