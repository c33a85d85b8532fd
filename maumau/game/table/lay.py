"""Cards laid on the pile, alone or under others, and what they count as."""

from __future__ import annotations

from maumau.game.model.move import Move
from maumau.game.model.state import State
from maumau.game.notation.action import SEATS, Action
from maumau.game.notation.cards import JOKER, STRIDE
from maumau.game.notation.event import IN
from maumau.game.ruleset.power import Power, list_effects


def throw_card(d: State, seat: int, move: Move, action: Action) -> Move:
    """Put a card thrown in out of turn on the pile, where it counts from now on; return its move there."""
    card = lowest_copy(d.hands[seat], move.code)
    if move.kind == "lay_transparent_card":
        move = resolve_transparent_card(d, move, action.wish)
    d.log.append(f"{SEATS[seat]} {action} {IN}")
    d.hands[seat] ^= card
    d.topmost = card
    d.top, d.wish, d.fits = move.code, move.wish, move.fits
    d.idle = 0
    return move


def put_lower_cards(d: State, seat: int, power: Power, action: Action) -> None:
    """Lay the cards under the top one, which has this power; those that others owe for lengthen a chain."""
    compiled, below = d.compiled, d.top
    chained = compiled.drawing.keeps_chain and power.owe
    for code in action.cards[:-1]:
        card = lowest_copy(d.hands[seat], code)
        d.hands[seat] ^= card
        below = compiled.counts_as((code,), below)
        if chained and compiled.powers[below].owe:
            d.chain |= card


def resolve_transparent_card(d: State, move: Move, wish: int) -> Move:
    """Return the move that a transparent card stands for here, with wish `wish` (-1: none)."""
    compiled = d.compiled
    through = Move("lay_card")
    through.plain = False
    through.target = move.target
    through.fits, through.wish = d.fits, d.wish
    if move.power.mirror:
        through.code, through.power = d.top, compiled.powers[d.top]
        through.effects = compiled.effects(through.power)
        through.said, through.touch = move.said, through.power.touch
        if through.power.wishes:
            through.fits, through.wish = compiled.left_open(d.top, wish), wish
        return through
    through.code, through.power, through.effects = move.code, move.power, list_effects(move.power)
    if d.top != JOKER:  # on a joker the suit stays as it was
        through.fits = compiled.serving(d.wish if d.wish >= 0 else d.top % 4)
    return through


def lowest_copy(hand: int, code: int) -> int:
    """Return the lowest copy of a card in a hand."""
    card = 1 << code
    while not hand & card:
        card <<= STRIDE
    return card
