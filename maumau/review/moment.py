"""The moments of a deal that a review looks at: the decisions of one seat, and the cards that it drew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from maumau.errors import MaumauError
from maumau.game.deal import Deal
from maumau.game.guess import Belief
from maumau.game.notation.action import SEATS, parse
from maumau.game.notation.event import Covered, Secret
from maumau.game.record import FORFEIT, event_lines
from maumau.game.table.stock import get_pile
from maumau.review.policy import list_right_accusations
from maumau.review.sample import Face, Sampler

HELD: Final = ("window", "appeal")  # questions to which silence is an answer that no record has


class Moment:
    """One decision of the seat: the samples before it, the actions that it could choose, the one it chose.

    line: of its event in the record's events, from 0. stage: of the record, in which it was asked.
    after: the samples once it had drawn, if it drew.
    """

    def __init__(self, before: Sampler, d: Deal, taken: str, line: int, stage: int) -> None:
        self.before = before
        self.asked = d
        self.asks = d.asks
        self.taken = taken
        self.line = line
        self.stage = stage
        self.choices = list_choices(d, before.seat, taken)
        self.drawn: tuple[str, ...] = ()
        self.after: Sampler | None = None


class Forfeit(msgspec.Struct, frozen=True):
    """A fault by which a seat lost the deal: its kind, and the number of the record's events before it.

    decides: from here on the reviewed seat has won or lost, and what is played for it is not its play.
    """

    seat: int
    kind: str
    event: int
    decides: bool


class Course(NamedTuple):
    """A seat's way through a deal: its moments, the deal at its end, and the faults.

    before: the samples just before the fault that decided the deal, if one did and they can be made.
    """

    moments: list[Moment]
    end: Deal
    forfeits: list[Forfeit]
    before: Sampler | None


def list_choices(d: Deal, seat: int, taken: str) -> list[str]:
    """Return what the seat could do: listed actions with the calls they owe, right accusations, its own."""
    legal = d.legal(seat)
    found = [str(action + d.due(seat, action)) for action in legal]
    found += [text for _, text in list_right_accusations(d) if text in d.also(seat)]
    return found if taken in found else [*found, taken]


def follow_seat(stages: Iterable[tuple[Deal, int]], seat: int) -> Course:
    """Return the way of a seat through the stages of a record (`replay_stages`)."""
    walk = _Walk(seat)
    for d, _ in stages:
        walk.go_on(d)
    before = walk.before if walk.is_decided and walk.before and walk.before.can_be_sampled else None
    return Course(walk.moments, walk.last, walk.forfeits, before)


class _Walk:
    """A seat's way through a deal, stage by stage."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.moments: list[Moment] = []
        self.forfeits: list[Forfeit] = []
        self.before: Sampler | None = None  # the last fault, or the first one of several in a row
        self.is_decided, self.is_after_fault = False, False
        self.asked: tuple[Deal, Sampler] | None = None
        self.face: Face | None = None
        self.belief: Belief | None = None
        self.faces = Faces(seat)
        self.last = Deal()
        self.stage = -1

    def go_on(self, d: Deal) -> None:
        """Take the next stage: the answer to the question before it, and the question it ends with."""
        start = len(self.last.log) if self.belief else 0
        if self.belief is None:
            self.belief = Belief(d.rules, d.seats, self.seat)
        end = self._note_faults(d, start, self.belief)
        self.belief.see(d.seen(self.seat, start))
        self.face = self.faces.see(d, start) if d.compiled.blind.applies else None
        moment = self._find_decision(d, start, end)
        is_going_on = not d.over and not self.is_decided
        if moment is not None:
            self.moments.append(moment)
            moment.drawn = _list_drawn(d, self.seat, start)
            after = Sampler(d, self.seat, self.belief, self.face) if moment.drawn and is_going_on else None
            moment.after = after if after is not None and after.can_be_sampled else None
        self.last = d.copy()
        self.stage += 1
        self.asked = None
        if self.seat in d.to_act and is_going_on:
            self.asked = self.last, Sampler(d, self.seat, self.belief, self.face)

    def _note_faults(self, d: Deal, start: int, belief: Belief) -> int:
        """Note the faults of a stage; return the number of events before the first one, or of all."""
        found = [(at, _read_fault(d.log[at])) for at in range(start, len(d.log))]
        faults = [(at, fault) for at, fault in found if fault is not None]
        if faults and not self.is_decided and not self.is_after_fault:
            asked = self.asked
            self.before = asked[1] if asked else Sampler(self.last, self.seat, belief, self.face)
        lines = event_lines(d) if faults else []
        for at, (seat, kind) in faults:
            self._note_fault(d, seat, kind, lines[at])
        self.is_after_fault = bool(faults)
        return faults[0][0] if faults else len(d.log)

    def _note_fault(self, d: Deal, seat: int, kind: str, event: int) -> None:
        lost = {one.seat for one in self.forfeits} | {seat}
        decides = not self.is_decided and (seat == self.seat or len(lost) >= count_players(d) - 1)
        self.is_decided |= decides
        self.forfeits.append(Forfeit(seat, kind, event, decides))

    def _find_decision(self, d: Deal, start: int, end: int) -> Moment | None:
        """Return the seat's decision if this stage has its answer, before event `end`."""
        if self.asked is None:
            return None
        asked, sampler = self.asked
        taken = _find_action(asked, d, self.seat, start, end)
        if taken is None and asked.asks in HELD:
            is_closed = end == len(d.log) and self.seat not in d.to_act
            taken = "hold" if is_closed or end > start else None
        return None if taken is None else Moment(sampler, asked, taken, event_lines(asked)[-1], self.stage)


def count_players(d: Deal) -> int:
    """Return the number of seats with cards in this deal: who has lost all lives gets none."""
    return sum(1 for hand in d.made.dealt if hand) or d.seats


def _read_fault(event: str | Secret) -> tuple[int, str] | None:
    """Return the seat and the kind of a fault; None for other events."""
    found = FORFEIT.fullmatch(event) if isinstance(event, str) else None
    return (SEATS.index(found[1]), found[2]) if found else None


def _find_action(asked: Deal, d: Deal, seat: int, start: int, end: int) -> str | None:
    """Return the first action of the seat among the new events."""
    for event in d.log[start:end]:
        text = event if isinstance(event, str) else event.full
        who, _, said = text.partition(" ")
        if who == SEATS[seat]:
            word = said.partition(" ")[0]
            try:
                if asked.allows(seat, parse(word)):
                    return word
            except MaumauError:
                continue
    return None


def _list_drawn(d: Deal, seat: int, start: int) -> tuple[str, ...]:
    """Return the cards that the seat has drawn in the new events, as notation."""
    new = [event for event in d.log[start:] if isinstance(event, Secret) and not isinstance(event, Covered)]
    drawn = [event for event in new if event.owner == seat and event.drawn]
    return tuple(card for event in drawn for card in event.full.removeprefix(event.shown).split())


class Faces:
    """The cards laid face down, as one seat knows them: its own, those shown, and believed claims."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known = 0
        self.claims: dict[int, int] = {}  # by the real card: what it was claimed to be
        self.doubted = 0  # the card that was claimed in the stage before

    def see(self, d: Deal, start: int) -> Face:
        """Take the next stage; return what is known now."""
        events = [event if isinstance(event, str) else event.shown for event in d.log[start:]]
        if any(event.startswith("up ") for event in events):
            self.known |= d.topmost
        shown = any(event[2:].startswith("shows ") for event in events)
        laid = d.features.claimed
        if laid is not None:
            if laid.seat == self.seat:
                self.known |= laid.card
            else:
                self.claims[laid.card] = laid.action.claim
        pile = get_pile(d) | d.topmost
        if shown:
            self.known |= self.doubted & pile
        self.doubted = 0 if laid is None else laid.card
        on_table = pile | (laid.card if laid is not None else 0)
        self.known &= on_table
        self.claims = {
            card: claim for card, claim in self.claims.items() if card & on_table and not card & self.known
        }
        return Face(self.known, [claim for card, claim in self.claims.items() if card & pile])
