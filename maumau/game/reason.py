"""Reasons for refused actions, in words."""

from __future__ import annotations

from maumau.game.model.state import State
from maumau.game.notation.action import SEATS, Action
from maumau.game.notation.cards import NAMES, list_codes


def explain_refusal(d: State, seat: int, action: Action) -> str:
    """Return one sentence for the player whose action was refused."""
    if d.over:
        return f"{action} comes too late: the deal is over"
    if action.word == "!":
        return f"{SEATS[seat]} has no call to make now"
    if seat not in d.to_act:
        return _not_asked(d, seat, action)
    missing = [NAMES[code] for code in action.cards if code not in list_codes(d.hands[seat])]
    if missing and not action.word:
        return f"{action}: {SEATS[seat]} does not hold {', '.join(missing)}"
    menu = d.menu if d.window is None else d.window.menus[seat]
    listed = [str(known) for known in menu.actions]
    return (
        f"{action} is not allowed now; allowed are {' '.join(listed[:40])}{' …' if len(listed) > 40 else ''}"
    )


def _not_asked(d: State, seat: int, action: Action) -> str:
    if not 0 <= seat < d.seats:
        return "no such seat"
    if d.window is not None:  # hides who is asked in a window
        return f"{action}: {SEATS[seat]} is not asked now"
    return f"{action}: it is {_name_seats(d.to_act)}'s turn, not {SEATS[seat]}'s"


def _name_seats(seats: tuple[int, ...]) -> str:
    return " and ".join(SEATS[seat] for seat in seats)
