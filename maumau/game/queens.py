"""The queen round: only queens may be laid, until the player who has started it says that it is over.

"Hat ein Spieler mehr als eine Dame auf der Hand so darf er zu Beginn eines ordentlichen Zuges eine
Damenrunde ausrufen. In dieser dürfen nur Damen gespielt werden. Allein der Spieler, welcher die Damenrunde
gestartet hat, darf das Ende der Damenrunde ausrufen. Dies muss spätestens mit dem Legen der letzten Dame
geschehen."
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maumau.game import side
from maumau.game.action import SEATS, Action, parse
from maumau.game.cards import NAMES, STRIDE, merge_copies
from maumau.game.move import Menu, Move
from maumau.game.state import NOBODY, State

if TYPE_CHECKING:
    from maumau.game.compiled import CompiledRules

START, END = "start", "end"


def lead_queen_round(d: State, seat: int, move: Move) -> None:
    """A queen starts a round, goes on with it, or ends it."""
    if move.said == START:
        d.queens = seat
        if d.compiled.queens_shown:
            _show_queens(d, seat)
    elif d.queens == seat and move.said == END:
        close_queen_round(d)
    elif d.queens == seat and not d.hands[seat] & d.compiled.callers:
        close_queen_round(d)
        if d.compiled.law is not None and "queen_end" in d.compiled.law.kinds:
            side.give_penalty_card(
                d, seat
            )  # "Falls ein Spieler vergisst eine Damenrunde zu beenden, ... Strafkarte"
    if d.queens != NOBODY:
        d.chain |= d.topmost if d.compiled.keeps_chain else 0


def _show_queens(d: State, seat: int) -> None:
    """ "Am Anfang einer Damenrunde müssen mindestens zwei Damen gezeigt werden": the one laid and another."""
    queen = d.hands[seat] & d.compiled.queens
    if queen:
        d.log.append(f"{SEATS[seat]} shows {NAMES[((queen & -queen).bit_length() - 1) % STRIDE]}")


def close_queen_round(d: State) -> None:
    """The round is over; what was laid in it is a pile like any other."""
    d.queens = NOBODY
    d.chain = 0


def begin_turn_in_round(d: State, seat: int, hand: int) -> None:
    """A turn in the round begins; if its starter has no queen left to end it with, it is over."""
    if d.queens == seat and not hand & d.compiled.callers:
        close_queen_round(d)
        d.fits = d.compiled.match[d.top]
    elif d.queens != NOBODY:
        d.fits = d.compiled.ladies


def add_queen_actions(d: State, seat: int, hand: int) -> None:
    """The list of a turn in which a round may be started or ended: its queens once more, with the word."""
    compiled = d.compiled
    callers = compiled.callers if compiled.powers[d.top].round else compiled.queens
    if d.queens == seat:
        word = END
    elif d.queens == NOBODY and (hand & callers).bit_count() > 1:
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
    return Menu(moves, short=menu.short)
