"""The end: who is out, and when the deal is over."""

from __future__ import annotations

from maumau.game.model.move import NOTHING_DUE
from maumau.game.model.state import NOBODY, State, edit_features
from maumau.game.notation.action import SEATS
from maumau.game.table import side


def would_end_deal(d: State) -> bool:
    """Return True if the deal ends when the seat on turn lays its last card now."""
    if d.seat != NOBODY and side.has_penalty_cards(d, d.seat):
        return False
    return not d.compiled.comeback.applies and (not d.compiled.places or d.active.bit_count() == 2)


def put_out(d: State, seat: int) -> None:
    """Put a seat out; the first one who did not forfeit wins; unless places are played for, the deal ends."""
    d.log.append(f"{SEATS[seat]} out")
    d.out.append(seat)
    d.active &= ~(1 << seat)
    d.after = d.compiled.ring(d.direction, d.active)
    if d.compiled.places:  # others play on
        edit_features(d).last_cards += (d.top,)
    if d.winner is None and seat not in d.faults:
        d.winner = seat
    if not d.compiled.places or d.active.bit_count() == 1:
        finish_deal(d)


def finish_deal(d: State) -> None:
    """End the deal."""
    for feature in d.compiled.hooks.end_deal:
        feature.end_deal(d)
    d.over = True
    d.seat = NOBODY
    d.window = None
    d.to_act = ()
    d.asks = ""
    d.menu = NOTHING_DUE
