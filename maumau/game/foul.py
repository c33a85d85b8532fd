"""Fouls (`violations: full`): a card laid, or drawn, against the rules. None of it is ever listed.

"Als Regelverstoß bezeichnet man das vorsätzliche, aber auch das unbeabsichtigte Handeln gegen eine der
Regeln." The game goes on as if it had been right, until somebody accuses.
"""

from __future__ import annotations

from typing import Final

from maumau.game import law, mau, side, stock
from maumau.game.action import SEATS, Action
from maumau.game.cards import NAMES, STRIDE, list_codes
from maumau.game.event import make_draw_event
from maumau.game.menu import list_forms
from maumau.game.move import Move
from maumau.game.state import State

ON_TURN: Final = ("turn", "answer", "cover", "again")


def find_foul(d: State, action: Action) -> Move | None:
    """The move of an action against the rules of the seat on turn; None if it cannot be done at all."""
    if d.compiled.law is None or not d.compiled.law.full or d.asks not in ON_TURN:
        return None
    if action.bare == "draw":
        return Move(_draw_too_many) if stock.can_draw(d) and "draw" not in d.menu.moves else None
    if len(action.cards) != 1 or action.word or action.bare in d.menu.moves:
        return None
    code = action.cards[0]
    hand = d.hands[d.seat]
    last = hand.bit_count() == 1 and not side.has_penalty_cards(d, d.seat)
    known = [NAMES[code]] if last else list_forms(d, code)
    return Move(_lay_illegal_card) if code in list_codes(hand) and action.bare in known else None


def _lay_illegal_card(d: State, seat: int, _move: Move, action: Action) -> None:
    """A card that does not fit: where the engine watches it goes back at once."""
    rules = d.compiled.law
    if rules is not None and rules.reports:
        move = d.compiled.move(action.plain)
        before = State()
        before.fill(d)
        law.commit_violation(d, seat, "card", before, _find_first_copy(d.hands[seat], move.code))
        move.run(d, seat, move, action)
        return
    d.log.append(action.events()[seat])
    d.log.append(f"{SEATS[seat]} back {NAMES[action.cards[0]]}")
    side.give_penalty_card(d, seat)
    d.compiled.refresh(d, seat)


def _find_first_copy(hand: int, code: int) -> int:
    """The copy of a card that is laid first."""
    card = 1 << code
    while not hand & card:
        card <<= STRIDE
    return card


def _draw_too_many(d: State, seat: int, _move: Move, action: Action) -> None:
    """ "Zuviel gezogene Karten müssen als Strafkarten vor sich abgelegt werden"."""
    rules = d.compiled.law
    if rules is not None and rules.surplus:
        d.log.append(action.events()[seat])
        side.give_penalty_card(d, seat)
    else:
        d.log.append(make_draw_event(seat, stock.draw_card(d, seat), "draw"))
        law.commit_violation(d, seat, "card")
    mau.judge_call(d, seat, action)
    d.compiled.refresh(d, seat)
