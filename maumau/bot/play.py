"""One deal between the players of a table, in steps: who is asked, what a reply does, what a fault costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from maumau.bot import question
from maumau.bot.fault import Fault, Kind, Misplay
from maumau.bot.message import NOTE, NOTES, Reply, read_reply, write_end, write_question
from maumau.bot.outcome import DealOutcome, Note
from maumau.bot.player import Player
from maumau.bot.reply import carry_out, check_answer
from maumau.bot.words import clean_text
from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import Action, Deal, bot_seed, event_lines, first_action, parse, record, stream

KNOWN: Final = 20_000  # replies kept, so that most are read once; a program can send endlessly many,
SHORT: Final = 64  # bytes of one that is kept, and pad them


class Play:
    """A deal being played: that of a set in results, and a `number` to the programs.

    `advance` says whose programs must reply now; each is asked its `question`, and `take` carries out the
    replies, in the order of the seats, when all are there. `over`: nothing is left but to `finish`.
    `look` is shown the deal before decisions and at its end; it changes nothing.
    """

    def __init__(
        self,
        deal: Deal,
        set_number: int,
        number: int,
        seed: str,
        players: Sequence[Player],
        look: Callable[[int, Deal], None] | None = None,
    ) -> None:
        self.deal, self.set_number, self.number, self.players = deal, set_number, number, players
        self.over = False
        self._seed, self._look = seed, look
        self._faults: list[Fault] = []
        self._notes: list[Note] = []  # numbered by the events of the log until the deal is over
        self._seen = [0] * deal.seats  # events told so far, by seat
        self._asked = [False] * deal.seats
        self._also: list[list[str]] = [[] for _ in range(deal.seats)]
        self._usual = question.has_usual_fields(deal)
        self._head = f'{{"deal":{number},'
        self._said = set[str]()  # accusations made on the view that the others have, too
        self._lost: dict[int, str] = {}
        self._house = {
            seat: stream(bot_seed(seed, seat), "house")
            for seat, player in enumerate(players)
            if player.place.program is None
        }
        self._silent = set(self._house)  # seats that the referee plays

    def plays(self, seat: int) -> bool:
        """Whether the program at this seat still plays for itself."""
        return seat not in self._silent

    def lose(self, seat: int, misplay: Misplay) -> Kind:
        """Book a fault: the seat has lost this deal, and a stand-in plays on for it."""
        fault = self.players[seat].fault(misplay, self.set_number)
        self._faults.append(fault)
        self.lost(seat, fault.kind)
        return fault.kind

    def lost(self, seat: int, kind: Kind) -> None:
        """The seat has lost this deal by a fault that is booked to another one."""
        self._lost[seat] = kind
        self._silent.add(seat)
        self.deal.forfeit(seat, kind)

    def renew(self, seat: int) -> None:
        """A new process will play on at this seat: it must be told all from the beginning."""
        self._seen[seat] = 0
        self._asked[seat] = False

    def advance(self) -> tuple[int, ...]:
        """Play for the silent seats until programs must reply: the seats of these, none when it is over."""
        deal, silent = self.deal, self._silent
        if self._look and not deal.over:
            self._look(self.set_number, deal)
        while not deal.over:
            seats = deal.to_act
            if silent and not silent.isdisjoint(seats):
                asked = tuple(seat for seat in seats if seat not in silent)
                if not asked:
                    self._stand_in(seats[0])
                    continue
                seats = asked
            if self._said:
                self._said.clear()
            return seats
        self.over = True
        return ()

    def question(self, seat: int, bank: float) -> bytes:
        """The line that asks for a decision; `bank` are the seconds of CPU time left."""
        deal, start = self.deal, self._seen[seat]
        self._seen[seat] = len(deal.log)
        rng = "" if self._asked[seat] else bot_seed(self._seed, seat)
        self._asked[seat] = True
        plain = self._usual and question.is_plain_decision(deal, seat)
        self._also[seat] = also = question.list_late_calls(deal, seat) if plain else deal.also(seat)
        if plain:
            head = f'{self._head}"rng":"{rng}",' if rng else self._head
            return question.write_question(
                deal, seat, start, also, head, f',"bank_ms":{int(bank * 1000)}}}\n'
            )
        return write_question(deal.view(seat, start), self.number, rng, bank)

    def take(self, seat: int, line: bytes) -> None:
        """Carry out a reply; Misplay says why not."""
        try:
            action = _known.get(line)
            if action is not None:
                self.deal.apply(seat, action)
            elif line.startswith(b"{"):
                self._take_long(seat, read_reply(line))
            else:
                self.deal.apply(seat, _read_short_reply(line))
        except UnreadableAction as error:
            raise Misplay("unreadable", str(error)) from error
        except IllegalAction as error:
            raise Misplay("illegal", str(error)) from error

    def finish(self) -> DealOutcome:
        """Tell everybody how it ended."""
        deal = self.deal
        if self._look:
            self._look(self.set_number, deal)
        places, points = deal.places, deal.points
        for seat, player in enumerate(self.players):
            if player.process:
                news = deal.seen(seat, self._seen[seat])
                player.process.tell(write_end(self.number, places, points, news, self._lost.get(seat)))
        entrants = [player.place.entrant for player in self.players]
        return DealOutcome(entrants, places, points, record(deal), self._faults, self._noted())

    def _stand_in(self, seat: int) -> None:
        """The referee plays: the first action for who lost the deal, else any; and the call it owes."""
        deal, house = self.deal, self._house.get(seat)
        if house is None or seat in self._lost:
            deal.apply(seat, first_action(deal, seat))
        else:
            legal = deal.legal(seat)
            action = legal[house.below(min(len(legal), 256))]
            deal.apply(seat, action + deal.due(seat, action))

    def _take_long(self, seat: int, reply: Reply) -> None:
        carry_out(self.deal, seat, reply, self._also[seat], self._said)
        if reply.note:
            self._note(seat, reply.note)

    def _note(self, seat: int, words: str) -> None:
        """Keep what there is room for."""
        room = NOTES - sum(len(note.text) for note in self._notes if note.seat == seat)
        if kept := words[: min(NOTE, room)]:
            self._notes.append(Note(len(self.deal.log), seat, clean_text(kept)))

    def _noted(self) -> list[Note]:
        if not self._notes:
            return []
        lines = event_lines(self.deal)
        return [Note(lines[note.event], note.seat, note.text) for note in self._notes]


_known: Final[dict[bytes, Action]] = {}


def _read_short_reply(line: bytes) -> Action:
    """A reply in the short form."""
    action = parse(check_answer(line.decode(errors="replace").strip()))
    if len(_known) >= KNOWN:
        _known.clear()
    if len(line) <= SHORT:
        _known[line] = action
    return action
