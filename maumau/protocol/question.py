"""The line of a question, written from the deal: byte for byte what `message.ask` writes from its view.

Most decisions have only the fields that every question has; these are written here, in a fifth of the time.
Other decisions are written from their view.
"""

from __future__ import annotations

from typing import Final

from maumau.game import Deal
from maumau.game.model.move import Menu
from maumau.game.notation.cards import FACES, NAMES, SUITS, list_names

USUAL: Final = ("turn", "answer", "cover", "again")  # decisions without fields of their own
WIDTH: Final = 13  # cards whose names are cached together; a part has at most 2 ** 14 sets
PART: Final = (1 << WIDTH) - 1
QUOTED: Final = (*(f'"{name}"' for name in NAMES), "null")  # by code; -1 is none
WISHES: Final = (*(f'"{suit}"' for suit in SUITS), "null")


class Part(dict[int, str]):
    """The names of the cards in a part of a hand, each after a comma, built on first use."""

    def __init__(self, number: int) -> None:
        self.shift = number * WIDTH

    def __missing__(self, cards: int) -> str:
        text = self[cards] = "".join([f',"{name}"' for name in list_names(cards << self.shift)])
        return text


_parts: Final = tuple(Part(number) for number in range(4))


def has_usual_fields(d: Deal) -> bool:
    """Return True if this deal's turns need no field that only some variants have."""
    table = d.compiled
    odd = table.law.applies or table.queens.cards or table.accuse or d.rules.variant.rule
    return not odd and d.made.totals is None and d.made.lives is None


def is_plain_decision(d: Deal, seat: int) -> bool:
    """Return True if this decision of a usual deal needs no field of its own, except perhaps `also`."""
    return seat == d.seat and d.asks in USUAL and d.features.claimed is None and d.window is None


def list_late_calls(d: Deal, seat: int) -> list[str]:
    """Return the late calls of a plain decision: with several cards in hand there are none."""
    hand = d.hands[seat]
    return [] if hand & hand - 1 else d.also(seat)


def write_question(d: Deal, seat: int, start: int, also: list[str], head: str, tail: str) -> bytes:
    """Return the question; `head` and `tail` are the text before and after the view."""
    hand = d.hands[seat]
    call = "{}" if hand.bit_count() > d.compiled.largest_hand_owing_call else _list_calls(d, seat)
    counts = ",".join([str(each.bit_count()) for each in d.hands])
    out = ",".join([str(each) for each in d.out]) if d.out else ""
    seen = '","'.join(d.seen(seat, start))
    late = f',"also":{_quote_texts(also)}' if also else ""
    return (
        f'{head}"ask":"{d.asks}","seat":{seat},"hand":[{_quote_hand(hand)}],"top":{QUOTED[d.top]},'
        f'"wish":{WISHES[d.wish]},"owed":{d.owed},"skips":{d.skips},'
        f'"direction":{d.direction},"counts":[{counts}],'
        f'"stock":{d.stock.bit_count()},"out":[{out}],"legal":{d.menu.listed or _quote_menu(d.menu)},'
        f'"call":{call},"events":{f"""["{seen}"]""" if seen else "[]"}{late}{tail}'
    ).encode()


def _quote_hand(cards: int) -> str:
    """Return the names of a hand, each in quotes."""
    if cards > FACES:
        return _quote_texts(list_names(cards))[1:-1]
    first, second, third, fourth = _parts
    low, high = cards & PART, cards >> 2 * WIDTH
    return (first[low] + second[cards >> WIDTH & PART] + third[high & PART] + fourth[high >> WIDTH])[1:]


def _quote_menu(menu: Menu) -> str:
    menu.listed = text = _quote_texts([action.text for action in menu.actions])
    return text


def _quote_texts(texts: list[str]) -> str:
    """Return a JSON list of texts without quotes or escapes in them."""
    return '["' + '","'.join(texts) + '"]' if texts else "[]"


def _list_calls(d: Deal, seat: int) -> str:
    owed = [(action.text, word) for action in d.menu.actions if (word := d.due(seat, action))]
    return "{" + ",".join([f'"{text}":"{word}"' for text, word in owed]) + "}"
