"""The kings' feast: on a king any player may throw in another one, and the last in the row drinks.

"Auf das Spielen eines Königs kann sofort ein weiterer König von einem beliebigen Spieler eingeworfen werden."
A king thrown in is no turn of its player: the turn goes on from the seat whose turn it interrupted, unless
the option `king_turn` says otherwise. The identical card is thrown in the same way where a variant of one's
own says so (`twin`); without that option the turn then goes on from the player who threw it in.
"""

from __future__ import annotations

from typing import Final

from maumau.game.legal.decision import limit_last_card
from maumau.game.legal.menu import list_forms
from maumau.game.model.compiled import CompiledRules
from maumau.game.model.feature import Feature
from maumau.game.model.move import HOLD, Menu, Move, make_menu
from maumau.game.model.state import State, Window, edit_features
from maumau.game.notation.action import parse
from maumau.game.notation.cards import list_codes, merge_copies, spread_copies
from maumau.game.table.window import open_window

FEAST: Final = 2  # turns in which a king may be thrown in: the one that it was laid in, and the next


class KingThrow(Feature):
    """Cards thrown in out of turn: kings, and identical cards."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "king throw",
            _has_thrown_cards,
            {
                "ask_for_kings": lambda _, move: move.power.stops,
                "throw_king": lambda _, move: move.power.stops,
            },
            ("end_turn",),
        )

    def end_turn(self, d: State) -> None:
        """Count a turn in which kings could be thrown in."""
        if d.features.king_turns_left:
            edit_features(d).king_turns_left -= 1


def _has_thrown_cards(compiled: CompiledRules) -> bool:
    return any(compiled.powers[code].joined or compiled.powers[code].twin for code in compiled.pack.kinds)


def ask_who_can_throw(d: State, seat: int, move: Move) -> bool:
    """Ask all who hold a card to throw in on the one that was laid; return False if there is none."""
    power = move.power
    if d.compiled.kings.next_zug and power.joined:
        edit_features(d).king_turns_left = FEAST
    twins = _find_twins(d) if power.twin else 0
    kings = power.joined or d.features.king_turns_left > 0
    return bool(kings or twins) and ask_king_holders(d, seat, twins, kings=kings)


def _find_twins(d: State) -> int:
    """Return the other copies of the card on top: they fit, unless one may not lie on its own kind."""
    kind = merge_copies(d.topmost)
    return d.compiled.match[list_codes(kind)[0]] & spread_copies(kind, d.compiled.pack.copies)


def ask_king_holders(d: State, opener: int, twins: int = 0, *, kings: bool = True) -> bool:
    """Ask all who hold a card to throw in, the one who laid the last card too; False if there is none.

    Args:
        d: The deal.
        opener: Who laid the last card; the others are asked in order after this seat.
        twins: The cards that may be thrown in because they are identical with the one on top.
        kings: Whether kings that fit may be thrown in.
    """
    compiled = d.compiled
    fit = twins
    if kings:
        royal = (
            compiled.kings.cards | compiled.kings.mirrored
            if compiled.powers[d.top].joined
            else compiled.kings.cards
        )
        fit |= royal & (d.answers if d.owed else d.fits)
    menus: dict[int, Menu] = {}
    for step in range(1, d.seats + 1):
        seat = (opener + step) % d.seats
        hand = d.hands[seat] if d.active >> seat & 1 else 0
        may = limit_last_card(d, seat, hand, hand & fit)
        if may:
            menus[seat] = _list_kings(d, seat, merge_copies(may))
    if menus:
        open_window(d, Window(opener, menus))
    return bool(menus)


def _list_kings(d: State, seat: int, kinds: int) -> Menu:
    texts = [text for code in list_codes(kinds) for text in list_forms(d, code, seat=seat)]
    kings = {king: d.compiled.move(king) for king in map(parse, texts)}
    return make_menu(kings | {parse("hold"): HOLD})
