"""Fouls (`violations: full`): actions against the rules that can be carried out, though none is listed."""

from __future__ import annotations

from maumau.game.legal.menu import list_forms
from maumau.game.model.feature import Feature
from maumau.game.model.move import Move
from maumau.game.model.state import ON_TURN, State
from maumau.game.notation.action import Action
from maumau.game.notation.cards import NAMES, list_codes
from maumau.game.table import side, stock


class Fouls(Feature):
    """Cards laid, or drawn, against the rules."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("fouls", lambda compiled: compiled.law.full, hooks=("find_unlisted",))

    def find_unlisted(self, d: State, action: Action) -> Move | None:
        """Return the move of an action of the seat on turn against the rules; None if it is impossible."""
        if d.asks not in ON_TURN:
            return None
        if action.bare == "draw":
            return Move("draw_too_many") if stock.can_draw(d) and "draw" not in d.menu.moves else None
        if len(action.cards) != 1 or action.word or action.bare in d.menu.moves:
            return None
        code = action.cards[0]
        hand = d.hands[d.seat]
        last = hand.bit_count() == 1 and not side.has_penalty_cards(d, d.seat)
        known = [NAMES[code]] if last else list_forms(d, code)
        return Move("lay_illegal_card") if code in list_codes(hand) and action.bare in known else None
