"""Cards: what they are called, their canonical order, and how a set of them is one number.

A card's *code* is its place in the canonical order: rank, then suit (C S H D), the joker last (52).
A set of cards is a bit set: bit `code + 64 * copy`. With several packs the copies of a card differ in
`copy` alone; they are interchangeable, and the lowest copy is laid first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from maumau.errors import UnreadableCard

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CSHD"
JOKER: Final = 52
STRIDE: Final = 64
FACES: Final = (1 << STRIDE) - 1
NAMES: Final[tuple[str, ...]] = (*(rank + suit for rank in RANKS for suit in SUITS), "XX")
CARD_PATTERN: Final = rf"(?:[{RANKS}][{SUITS}]|XX)"
CODES: Final[dict[str, int]] = {name: code for code, name in enumerate(NAMES)}


def code_of(name: str) -> int:
    """Return the code of one card's name; raise UnreadableCard if it is not one."""
    try:
        return CODES[name]
    except KeyError:
        raise UnreadableCard(
            f"{name!r} is not a card: a rank of {RANKS}, then a suit of {SUITS}, or XX"
        ) from None


def codes_of(names: str) -> list[int]:
    """Return the codes of names separated by spaces, in the order written."""
    return [code_of(name) for name in names.split()]


def suit_mask(suit: int) -> int:
    """Return all cards of a suit, one copy."""
    return sum(1 << code for code in range(suit, JOKER, 4))


def rank_mask(rank: int) -> int:
    """Return all cards of a rank (0 is the two, 13 the joker), one copy."""
    return 1 << JOKER if rank == JOKER // 4 else 0b1111 << 4 * rank


def mask_of(selector: str) -> int:
    """Return the cards of a variant file's selector: a rank (7), a card (KS), a joker (XX), any or none."""
    if selector == "none":
        return 0
    if selector == "any":
        return (1 << JOKER + 1) - 1
    if len(selector) == 1 and selector in RANKS:
        return rank_mask(RANKS.index(selector))
    return 1 << code_of(selector)


def merge_copies(cards: int) -> int:
    """Return the kinds of card in a set: all copies merged into copy 0."""
    kinds = cards & FACES
    while cards := cards >> STRIDE:
        kinds |= cards & FACES
    return kinds


def spread_copies(kinds: int, packs: int) -> int:
    """Return every copy of these kinds."""
    return sum(kinds << STRIDE * copy for copy in range(packs))


def split_cards(cards: int) -> Iterator[int]:
    """Yield the single cards of a set, each as a set of one, in the order of their bits."""
    while cards:
        low = cards & -cards
        yield low
        cards ^= low


def is_single_card(hand: int) -> bool:
    """Return True if a hand is exactly one card."""
    return hand != 0 and not hand & hand - 1


def list_codes(cards: int) -> list[int]:
    """Return the codes in a set, in canonical order, a code once for each copy."""
    found = []
    left = cards
    while left:
        low = left & -left
        found.append((low.bit_length() - 1) % STRIDE)
        left ^= low
    if cards > FACES:
        found.sort()
    return found


def list_names(cards: int) -> list[str]:
    """Return the names in a set, in canonical order."""
    return [NAMES[code] for code in list_codes(cards)]


def build_pack(kinds: int, packs: int) -> list[int]:
    """Return every card of `packs` packs as a set of one, in canonical order, copies next to each other."""
    return [bit << STRIDE * copy for bit in split_cards(kinds) for copy in range(packs)]


def number_copies(deck: Iterable[int]) -> list[int]:
    """Codes in the order given as single cards: the first of a kind is its copy 0, and so on."""
    seen: dict[int, int] = {}
    cards = []
    for code in deck:
        copy = seen.get(code, 0)
        seen[code] = copy + 1
        cards.append(1 << code + STRIDE * copy)
    return cards
