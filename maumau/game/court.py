"""The court of a deal in which the players watch over the rules: penalty cards, violations, charges.

A *Zug* is an ordinary turn: it begins when the seat may play and ends when the right to play passes on. Who
is skipped has none, and a king thrown in out of turn is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maumau.game.event import Event
    from maumau.game.move import Menu
    from maumau.game.state import State
    from maumau.game.window import Window

Resume = Callable[["State", "Window"], None]
Lying = tuple[int, int]  # a penalty card: the Zug in which it was received, and the card


class Violation:
    """What a seat has done against the rules, and how many Züge of others it can still be accused for.

    For a card laid against the rules `before` is the deal as it was.
    """

    __slots__ = ("before", "card", "kind", "seat", "turns", "zug")

    def __init__(self, seat: int, kind: str, turns: int, zug: int) -> None:
        self.seat = seat
        self.kind = kind
        self.turns = turns
        self.zug = zug  # in which it was committed
        self.card = 0
        self.before: State | None = None

    def older(self) -> Violation:
        """The same when another Zug is over."""
        twin = Violation(self.seat, self.kind, self.turns - 1, self.zug)
        twin.card, twin.before = self.card, self.before
        return twin


class Charge:
    """An accusation that is right, waiting for what the accused says to it."""

    __slots__ = ("by", "violation")

    def __init__(self, by: int, violation: Violation) -> None:
        self.by = by
        self.violation = violation


class Paused:
    """What goes on when the court has decided: a window that has closed, or the decision that was due."""

    __slots__ = ("asks", "menu", "resume", "seat", "to_act", "window")

    def __init__(self, d: State, window: Window | None, resume: Resume | None) -> None:
        self.window = window
        self.resume = resume
        self.seat = d.seat
        self.to_act = d.to_act
        self.asks = d.asks
        self.menu: Menu = d.menu


class Court:
    """What a deal keeps for its players to watch over. Sets of seats are bit sets, lists are by seat."""

    __slots__ = (
        "charges", "counted", "guilt", "lying", "marked", "owner", "paused", "quiet", "resume", "ripe",
        "settled", "side", "silent", "suspects", "zug",
    )  # fmt: skip

    def clear(self, seats: int) -> Court:
        """Nothing has happened yet. A court is made empty, so that a copy need not be cleared first."""
        self.zug = 0  # the number of the Zug that is going on; 0: the cards are being dealt
        self.side: list[tuple[Lying, ...]] = [()] * seats  # penalty cards in front of each seat
        self.ripe = [0] * seats  # those that have become cards to play with, until they are picked up
        self.lying = 0  # all of these
        self.silent: dict[int, int] = {}  # who has one valid card and has not said so: since which Zug
        self.settled = 0  # who has said so, or may not say it any more
        self.marked = 0  # who has been left with one valid card or none in this Zug
        self.suspects = 0  # and in the Züge before, since the others were last asked
        self.guilt: tuple[Violation, ...] = ()
        self.charges: tuple[Charge, ...] = ()
        self.paused: Paused | None = None
        self.resume: Resume | None = None  # what the open window is for, where charges wait for its end
        self.quiet = (0, 0)  # at which event windows closed with nothing to tell, and how many
        self.owner = -1  # whose Zug goes on, where the turn passes on from who has thrown in a king
        self.counted = 0  # the Zug in which the seat on turn has been counted out
        return self

    def copy(self) -> Court:
        """The same once more; neither hears of the other."""
        twin = Court()
        twin.zug = self.zug
        twin.side = self.side[:]
        twin.ripe = self.ripe[:]
        twin.lying = self.lying
        twin.silent = self.silent.copy() if self.silent else {}
        twin.settled = self.settled
        twin.marked = self.marked
        twin.suspects = self.suspects
        twin.guilt = self.guilt
        twin.charges = self.charges
        twin.paused = self.paused
        twin.resume = self.resume
        twin.quiet = self.quiet
        twin.owner = self.owner
        twin.counted = self.counted
        return twin

    def closed(self, event: int) -> None:
        """A window has closed with nothing to tell; `event` is the number of events so far."""
        at, count = self.quiet
        self.quiet = (event, count + 1 if at == event else 1)

    def tell(self, log: list[Event]) -> None:
        """Say of windows that have closed in silence that they have closed, so that a record is exact."""
        at, count = self.quiet
        if at == len(log):
            log += ["held"] * count
