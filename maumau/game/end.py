"""The end: who is out, and when the deal is over."""

from __future__ import annotations

from maumau.game import side
from maumau.game.action import SEATS
from maumau.game.move import NOTHING_DUE
from maumau.game.state import NOBODY, State


def would_end_deal(d: State) -> bool:
    """Whether a seat that lays its last card now ends the deal."""
    if d.seat != NOBODY and side.has_penalty_cards(d, d.seat):
        return False
    return not d.compiled.comeback and (not d.compiled.places or d.active.bit_count() == 2)


def put_out(d: State, seat: int) -> None:
    """The seat is out; the first one out has won, and where places are not played for this is the end."""
    d.log.append(f"{SEATS[seat]} out")
    d.out.append(seat)
    d.active &= ~(1 << seat)
    d.after = d.compiled.ring(d.direction, d.active)
    if d.winner is None and seat not in d.faults:
        d.winner = seat
    if not d.compiled.places or d.active.bit_count() == 1:
        finish_deal(d)


def finish_deal(d: State) -> None:
    """The deal is over; a card that nobody has believed yet is its player's again."""
    if d.claimed is not None:
        d.hands[d.claimed.seat] |= d.claimed.card
        d.claimed = None
    d.over = True
    d.seat = NOBODY
    d.window = None
    d.to_act = ()
    d.asks = ""
    d.menu = NOTHING_DUE
