"""What cards, numbers and lists are called in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from maumau.game.cards import JOKER, NAMES, RANKS, SUITS, list_codes, rank_mask

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
ANY: Final = "any"
NONE: Final = "none"  # what an option says that means no card


def elsewhere(_clause: object) -> str:
    """The words of a field that is told together with another one."""
    return ""


def listed(words: Sequence[str], last: str = "and") -> str:
    """A list as it is spoken: a, b and c."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def count(number: int, thing: str = "card", things: str = "") -> str:
    """So many things: one card, two cards, 12 cards."""
    word = NUMBER[number] if 0 <= number < len(NUMBER) else number
    return f"{word} {thing if number == 1 else things or thing + 's'}"


def single(selector: str) -> str:
    """One card of those that a word of a variant file means: a seven, the king of spades."""
    if selector == ANY:
        return "any card"
    if len(selector) == 1:
        name = RANK[selector]
        return f"an {name}" if name[0] in "ae" else f"a {name}"
    return "a joker" if selector == "XX" else f"the {RANK[selector[0]]} of {SUIT[selector[1]]}"


def several(selectors: Iterable[str], last: str = "or") -> str:
    """One of some cards: a seven or the king of spades."""
    return listed([single(selector) for selector in selectors if selector != NONE], last)


def plural(selector: str) -> str:
    """The cards that a word of a variant file means, as a heading: Sevens, King of spades."""
    if selector == ANY:
        return "any card"
    if len(selector) == 1:
        return "sixes" if selector == "6" else RANK[selector] + "s"
    return "jokers" if selector == "XX" else single(selector)


def group(kinds: int, pack: int) -> str:
    """A set of kinds of card as it is called: whole ranks, suits of a rank, single cards."""
    words: list[str] = []
    for rank in range(JOKER // 4 + 1):
        held, there = kinds & rank_mask(rank), pack & rank_mask(rank)
        if held and held == there:
            words.append(plural("XX" if rank == JOKER // 4 else RANKS[rank]) if held & held - 1 or rank == 13
                         else single(NAMES[list_codes(held)[0]]))  # fmt: skip
        elif held & held - 1:
            suits = [SUIT[NAMES[code][1]] for code in list_codes(held)]
            words.append(f"the {plural(RANKS[rank])} of {listed(suits)}")
        elif held:
            words.append(single(NAMES[list_codes(held)[0]]))
    return listed(words)
