"""Swapped hands: two players exchange all their cards."""

from __future__ import annotations

from maumau.game.model.state import NOBODY, State, edit_calls
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import is_single_card


def swap_hands(d: State, seat: int, other: int) -> None:
    """Exchange the hands of two seats; no word is owed for a single card that came with a whole hand."""
    d.hands[seat], d.hands[other] = d.hands[other], d.hands[seat]
    d.log.append(f"{SEATS[seat]} swaps {SEATS[other]}")
    calls = edit_calls(d)
    for each in (seat, other):
        calls.said[each] = d.hands[each] if is_single_card(d.hands[each]) else 0
        calls.missed.pop(each, None)
        if calls.owing == each:
            calls.owing = NOBODY
