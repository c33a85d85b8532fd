"""Drinks of the kings' feast: a statistic, read from the events, without effect on the deal.

"Beendet ein Spieler eine ordentliche Königsreihe so muss er seinen Alkoholdurst stillen: n = 2^(k-1)", with
k the kings of the row. A row ends with another card on top, or with the deal.
"""

from __future__ import annotations

from maumau.game.model.state import NOBODY, State
from maumau.game.notation.action import SEATS, parse
from maumau.game.notation.cards import RANKS, code_of


def count_sips(d: State) -> list[int]:
    """Return the number of sips of each seat."""
    drunk = [0] * d.seats
    row, last, top = 0, NOBODY, -1
    for event in d.log:
        if not isinstance(event, str):
            continue
        who, laid = _read_laid_cards(d, event)
        if not laid:
            continue
        top = d.compiled.counts_as(laid, top)
        if d.compiled.powers[top].joined and who != NOBODY:
            if len(laid) > 1:  # a card that is not a king lies between these and the one on top
                _add_sips(d, drunk, row, last)
                row = 0
            row, last = row + 1, who
        else:
            _add_sips(d, drunk, row, last)
            row = 0
    if d.over:
        _add_sips(d, drunk, row, last)
    return drunk


def _add_sips(d: State, drunk: list[int], row: int, seat: int) -> None:
    if row >= d.compiled.kings.row:
        drunk[seat] += 2 ** (row - 1)


def _read_laid_cards(d: State, event: str) -> tuple[int, tuple[int, ...]]:
    """Return the seat and the cards that it laid in this event; an up card that acts is the dealer's."""
    who, _, said = event.partition(" ")
    if who == "up":
        return _find_dealer(d) if d.compiled.dealing.start.startswith("as_dealer") else NOBODY, (
            code_of(said),
        )
    if len(who) != 1 or said[:1] not in f"{RANKS}X":
        return NOBODY, ()
    return SEATS.index(who), parse(said.split(" ")[0]).cards


def _find_dealer(d: State) -> int:
    """Return the last seat that was dealt cards, in the initial direction from the first one."""
    dealt = sum(1 << seat for seat, hand in enumerate(d.made.dealt) if hand)
    return d.compiled.ring(-d.compiled.order.direction, dealt)[d.made.first]
