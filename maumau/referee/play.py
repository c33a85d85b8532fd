"""One deal between the players of a table, in steps: questions, replies, faults."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from maumau.errors import IllegalAction, UnreadableAction
from maumau.game import Action, Deal, bot_seed, event_lines, first_action, parse, record, stream
from maumau.protocol import question
from maumau.protocol.fault import Fault, Kind, Misplay
from maumau.protocol.message import NOTE, NOTES, Reply, read_reply, write_end, write_question
from maumau.protocol.outcome import DealOutcome, Note
from maumau.protocol.reply import carry_out, check_answer, explain_unreadable
from maumau.protocol.words import clean_text
from maumau.referee.player import ProgramPlayer

KNOWN: Final = 20_000  # replies kept, so that most are read once; a program can send endlessly many,
HOLDING: Final = frozenset({"draw", "pass"})
SHORT: Final = 64  # bytes of one that is kept, and pad them
UNASKED: Final = -1  # of a process that has not been asked in this deal

Look = Callable[[int, Deal], None]
"""Called with a set's number and its deal."""


class DealPlay:
    """A deal being played: one of a set in the results, and a `number` to the programs.

    `advance_deal` returns the seats that must reply now; each is asked its `question_line`, and `take_reply`
    carries out the replies, in the order of the seats. `over`: only `finish_deal` is left.
    `look` is shown the deal before decisions and at its end; it changes nothing.
    """

    def __init__(
        self,
        deal: Deal,
        set_number: int,
        number: int,
        seed: str,
        players: Sequence[ProgramPlayer],
        look: Look | None = None,
    ) -> None:
        self.deal, self.set_number, self.number, self.players = deal, set_number, number, players
        self.over = False
        self._seed, self._look = seed, look
        self._faults: list[Fault] = []
        self._notes: list[Note] = []  # numbered by the events of the log until the deal is over
        self._seen = [UNASKED] * deal.seats  # number of events sent to its process so far, by seat
        self._also: list[list[str]] = [[] for _ in range(deal.seats)]
        self._questions = [b""] * deal.seats  # the last one of each seat
        self._usual = question.has_usual_fields(deal)
        self._head = f'{{"deal":{number},'
        self._said = set[str]()  # accusations made on the view that the others have, too
        self._lost: dict[int, str] = {}
        self._house = {
            seat: stream(bot_seed(seed, seat), "house")
            for seat, player in enumerate(players)
            if player.place.program is None
        }
        self._held = [0] * deal.seats  # decisions to draw or pass although a card fitted, by seat
        self._silent = set(self._house)  # seats that the referee plays, and those that are not in the deal
        self._silent |= {seat for seat, size in enumerate(deal.made.sizes) if not size}

    def is_playing(self, seat: int) -> bool:
        """Return True if the program at this seat still plays for itself."""
        return seat not in self._silent and not self.deal.over

    def lose_deal(self, seat: int, misplay: Misplay) -> Kind:
        """Record a fault; the seat loses this deal as with `give_to_stand_in`."""
        fault = self.players[seat].record_fault(misplay, self.set_number, self._questions[seat])
        self._faults.append(fault)
        self.give_to_stand_in(seat, fault.kind)
        return fault.kind

    def give_to_stand_in(self, seat: int, kind: str) -> None:
        """Let the stand-in play on for a seat; it has lost the deal, unless it had gone out before."""
        self._silent.add(seat)
        if self.deal.can_lose(seat):
            self._lost[seat] = kind
            self.deal.forfeit(seat, kind)

    def forfeit_all(self, kind: str) -> None:
        """Replace all programs by stand-ins without a fault: equal places, and no more questions."""
        for seat in range(self.deal.seats):
            self.give_to_stand_in(seat, kind)

    def renew_process(self, seat: int) -> None:
        """Prepare for a new process at this seat, which must be sent all events from the beginning."""
        self._seen[seat] = UNASKED

    def advance_deal(self) -> tuple[int, ...]:
        """Play for the silent seats until programs must reply; return their seats, none when it is over."""
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

    def question_line(self, seat: int, bank_ms: int) -> bytes:
        """Return the line that asks for a decision; `bank_ms` are the milliseconds of CPU time left."""
        deal, start, rng = self.deal, self._seen[seat], ""
        if start == UNASKED:
            start, rng = 0, bot_seed(self._seed, seat)
        self._seen[seat] = len(deal.log)
        plain = self._usual and question.is_plain_decision(deal, seat)
        self._also[seat] = also = question.list_late_calls(deal, seat) if plain else deal.also(seat)
        if plain:
            head = f'{self._head}"rng":"{rng}",' if rng else self._head
            line = question.write_question(deal, seat, start, also, head, bank_ms)
        else:
            line = write_question(deal.view(seat, start), self.number, rng, bank_ms)
        self._questions[seat] = line
        return line

    def take_reply(self, seat: int, line: bytes) -> None:
        """Carry out a reply; raise Misplay with the reason if it is not allowed."""
        try:
            action = _known.get(line)
            if action is None and line.startswith(b"{"):
                self._take_long(seat, read_reply(line))
                return
            action = action or _read_short_reply(line)
            if action.word and action.word in HOLDING:
                self._note_held(seat)
            self.deal.apply(seat, action)
        except UnreadableAction as error:
            hint = _explain_line(line)
            raise Misplay("unreadable", f"{error}; {hint}" if hint else str(error)) from error
        except IllegalAction as error:
            raise Misplay("illegal", str(error)) from error

    @property
    def has_stalled(self) -> bool:
        """Return True if the deal has reached its bound undecided and all seats held cards back for that.

        Each has drawn or passed, with a card that fitted, in a quarter of its share of the decisions or
        more, so that one program alone stalls nothing.
        """
        deal = self.deal
        is_undecided = deal.left <= 0 and len(set(deal.places)) == 1 and not self._lost
        return is_undecided and 4 * deal.seats * min(self._held) >= deal.compiled.most

    def finish_deal(self) -> DealOutcome:
        """Send everyone the result."""
        deal = self.deal
        if self._look:
            self._look(self.set_number, deal)
        places, points = deal.places, deal.points
        for seat, player in enumerate(self.players):
            if player.process:
                news = deal.seen(seat, max(0, self._seen[seat]))
                player.process.tell(write_end(self.number, places, points, news, self._lost.get(seat)))
        entrants = [player.place.entrant for player in self.players]
        text = record(deal, (places, points))
        return DealOutcome(entrants, places, points, text, self._faults, self._list_notes())

    def _stand_in(self, seat: int) -> None:
        """Play for a silent seat: the first action if it lost the deal, else a random one, with its call."""
        deal, house = self.deal, self._house.get(seat)
        if house is None or seat in self._lost:
            deal.apply(seat, first_action(deal, seat))
        else:
            legal = deal.legal(seat)
            action = legal[house.below(min(len(legal), 256))]
            deal.apply(seat, action + deal.due(seat, action))

    def _note_held(self, seat: int) -> None:
        """Count a draw or pass although a card fitted: cards are listed first."""
        listed = self.deal.legal(seat)
        self._held[seat] += bool(listed) and not listed[0].word

    def _take_long(self, seat: int, reply: Reply) -> None:
        if reply.act.strip() in HOLDING:
            self._note_held(seat)
        carry_out(self.deal, seat, reply, self._also[seat], self._said)
        if reply.note:
            self._keep_note(seat, reply.note)

    def _keep_note(self, seat: int, words: str) -> None:
        """Keep a note as far as there is room for it."""
        room = NOTES - sum(len(note.text) for note in self._notes if note.seat == seat)
        if kept := words[: min(NOTE, room)]:
            self._notes.append(Note(len(self.deal.log), seat, clean_text(kept)))

    def _list_notes(self) -> list[Note]:
        if not self._notes:
            return []
        lines = event_lines(self.deal)
        return [Note(lines[note.event], note.seat, note.text) for note in self._notes]


_known: Final[dict[bytes, Action]] = {}


def _explain_line(line: bytes) -> str:
    """Return what would be right in place of a reply whose action is not notation, or an empty string."""
    if not line.startswith(b"{"):
        return explain_unreadable(line.decode(errors="replace"))
    try:
        return explain_unreadable(read_reply(line).act)
    except UnreadableAction:
        return ""  # its own words say what is wrong with the JSON


def _read_short_reply(line: bytes) -> Action:
    """Return the action of a reply in the short form."""
    action = parse(check_answer(line.decode(errors="replace").strip()))
    if len(_known) >= KNOWN:
        _known.clear()
    if len(line) <= SHORT:
        _known[line] = action
    return action
