"""Face-down play: what may be claimed, and the action list of it.

Every card in hand can be laid; what the rules bind is the claim. A list combines every card with every claim.
One of more than 1,000 has each claim with the lowest card, and each other card with its true claim or else
with the first one; any other may still be sent.
"""

from __future__ import annotations

from typing import Final

from maumau.game.action import Action, parse
from maumau.game.cards import NAMES, codes, fold
from maumau.game.menu import KEPT, forms
from maumau.game.move import Menu, Move, joined
from maumau.game.state import State
from maumau.game.table import TAILS

MAX_ACTIONS: Final = 1000


class Claim:
    """A card laid face down that nobody has believed or doubted yet. It never changes, so copies share it."""

    __slots__ = ("action", "asks", "card", "menu", "move", "seat")

    def __init__(self, d: State, seat: int, card: int, action: Action) -> None:
        self.seat = seat
        self.card = card  # the card that was really laid, a set of one
        self.action = action
        self.move = d.table.move(parse(said(action)))  # what it does if it counts
        self.asks = d.asks  # the decision that the claim was made in
        self.menu = d.menu


def said(action: Action) -> str:
    """What is spoken with a card laid face down: the card claimed, with its wish."""
    return action.plain.text[3:]


def claims(d: State, seat: int, hand: int) -> int:
    """The kinds of card that a seat with this hand may claim now."""
    table = d.table
    if table.blind is None or not hand:
        return 0
    kinds = table.anything if not table.blind.legal else fold(d.answers if d.asks == "answer" else d.fits)
    if hand & hand - 1:
        return kinds
    return 0 if table.locks and d.said[seat] != hand else kinds & ~table.barred


def face_down(d: State, hand: int, tail: int) -> Menu:
    """The list of a decision in which cards are laid face down: every card with every claim."""
    kinds = claims(d, d.seat, hand)
    held = codes(fold(hand))
    spoken = _spoken(d, kinds, bare=tail >= TAILS)
    short = len(held) * len(spoken) > MAX_ACTIONS
    parts = []
    for code in held:
        if short and code != held[0]:
            true = [text for text in spoken if text.startswith(NAMES[code])]
            parts.append(_covered(d, code, true or spoken[:1]))
        else:
            parts.append(_every(d, code, kinds, spoken, bare=tail >= TAILS))
    return joined([*parts, d.table.words(tail, kinds)], short=short)


def _spoken(d: State, kinds: int, *, bare: bool) -> list[str]:
    """The claims in words, each with every wish or target it may have."""
    return [text for code in codes(kinds) for text in ([NAMES[code]] if bare else forms(d, code))]


def _every(d: State, code: int, kinds: int, spoken: list[str], *, bare: bool) -> Menu:
    """One card with every claim; where the claims do not hang on anything else they are kept."""
    table = d.table
    key = kinds << 7 | code << 1 | bare
    found = table.covered.get(key)
    if found is None:
        found = _covered(d, code, spoken)
        if table.wish_any and not kinds & (table.targets | table.mirrors):
            if len(table.covered) >= KEPT:
                table.covered.clear()
            table.covered[key] = found
    return found


def _covered(d: State, code: int, spoken: list[str]) -> Menu:
    return Menu({parse(f"{NAMES[code]}~{text}"): d.table.veil for text in spoken})


def admitted(d: State, action: Action) -> Move | None:
    """The move of a claim that is not listed, where the list was too long to have it."""
    hand = d.hands[d.seat]
    if not d.menu.short or len(action.cards) != 1 or not fold(hand) >> action.cards[0] & 1:
        return None
    spoken = _spoken(d, claims(d, d.seat, hand), bare=False)  # with one card left no list is that long
    return d.table.veil if said(action) in spoken else None
