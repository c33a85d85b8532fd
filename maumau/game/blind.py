"""Face-down play: what may be claimed, and the action list of it.

Every card in hand can be laid; what the rules bind is the claim. A list combines every card with every claim.
One of more than 1,000 has each claim with the lowest card, and each other card with its true claim or else
with the first one; any other may still be sent.
"""

from __future__ import annotations

from typing import Final

from maumau.game.action import Action, parse
from maumau.game.cards import NAMES, list_codes, merge_copies
from maumau.game.compiled import TAILS
from maumau.game.menu import KEPT, list_forms
from maumau.game.move import Menu, Move, join_menus
from maumau.game.state import State

MAX_ACTIONS: Final = 1000


class Claim:
    """A card laid face down that nobody has believed or doubted yet. It never changes, so copies share it."""

    __slots__ = ("action", "asks", "card", "menu", "move", "seat")

    def __init__(self, d: State, seat: int, card: int, action: Action) -> None:
        self.seat = seat
        self.card = card  # the card that was really laid, a set of one
        self.action = action
        self.move = d.compiled.move(parse(get_claim_text(action)))  # what it does if it counts
        self.asks = d.asks  # the decision that the claim was made in
        self.menu = d.menu


def get_claim_text(action: Action) -> str:
    """What is spoken with a card laid face down: the card claimed, with its wish."""
    return action.plain.text[3:]


def find_claimable_cards(d: State, seat: int, hand: int) -> int:
    """The kinds of card that a seat with this hand may claim now."""
    compiled = d.compiled
    if compiled.blind is None or not hand:
        return 0
    kinds = (
        compiled.anything
        if not compiled.blind.legal
        else merge_copies(d.answers if d.asks == "answer" else d.fits)
    )
    if hand & hand - 1:
        return kinds
    return 0 if compiled.locks and d.said[seat] != hand else kinds & ~compiled.barred


def list_face_down_actions(d: State, hand: int, tail: int) -> Menu:
    """The list of a decision in which cards are laid face down: every card with every claim."""
    kinds = find_claimable_cards(d, d.seat, hand)
    held = list_codes(merge_copies(hand))
    spoken = _list_claim_texts(d, kinds, bare=tail >= TAILS)
    short = len(held) * len(spoken) > MAX_ACTIONS
    parts = []
    for code in held:
        if short and code != held[0]:
            true = [text for text in spoken if text.startswith(NAMES[code])]
            parts.append(_make_claim_menu(d, code, true or spoken[:1]))
        else:
            parts.append(_list_claims_for_card(d, code, kinds, spoken, bare=tail >= TAILS))
    return join_menus([*parts, d.compiled.words(tail, kinds)], short=short)


def _list_claim_texts(d: State, kinds: int, *, bare: bool) -> list[str]:
    """The claims in words, each with every wish or target it may have."""
    return [text for code in list_codes(kinds) for text in ([NAMES[code]] if bare else list_forms(d, code))]


def _list_claims_for_card(d: State, code: int, kinds: int, spoken: list[str], *, bare: bool) -> Menu:
    """One card with every claim; where the claims do not hang on anything else they are kept."""
    compiled = d.compiled
    key = kinds << 7 | code << 1 | bare
    found = compiled.covered.get(key)
    if found is None:
        found = _make_claim_menu(d, code, spoken)
        if compiled.wish_any and not kinds & (compiled.targets | compiled.mirrors):
            if len(compiled.covered) >= KEPT:
                compiled.covered.clear()
            compiled.covered[key] = found
    return found


def _make_claim_menu(d: State, code: int, spoken: list[str]) -> Menu:
    return Menu({parse(f"{NAMES[code]}~{text}"): d.compiled.veil for text in spoken})


def find_unlisted_claim(d: State, action: Action) -> Move | None:
    """The move of a claim that is not listed, where the list was too long to have it."""
    hand = d.hands[d.seat]
    if not d.menu.short or len(action.cards) != 1 or not merge_copies(hand) >> action.cards[0] & 1:
        return None
    spoken = _list_claim_texts(
        d, find_claimable_cards(d, d.seat, hand), bare=False
    )  # with one card left no list is that long
    return d.compiled.veil if get_claim_text(action) in spoken else None
