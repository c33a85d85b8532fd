"""Events that one seat sees more of than the others."""

from __future__ import annotations

from typing import Final

from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, STRIDE

NOONE: Final = -2  # nobody sees the cards, not even their owner
IN: Final = "in"  # ends the event of a card thrown in out of turn


class Secret:
    """Cards drawn by a seat: it sees which, the others see how many. Formatted on demand."""

    __slots__ = ("_full", "_shown", "drawn", "owner", "said", "seat")

    def __init__(self, seat: int, drawn: list[int], said: str = "", owner: int | None = None) -> None:
        self.seat = seat
        self.owner = seat if owner is None else owner  # the seat that sees the cards
        self.drawn = drawn
        self.said = said  # the action, if it was one
        self._shown = self._full = ""

    @property
    def shown(self) -> str:
        """The event as the others see it."""
        if not self._shown:
            self._shown = f"{SEATS[self.seat]} {self.said or f'+{len(self.drawn)}'}"
        return self._shown

    @property
    def full(self) -> str:
        """The event as the owner sees it."""
        if not self._full:
            cards = " ".join([NAMES[(bit.bit_length() - 1) % STRIDE] for bit in self.drawn])
            self._full = f"{self.shown} {cards}"
        return self._full


class Covered(Secret):
    """A card laid face down: its player knows which, the others hear the claim."""

    __slots__ = ()

    def __init__(self, owner: int, said: str) -> None:
        super().__init__(owner, [], said)

    @property
    def shown(self) -> str:
        """The event as the others see it: the action without its card."""
        return f"{SEATS[self.owner]} {self.said[2:]}"

    @property
    def full(self) -> str:
        """The event as the owner sees it."""
        return f"{SEATS[self.owner]} {self.said}"


class Exchanged(Secret):
    """A whole new hand: `lost` cards went to the pile before these were drawn."""

    __slots__ = ("lost",)

    def __init__(self, drawn: Secret, lost: int) -> None:
        super().__init__(drawn.seat, drawn.drawn)
        self.lost = lost


Event = str | Secret


def make_draw_event(seat: int, bit: int, said: str) -> Secret:
    """Return the event of one card drawn; the plain `draw` events are made once and shared."""
    event = Secret(seat, [bit], said)
    return DREW[seat].setdefault(bit, event) if said == "draw" else event


DREW: Final[list[dict[int, Secret]]] = [{} for _ in SEATS]
