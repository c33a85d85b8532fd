"""Reaction windows: all seats that could react decide at once, on the same view.

A stage of a turn opens a window and pauses the turn. A reply is kept until all have replied; then the turn
goes on with its next stage, which takes the replies. Of cards thrown in the first one counts, in seat order
after the opener, and the others stay hidden. While a window is open no seat is on turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from maumau.game.model.move import HOLD, NOTHING_DUE, make_menu
from maumau.game.model.state import NOBODY, State, Window
from maumau.game.notation.action import Action, parse


def open_hold_window(d: State, seats: list[int], opener: int) -> None:
    """Open a window in which these seats can only hold, or accuse meanwhile."""
    open_question_window(d, "window", seats, opener, ("hold",))


def open_question_window(d: State, kind: str, seats: list[int], opener: int, words: Sequence[str]) -> None:
    """Ask these seats at once; each may reply with one of the words."""
    menu = make_menu({parse(word): HOLD for word in words})
    open_window(d, Window(opener, dict.fromkeys(seats, menu)), kind)


def open_window(d: State, window: Window, kind: str = "window") -> None:
    """Open a window."""
    window.asked = d.asks
    d.window = window
    d.seat = NOBODY
    d.to_act = tuple(window.menus)
    d.asks = kind
    d.menu = NOTHING_DUE


def take_replies(d: State) -> Window | None:
    """Return the window to which all have just replied, once; None if nobody was asked."""
    window, d.window = d.window, None
    return window


def is_window_busy(d: State) -> bool:
    """Return True if a window is open in which a card can be laid: accusations wait for its end."""
    if d.asks == "react":
        return True
    return d.window is not None and d.asks == "window" and len(d.window.menus[d.to_act[0]].actions) > 1


def first_reply(d: State, window: Window) -> tuple[int, Action] | None:
    """Return the first reaction in seat order after the opener; None if nobody reacts."""
    for step in range(1, d.seats + 1):
        seat = (window.opener + step) % d.seats
        if seat in window.replies and window.replies[seat].word != "hold":
            return seat, window.replies[seat]
    return None


def accepts_reply(d: State, seat: int, action: Action) -> bool:
    """Return True if a seat may reply with this action: a listed one, or any reaction time."""
    if d.window is None or seat not in d.to_act:
        return False
    return action.bare in d.window.menus[seat].moves or (d.asks == "react" and action.word == "react")


def list_replies(d: State, seat: int) -> list[Action]:
    """Return the replies that a seat may give."""
    return d.window.menus[seat].actions.copy() if d.window and seat in d.to_act else []


def keep_reply(d: State, seat: int, action: Action) -> bool:
    """Keep a reply; return False if the window does not list it for this seat."""
    if d.window is None or not accepts_reply(d, seat, action):
        return False
    d.left -= 1
    d.window = d.window.reply(seat, action)
    d.to_act = tuple(other for other in d.to_act if other != seat)
    return True
