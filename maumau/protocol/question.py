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
NUMBERS: Final = tuple(str(number) for number in range(1024))  # formatting one is dearer than a look-up


class Part(dict[int, str]):
    """The names of the cards in a part of a hand, each after a comma, built on first use."""

    def __init__(self, number: int) -> None:
        self.shift = number * WIDTH

    def __missing__(self, cards: int) -> str:
        text = self[cards] = "".join([f',"{name}"' for name in list_names(cards << self.shift)])
        return text


class TurnFields(dict[tuple[int, int, int], str]):
    """The fields of cards owed, turns to miss and the direction, by their values, built on first use."""

    def __missing__(self, key: tuple[int, int, int]) -> str:
        text = self[key] = '"owed":{},"skips":{},"direction":{}'.format(*key)
        return text


_parts: Final = tuple(Part(number) for number in range(4))
_turn_fields = TurnFields()


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


def write_question(d: Deal, seat: int, start: int, also: list[str], head: str, bank_ms: int) -> bytes:
    """Return the question; `head` is the text before the view."""
    hand = d.hands[seat]
    call = "{}" if hand.bit_count() > d.compiled.largest_hand_owing_call else _list_calls(d, seat)
    counts = ",".join([NUMBERS[each.bit_count()] for each in d.hands])
    out = ",".join(map(str, d.out)) if d.out else ""
    seen = '","'.join(d.seen(seat, start))
    late = f',"also":{_quote_texts(also)}' if also else ""
    legal = d.menu.listed or _quote_menu(d.menu)
    return (
        f'{head}"ask":"{d.asks}","seat":{NUMBERS[seat]},"hand":[{_quote_hand(hand)}],"top":{QUOTED[d.top]},'
        f'"wish":{WISHES[d.wish]},{_turn_fields[d.owed, d.skips, d.direction]},"counts":[{counts}],'
        f'"stock":{NUMBERS[d.stock.bit_count()]},"out":[{out}],"legal":{legal},'
        f'"call":{call},"events":{f"""["{seen}"]""" if seen else "[]"}{late},"bank_ms":{bank_ms}}}\n'
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
    get_call = d.compiled.calls.get_due_call  # as `Deal.due` does for a hand that is small enough
    owed = [f'"{action.text}":"{word}"' for action in d.menu.actions if (word := get_call(d, seat, action))]
    return "{" + ",".join(owed) + "}" if owed else "{}"
