"""The queen round: only queens may be laid, until the player who has started it says that it is over.

"Hat ein Spieler mehr als eine Dame auf der Hand so darf er zu Beginn eines ordentlichen Zuges eine
Damenrunde ausrufen. In dieser dürfen nur Damen gespielt werden. Allein der Spieler, welcher die Damenrunde
gestartet hat, darf das Ende der Damenrunde ausrufen. Dies muss spätestens mit dem Legen der letzten Dame
geschehen."
"""

from __future__ import annotations

from typing import Any

from maumau.game.model.compiled import CompiledRules
from maumau.game.model.feature import Feature
from maumau.game.model.move import Menu, Move, make_menu
from maumau.game.model.state import NOBODY, State, edit_features
from maumau.game.notation.action import SEATS, Action, parse
from maumau.game.notation.cards import NAMES, STRIDE, merge_copies

START, END = "start", "end"


class QueenRound(Feature):
    """Rounds in which only queens may be laid."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "queen round",
            lambda compiled: compiled.queens.cards != 0,
            {"lead_queen_round": lambda _compiled, _move: True},
            ("begin_turn", "describe", "extend_turn"),
        )

    def begin_turn(self, d: State, seat: int, hand: int) -> bool:
        """Let only queens fit, or close the round if its starter has none left to end it with."""
        starter = d.features.queens
        if starter == seat and not hand & d.compiled.queens.callers:
            close_queen_round(d)
            d.fits = d.compiled.match[d.top]
        elif starter != NOBODY:
            d.fits = d.compiled.queens.playable
        return False

    def describe(self, d: State) -> dict[str, Any]:
        """Return the seat that has started a round."""
        return {"queens": None if d.features.queens == NOBODY else d.features.queens}

    def extend_turn(self, d: State, seat: int, hand: int) -> None:
        """Add the queens that start or end a round, with the declaration."""
        add_queen_actions(d, seat, hand)


def lead_queen_round(d: State, seat: int, move: Move) -> None:
    """Start a queen round with a queen, continue it, or end it."""
    if move.said == START:
        edit_features(d).queens = seat
        if d.compiled.queens.shown:
            _show_queens(d, seat)
    elif d.features.queens == seat and move.said == END:
        close_queen_round(d)
    elif d.features.queens == seat and not d.hands[seat] & d.compiled.queens.callers:
        close_queen_round(d)
        # "Falls ein Spieler vergisst eine Damenrunde zu beenden, ... Strafkarte"
        if "queen_end" in d.compiled.law.kinds:
            d.compiled.calls.give_penalty_card(d, seat)
    if d.features.queens != NOBODY:
        d.chain |= d.topmost if d.compiled.drawing.keeps_chain else 0


def _show_queens(d: State, seat: int) -> None:
    """Show a second queen besides the one laid, if the seat has one.

    "Am Anfang einer Damenrunde müssen mindestens zwei Damen gezeigt werden".
    """
    queen = d.hands[seat] & d.compiled.queens.cards
    if queen:
        d.log.append(f"{SEATS[seat]} shows {NAMES[((queen & -queen).bit_length() - 1) % STRIDE]}")


def close_queen_round(d: State) -> None:
    """Close the round; its cards join the pile."""
    edit_features(d).queens = NOBODY
    d.chain = 0


def add_queen_actions(d: State, seat: int, hand: int) -> None:
    """Add to the menu the queens that start or end a round, with the declaration."""
    compiled = d.compiled
    callers = compiled.queens.callers if compiled.powers[d.top].round else compiled.queens.cards
    if d.features.queens == seat:
        word = END
    elif d.features.queens == NOBODY and (hand & callers).bit_count() > 1:
        word = START
    else:
        return
    d.menu = _list_declarations(d.compiled, d.menu, merge_copies(callers), word)


def _list_declarations(compiled: CompiledRules, menu: Menu, kinds: int, word: str) -> Menu:
    moves: dict[Action, Move] = {}
    for action in menu.actions:
        moves[action] = menu.moves[action.text]
        if len(action.cards) == 1 and not action.said and kinds >> action.cards[0] & 1:
            said = parse(f"{action}/{word}")
            moves[said] = compiled.move(said)
    return make_menu(moves, short=menu.short)
