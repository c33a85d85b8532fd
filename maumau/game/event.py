"""Events that one seat sees more of than the others."""

from __future__ import annotations

from typing import Final

from maumau.game.action import SEATS
from maumau.game.cards import NAMES, STRIDE

NOONE: Final = -2  # not even who has the cards sees them
IN: Final = "in"  # ends the event of a card thrown in out of turn


class Secret:
    """Cards that a seat drew: it sees which, the others see how many. Put into words when somebody looks."""

    __slots__ = ("_full", "_shown", "drawn", "owner", "said", "seat")

    def __init__(self, seat: int, drawn: list[int], said: str = "", owner: int | None = None) -> None:
        self.seat = seat
        self.owner = seat if owner is None else owner  # who sees them
        self.drawn = drawn
        self.said = said  # the action, if it was one
        self._shown = self._full = ""

    @property
    def shown(self) -> str:
        """What the others see."""
        if not self._shown:
            self._shown = f"{SEATS[self.seat]} {self.said or f'+{len(self.drawn)}'}"
        return self._shown

    @property
    def full(self) -> str:
        """What the owner sees."""
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
        """What the others see: the action without its card."""
        return f"{SEATS[self.owner]} {self.said[2:]}"

    @property
    def full(self) -> str:
        """What the owner sees."""
        return f"{SEATS[self.owner]} {self.said}"


class Exchanged(Secret):
    """A whole new hand: `lost` cards went to the pile before these were drawn."""

    __slots__ = ("lost",)

    def __init__(self, drawn: Secret, lost: int) -> None:
        super().__init__(drawn.seat, drawn.drawn)
        self.lost = lost


Event = str | Secret


def make_draw_event(seat: int, bit: int, said: str) -> Secret:
    """One card drawn by an action; without another word one of a few events, made once."""
    event = Secret(seat, [bit], said)
    return DREW[seat].setdefault(bit, event) if said == "draw" else event


DREW: Final[list[dict[int, Secret]]] = [{} for _ in SEATS]
