"""The top of the pile as far as events show it, for watchers who have nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from maumau.game.notation.cards import CARD_PATTERN

_UP: Final = re.compile(rf"up ({CARD_PATTERN})")
_LAID: Final = re.compile(
    rf"[A-J] (?:rescue:)?(?:{CARD_PATTERN}\+)*({CARD_PATTERN})(?:~{CARD_PATTERN})?"
    r"(?:>([CSHD]))?(?![A-Za-z0-9])"
)
_CLAIMED: Final = re.compile(rf"[A-J] ~({CARD_PATTERN})(?:>([CSHD]))?")
_WISHED: Final = re.compile(r"[A-J] wish:([CSHD])")
_BELIEVED: Final = re.compile(r"[A-J] accept")
_SHOWN: Final = re.compile(rf"[A-J] shows ({CARD_PATTERN})")
_BACK: Final = re.compile(rf"[A-J] back {CARD_PATTERN}")


class Top(NamedTuple):
    """The card on top, the suit wished for with it, and a card that is claimed and not yet believed."""

    card: str = ""
    wish: str = ""
    claim: str = ""


def top_after(events: Iterable[str]) -> Top:
    """Return the top of the pile after these events of a deal, from its first on."""
    top = Top()
    for each in follow_tops(events):
        top = each
    return top


def follow_tops(events: Iterable[str]) -> Iterator[Top]:
    """Yield the top of the pile after each of these events of a deal, from its first on."""
    tops = [Top()]
    claimed = Top()
    for event in events:
        if found := _UP.fullmatch(event):
            tops.append(Top(found[1]))
        elif found := _LAID.match(event):
            tops.append(Top(found[1], found[2] or ""))
        elif found := _CLAIMED.match(event):
            claimed = Top(found[1], found[2] or "")
            tops[-1] = tops[-1]._replace(claim=found[1])
        elif found := _WISHED.match(event):
            tops[-1] = tops[-1]._replace(wish=found[1])
        elif _BELIEVED.match(event) or ((found := _SHOWN.match(event)) and found[1] == tops[-1].claim):
            tops.append(claimed)
        elif _SHOWN.match(event):
            tops[-1] = tops[-1]._replace(claim="")
        elif _BACK.match(event) and len(tops) > 2:
            tops.pop()
        yield tops[-1]
