"""Reaction windows: everyone who could react decides on the same view, at once.

A reply is kept until all have replied; then the first that is not `hold`, in seat order after the opener, is
carried out, and nobody learns of the others. While a window is open no seat is on turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from maumau.game.action import Action, parse
from maumau.game.move import NOTHING_DUE, Menu
from maumau.game.state import NOBODY, State

if TYPE_CHECKING:
    from maumau.game.move import Move

Resume = Callable[[State, "Window"], None]


class Window:
    """An open window: who was asked what, who has replied, and how the deal goes on afterwards."""

    __slots__ = (
        "action", "after", "asked", "drawn", "menus", "move", "opener", "replies", "rest", "resume", "seat",
    )  # fmt: skip

    def __init__(self, opener: int, menus: dict[int, Menu], resume: Resume) -> None:
        self.opener = opener
        self.menus = menus
        self.resume = resume
        self.seat = opener  # whose turn it interrupts
        self.move: Move | None = None
        self.action: Action | None = None
        self.asked = ""  # the decision it has interrupted, where this seat has just drawn a card
        self.drawn = 0
        self.rest: Resume = resume  # how the deal goes on if nobody reacts
        self.after: Resume = resume  # and after that
        self.replies: dict[int, Action] = {}

    def then(self, resume: Resume) -> Window:
        """The window going on otherwise when all have replied."""
        after = Window(self.opener, self.menus, resume)
        after.interrupts(self)
        after.replies = self.replies
        return after

    def reply(self, seat: int, action: Action) -> Window:
        """The window with one more reply."""
        after = Window(self.opener, self.menus, self.resume)
        after.interrupts(self)
        after.replies = {**self.replies, seat: action}
        return after

    def interrupts(self, other: Window) -> None:
        """This window stands in the same place as another."""
        self.seat, self.move, self.action = other.seat, other.move, other.action
        self.asked, self.drawn, self.rest, self.after = other.asked, other.drawn, other.rest, other.after


def open_hold_window(d: State, seats: list[int], opener: int, resume: Resume) -> Window:
    """A window in which these seats can only hold, or accuse meanwhile."""
    return open_question_window(d, "window", seats, opener, ("hold",), resume)


def open_question_window(
    d: State, kind: str, seats: list[int], opener: int, words: Sequence[str], resume: Resume
) -> Window:
    """Ask these seats at once; each may reply with one of the words."""
    menu = Menu({parse(word): d.compiled.hold for word in words})
    return open_window(d, Window(opener, dict.fromkeys(seats, menu), resume), kind)


def open_window(d: State, window: Window, kind: str = "window") -> Window:
    """Open a window."""
    d.window = window
    d.seat = NOBODY
    d.to_act = tuple(window.menus)
    d.asks = kind
    d.menu = NOTHING_DUE
    return window


def is_window_busy(d: State) -> bool:
    """Whether a window is open in which something can be laid: what others have to say waits for its end."""
    if d.asks == "react":
        return True
    return d.window is not None and d.asks == "window" and len(d.window.menus[d.to_act[0]].actions) > 1


def first_reply(d: State, window: Window) -> tuple[int, Action] | None:
    """Of all that react the first in seat order after the opener; None if nobody does."""
    for step in range(1, d.seats + 1):
        seat = (window.opener + step) % d.seats
        if seat in window.replies and window.replies[seat].word != "hold":
            return seat, window.replies[seat]
    return None


def accepts_reply(d: State, seat: int, action: Action) -> bool:
    """Whether a seat may reply so: what is listed for it, and any reaction time."""
    if d.window is None or seat not in d.to_act:
        return False
    return action.bare in d.window.menus[seat].moves or (d.asks == "react" and action.word == "react")


def list_replies(d: State, seat: int) -> list[Action]:
    """What a seat may reply."""
    return d.window.menus[seat].actions.copy() if d.window and seat in d.to_act else []


def keep_reply(d: State, seat: int, action: Action) -> bool:
    """Keep a reply; False if it is none that the window lists for this seat."""
    window = d.window
    if window is None or not accepts_reply(d, seat, action):
        return False
    d.left -= 1
    d.window = window = window.reply(seat, action)
    d.to_act = tuple(other for other in d.to_act if other != seat)
    if not d.to_act:
        d.window = None
        if d.court is not None and all(kept.word == "hold" for kept in window.replies.values()):
            d.court.closed(len(d.log))
        window.resume(d, window)
    return True
