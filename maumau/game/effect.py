"""Effects: what a card does when it has been laid. Each quotes its rule and changes the state, no more."""

from __future__ import annotations

from typing import Final

from maumau.game import queens, stock
from maumau.game.cards import JOKER
from maumau.game.move import Effect, Move
from maumau.game.power import Power
from maumau.game.state import State

RESCUED: Final = 3  # only the first three cards drawn may be laid at once


def owe(d: State, _seat: int, move: Move) -> None:
    """If a 7 is played, the next player has to draw two cards; answers add up."""
    d.owed += move.power.owe * move.count if move.power.each else move.power.owe
    if d.table.rescue:  # from what sevens cost, not from what the king of leaves has added
        d.rescued = 0 if d.table.rescue >> move.code & 1 else RESCUED
    if d.table.keeps_chain:
        d.chain |= d.topmost
    d.answers = move.power.answer
    d.after_take = move.power.after


def skip(d: State, _seat: int, move: Move) -> None:
    """Any 8 forces the next player to miss their turn; an answer hands it on, or adds to it."""
    power = move.power
    count = move.count if power.each else 1
    if power.skip == "faraon":  # each ace costs one turn, and who answers averts his own
        d.skips = max(d.skips - 1, 0) + count
    else:
        d.skips = d.skips + count if power.skip == "accumulate" else 1
    d.answers = 0 if power.skip == "none" else power.answer


def late(d: State, _seat: int, _move: Move) -> None:
    """The direction changes when the player who has laid the card has ended his turn."""
    d.turning = not d.turning


def cancel(d: State, _seat: int, _move: Move) -> None:
    """The Unter of Leaves cancels out the obligation to draw cards due to sevens."""
    d.owed = d.chain = 0
    d.skips = 0


def reverse(d: State, _seat: int, _move: Move) -> None:
    """Playing a Ten causes a reversal in the direction of play."""
    turn_round(d)


def turn_round(d: State) -> None:
    """The direction changes."""
    d.direction = -d.direction
    d.after = d.table.ring(d.direction, d.active)


def target(d: State, _seat: int, move: Move) -> None:
    """When a player plays a Two, they can choose another player and make them draw a card."""
    if move.target >= 0:
        stock.take(d, move.target, move.power.target)


def others(d: State, seat: int, move: Move) -> None:
    """All other players take a card, in seat order from the player; who is out for good does not."""
    for step in range(1, d.seats):
        other = (seat + step * d.direction) % d.seats
        if d.active >> other & 1:
            stock.take(d, other, move.power.others)


def narrow(d: State, _seat: int, move: Move) -> None:
    """A wish must name another suit than the card's own and the one in force."""
    suit = move.wish if move.wish >= 0 else 4 if move.code == JOKER else move.code % 4
    d.menus = d.table.strict[suit]


def effects(power: Power) -> tuple[Effect, ...]:
    """The effects of a card in the order in which they are carried out."""
    return tuple(effect for name, effect in ORDER if getattr(power, name))


ORDER: Final[tuple[tuple[str, Effect], ...]] = (
    ("reverse", reverse),
    ("cancel", cancel),
    ("owe", owe),
    ("skip", skip),
    ("others", others),
    ("target", target),
    ("round", queens.lead),
    ("late", late),
)
