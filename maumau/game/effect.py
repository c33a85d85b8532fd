"""Effects: what a card does when it has been laid. Each quotes its rule and changes the state, no more."""

from __future__ import annotations

from typing import Final

from maumau.game import queens, stock
from maumau.game.cards import JOKER
from maumau.game.move import Effect, Move
from maumau.game.power import Power
from maumau.game.state import State

RESCUED: Final = 3  # only the first three cards drawn may be laid at once


def add_owed_cards(d: State, _seat: int, move: Move) -> None:
    """If a 7 is played, the next player has to draw two cards; answers add up."""
    d.owed += move.power.owe * move.count if move.power.each else move.power.owe
    if d.compiled.rescue:  # from what sevens cost, not from what the king of leaves has added
        d.rescued = 0 if d.compiled.rescue >> move.code & 1 else RESCUED
    if d.compiled.keeps_chain:
        d.chain |= d.topmost
    d.answers = move.power.answer
    d.after_take = move.power.after


def add_missed_turns(d: State, _seat: int, move: Move) -> None:
    """Any 8 forces the next player to miss their turn; an answer hands it on, or adds to it."""
    power = move.power
    count = move.count if power.each else 1
    if power.skip == "faraon":  # each ace costs one turn, and who answers averts his own
        d.skips = max(d.skips - 1, 0) + count
    else:
        d.skips = d.skips + count if power.skip == "accumulate" else 1
    d.answers = 0 if power.skip == "none" else power.answer


def reverse_after_turn(d: State, _seat: int, _move: Move) -> None:
    """The direction changes when the player who has laid the card has ended his turn."""
    d.turning = not d.turning


def cancel_owed(d: State, _seat: int, _move: Move) -> None:
    """The Unter of Leaves cancels out the obligation to draw cards due to sevens."""
    d.owed = d.chain = 0
    d.skips = 0


def reverse_direction(d: State, _seat: int, _move: Move) -> None:
    """Playing a Ten causes a reversal in the direction of play."""
    flip_direction(d)


def flip_direction(d: State) -> None:
    """The direction changes."""
    d.direction = -d.direction
    d.after = d.compiled.ring(d.direction, d.active)


def make_target_draw(d: State, _seat: int, move: Move) -> None:
    """When a player plays a Two, they can choose another player and make them draw a card."""
    if move.target >= 0:
        stock.take_cards(d, move.target, move.power.target)


def make_others_draw(d: State, seat: int, move: Move) -> None:
    """All other players take a card, in seat order from the player; who is out for good does not."""
    for step in range(1, d.seats):
        other = (seat + step * d.direction) % d.seats
        if d.active >> other & 1:
            stock.take_cards(d, other, move.power.others)


def restrict_wish(d: State, _seat: int, move: Move) -> None:
    """A wish must name another suit than the card's own and the one in force."""
    suit = move.wish if move.wish >= 0 else 4 if move.code == JOKER else move.code % 4
    d.menus = d.compiled.menus_by_wish[suit]


def list_effects(power: Power) -> tuple[Effect, ...]:
    """The effects of a card in the order in which they are carried out."""
    return tuple(effect for name, effect in ORDER if getattr(power, name))


ORDER: Final[tuple[tuple[str, Effect], ...]] = (
    ("reverse", reverse_direction),
    ("cancel", cancel_owed),
    ("owe", add_owed_cards),
    ("skip", add_missed_turns),
    ("others", make_others_draw),
    ("target", make_target_draw),
    ("round", queens.lead_queen_round),
    ("late", reverse_after_turn),
)
