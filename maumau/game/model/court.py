"""The court of a deal in which the players watch over the rules: penalty cards, violations, charges.

A *Zug* is an ordinary turn: it begins when the seat may play and ends when the right to play passes on. A
skipped seat has no Zug, and a king thrown in out of turn is not one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maumau.game.model.move import Menu
    from maumau.game.model.state import State, Window

Lying = tuple[int, int]  # a penalty card: the Zug in which it was received, and the card


class Violation:
    """A violation of the rules by a seat, and for how many Züge of others it can still be accused.

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
        """Return a copy aged by one Zug."""
        twin = Violation(self.seat, self.kind, self.turns - 1, self.zug)
        twin.card, twin.before = self.card, self.before
        return twin


class Charge:
    """A justified accusation that waits for the answer of the accused."""

    __slots__ = ("by", "violation")

    def __init__(self, by: int, violation: Violation) -> None:
        self.by = by
        self.violation = violation


class Paused:
    """The state to restore after the court's decision: a closed window's turn, or the decision then due."""

    __slots__ = ("asks", "menu", "seat", "to_act", "window")

    def __init__(self, d: State, window: Window | None) -> None:
        self.window = window
        self.seat = d.seat
        self.to_act = d.to_act
        self.asks = d.asks
        self.menu: Menu = d.menu


class Court:
    """The court's part of a deal's state. Sets of seats are bit sets, lists are by seat."""

    __slots__ = (
        "charges",
        "counted",
        "guilt",
        "held",
        "lying",
        "marked",
        "owner",
        "paused",
        "quiet",
        "ripe",
        "settled",
        "side",
        "silent",
        "suspects",
        "zug",
    )

    def clear(self, seats: int) -> Court:
        """Reset to the start of a deal. A new court has no fields, so that a copy need not reset them."""
        self.zug = 0  # the number of the Zug that is going on; 0: the cards are being dealt
        self.side: list[tuple[Lying, ...]] = [()] * seats  # penalty cards in front of each seat
        self.ripe = [0] * seats  # those that ripened into playing cards, until they are picked up
        self.lying = 0  # all of these
        self.silent: dict[int, int] = {}  # seats with one valid card that have not called: since which Zug
        self.settled = 0  # seats that have called, or may not call any more
        self.marked = 0  # seats left with one valid card or none in this Zug
        self.suspects = 0  # and in the Züge before, since the others were last asked
        self.guilt: tuple[Violation, ...] = ()
        self.charges: tuple[Charge, ...] = ()
        self.paused: Paused | None = None
        self.quiet = (0, 0)  # at which event windows closed with nothing to tell, and how many
        # the number of such windows by the event that follows: records have them, views do not
        self.held: dict[int, int] = {}
        self.owner = -1  # owner of the current Zug after a thrown-in king moved the turn
        self.counted = 0  # the Zug in which the seat on turn has been counted out
        return self

    def copy(self) -> Court:
        """Return an independent copy."""
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
        twin.quiet = self.quiet
        twin.held = self.held
        twin.owner = self.owner
        twin.counted = self.counted
        return twin

    def closed(self, event: int) -> None:
        """Count a window that closed silently; `event` is the number of events so far."""
        at, count = self.quiet
        self.quiet = (event, count + 1 if at == event else 1)

    def note_closed_windows(self, event: int) -> None:
        """Note the windows that closed silently just before this event, so that a record is exact."""
        at, count = self.quiet
        if at == event and count:
            self.held = {**self.held, at: count}
