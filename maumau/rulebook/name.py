"""Names of cards, numbers and lists in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from maumau.game.notation.cards import JOKER, NAMES, RANKS, SUITS, list_codes, rank_mask

RANK: Final = dict(
    zip(
        RANKS,
        (
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "jack",
            "queen",
            "king",
            "ace",
        ),
        strict=True,
    )
)
SUIT: Final = dict(zip(SUITS, ("clubs", "spades", "hearts", "diamonds"), strict=True))
NUMBER: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINAL: Final = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
ANY: Final = "any"
NONE: Final = "none"  # the value of an option that means no card


def say_nothing(_clause: object) -> str:
    """Return no words for a field that is described together with another one."""
    return ""


def list_words(words: Sequence[str], last: str = "and") -> str:
    """Return a list as it is spoken: a, b and c."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def count_things(number: int, thing: str = "card", things: str = "") -> str:
    """Return a number of things: one card, two cards, 12 cards."""
    word = NUMBER[number] if 0 <= number < len(NUMBER) else number
    return f"{word} {thing if number == 1 else things or thing + 's'}"


def name_one_card(selector: str) -> str:
    """Return one of a selector's cards: a seven, the king of spades."""
    if selector == ANY:
        return "any card"
    if len(selector) == 1:
        name = RANK[selector]
        return f"an {name}" if name[0] in "ae" else f"a {name}"
    return "a joker" if selector == "XX" else f"the {RANK[selector[0]]} of {SUIT[selector[1]]}"


def name_any_card(selectors: Iterable[str], last: str = "or") -> str:
    """Return one of some cards: a seven or the king of spades."""
    return list_words([name_one_card(selector) for selector in selectors if selector != NONE], last)


def name_cards(selector: str) -> str:
    """Return a selector's cards as a heading: Sevens, King of spades."""
    if selector == ANY:
        return "any card"
    if len(selector) == 1:
        return "sixes" if selector == "6" else RANK[selector] + "s"
    return "jokers" if selector == "XX" else name_one_card(selector)


def name_kinds(kinds: int, pack: int) -> str:
    """Return the name of a set of kinds of card: whole ranks, suits of a rank, single cards."""
    words: list[str] = []
    for rank in range(JOKER // 4 + 1):
        held, there = kinds & rank_mask(rank), pack & rank_mask(rank)
        if held and held == there:
            words.append(
                name_cards("XX" if rank == JOKER // 4 else RANKS[rank])
                if held & held - 1 or rank == 13
                else name_one_card(NAMES[list_codes(held)[0]])
            )
        elif held & held - 1:
            suits = [SUIT[NAMES[code][1]] for code in list_codes(held)]
            words.append(f"the {name_cards(RANKS[rank])} of {list_words(suits)}")
        elif held:
            words.append(name_one_card(NAMES[list_codes(held)[0]]))
    return list_words(words)
