"""Effects: each changes the state as its card demands, no more, and quotes its rule."""

from __future__ import annotations

from typing import Final

from maumau.game.features import queens
from maumau.game.model.move import Effect, Move
from maumau.game.model.state import State, edit_features
from maumau.game.notation.cards import JOKER
from maumau.game.ruleset.power import RESTRICT
from maumau.game.table import stock

RESCUED: Final = 3  # only the first three cards drawn may be laid at once


def add_owed_cards(d: State, _seat: int, move: Move) -> None:
    """If a 7 is played, the next player has to draw two cards; answers add up."""
    count = move.count if move.power.each else 1
    if move.power.doubles:
        owed = d.owed * 2**count if d.owed else move.power.owe * 2 ** (count - 1)
        d.owed = min(owed, d.made.full.bit_count())  # more cards there are not
    else:
        d.owed += move.power.owe * count
    if d.compiled.rescue:  # from what sevens cost, not from what the king of leaves has added
        rescued = 0 if d.compiled.rescue >> move.code & 1 else RESCUED
        if d.features.rescued != rescued:
            edit_features(d).rescued = rescued
    if d.compiled.drawing.keeps_chain:
        d.chain |= d.topmost
    d.answers = move.power.answer
    d.after_take = move.power.after


def add_missed_turns(d: State, _seat: int, move: Move) -> None:
    """Any 8 forces the next player to miss their turn; an answer hands it on, or adds to it."""
    power = move.power
    count = move.count if power.each else 1
    if power.skip == "faraon":  # each ace costs one turn, and an answer averts one's own
        d.skips = max(d.skips - 1, 0) + count
    else:
        d.skips = d.skips + count if power.skip == "accumulate" else 1
    d.answers = 0 if power.skip == "none" else power.answer


def reverse_after_turn(d: State, _seat: int, _move: Move) -> None:
    """Reverse the direction once the player who laid the card has ended their turn."""
    features = edit_features(d)
    features.turning = not features.turning


def cancel_owed(d: State, _seat: int, _move: Move) -> None:
    """Cancel the cards owed for sevens, as the Unter of Leaves does."""
    d.owed = d.chain = 0
    d.skips = 0


def reverse_direction(d: State, _seat: int, _move: Move) -> None:
    """Reverse the direction of play, as a Ten does."""
    flip_direction(d)


def flip_direction(d: State) -> None:
    """Reverse the direction now."""
    d.direction = -d.direction
    d.after = d.compiled.ring(d.direction, d.active)


def make_target_draw(d: State, _seat: int, move: Move) -> None:
    """Make the chosen player draw, as a Two does."""
    if move.target >= 0:
        stock.take_cards(d, move.target, move.power.target)


def make_others_draw(d: State, seat: int, move: Move) -> None:
    """Make all other active players take cards, in order of play from this seat."""
    for step in range(1, d.seats):
        other = (seat + step * d.direction) % d.seats
        if d.active >> other & 1:
            stock.take_cards(d, other, move.power.others)


def lengthen_chain(d: State, _seat: int, move: Move) -> None:
    """Add this card of a chain of last cards to what a finisher whom the chain reaches must take."""
    if d.features.finishers:
        d.owed += move.power.chain
        d.answers, d.after_take = move.power.answer, move.power.after


def restrict_wish(d: State, _seat: int, move: Move) -> None:
    """Restrict the wish to suits other than the card's own and the one in force."""
    suit = move.wish if move.wish >= 0 else 4 if move.code == JOKER else move.code % 4
    d.menus = d.compiled.cache.menus_by_wish[suit]


EFFECTS: Final[dict[str, Effect]] = {
    "reverse": reverse_direction,
    "cancel": cancel_owed,
    "owe": add_owed_cards,
    "skip": add_missed_turns,
    "others": make_others_draw,
    "target": make_target_draw,
    "round": queens.lead_queen_round,
    "late": reverse_after_turn,
    "chain": lengthen_chain,
    RESTRICT: restrict_wish,
}
"""The effects by their names in `Move.effects`."""
