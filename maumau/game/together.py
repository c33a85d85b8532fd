"""Cards laid together: sets of one rank, or a run on a base card. The bottom is legal, the top counts.

The list holds each (bottom, top, set between) once, the middle in canonical order; a player may send any
order. A list of more than 200 has each (bottom, top) with no card and with all possible cards between only;
any other set may still be sent (docs/notation.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Final

from maumau.game import blind
from maumau.game.action import Action, parse
from maumau.game.cards import FACES, NAMES, STRIDE, codes, fold, spread
from maumau.game.end import ends
from maumau.game.menu import KEPT, forms, last_forms
from maumau.game.move import Menu, Move, assembled, joined
from maumau.game.state import State
from maumau.game.table import NOTHING, TAILS

MAX_ACTIONS: Final = 200


def choose(d: State, hand: int, may: int, tail: int) -> Menu:
    """The list of a decision in which these cards may be laid, alone or at the bottom of others."""
    table = d.table
    kinds = fold(may) if may > FACES else may
    reach = _partners(d, kinds) | may
    cards = hand & reach
    if not table.steady or tail >= TAILS or cards == hand:
        return _whole(d, hand, kinds, tail)
    lists = table.bundles[tail]
    menu = lists.get((may, cards))
    if menu is None:
        if len(lists) >= KEPT:
            lists.clear()
            table.reach.clear()
        menu = lists[may, cards] = _bundled(d, hand, kinds, tail)
    table.reach[may] = reach
    return menu


def _whole(d: State, hand: int, kinds: int, tail: int) -> Menu:
    """The same where all the cards may be laid at once, or the list hangs on more than the cards."""
    table = d.table
    mirrors = spread(kinds & table.mirrors, table.copies)  # the suit they stand for may not hold them
    with_them = (_partners(d, kinds) | mirrors) & hand
    last = with_them == hand
    whole = last and ends(d)
    steady = table.steady and tail < TAILS
    mark = whole if steady else last << 1 | whole
    key = ~((kinds | with_them << STRIDE) << 2 | mark)  # below 0: beside those of single cards
    found = d.menus[tail].get(key)
    if found is not None and not kinds & (table.targets | table.mirrors):
        return found
    make = _joined if steady else _listed
    menu = make(d, hand, kinds, tail, whole=whole)
    if len(d.menus[tail]) >= KEPT:
        d.menus[tail].clear()
    d.menus[tail][key] = menu
    return menu


def _partners(d: State, kinds: int) -> int:
    """All cards that may be laid together with one of these kinds."""
    table = d.table
    kept = table.partners.get(kinds)
    if kept is not None:
        return kept
    found = 0
    for code in codes(kinds):
        found |= along(d, code)
    if not kinds & table.mirrors:
        if len(table.partners) >= KEPT:
            table.partners.clear()
        table.partners[kinds] = found
    return found


def _bundled(d: State, hand: int, kinds: int, tail: int) -> Menu:
    """The list where it hangs on nothing but the cards: most are made of two, each made once."""
    table = d.table
    low = kinds & table.lower
    lower, upper = _half(d, hand, low), _half(d, hand, kinds ^ low)
    if lower.short or upper.short or len(lower.actions) + len(upper.actions) > MAX_ACTIONS:
        return _joined(d, hand, kinds, tail, whole=False)
    return assembled(lower, upper, table.words(tail, kinds))


def _half(d: State, hand: int, kinds: int) -> Menu:
    """All that can be laid on the cards of one half of the pack."""
    table = d.table
    key = kinds, hand & _partners(d, kinds)
    found = table.groups.get(key)
    if found is None:
        parts = [_stacked(d, hand, bottom, whole=False, short=False) for bottom in codes(kinds)]
        if len(table.groups) >= KEPT:
            table.groups.clear()
        found = table.groups[key] = joined(parts, short=any(part.short for part in parts))
    return found


def _joined(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    """The list where it hangs on nothing but the cards: made of one list for each bottom card."""
    bottoms = codes(kinds)
    parts = [_stacked(d, hand, bottom, whole=whole, short=False) for bottom in bottoms]
    short = any(part.short for part in parts) or sum([len(part.actions) for part in parts]) > MAX_ACTIONS
    if short:
        parts = [_stacked(d, hand, bottom, whole=whole, short=True) for bottom in bottoms]
    return joined([*parts, d.table.words(tail, kinds)], short=short)


def _stacked(d: State, hand: int, bottom: int, *, whole: bool, short: bool) -> Menu:
    """All that can be laid on one card; `short`, in its own list: it would be too long."""
    with_it = hand & d.table.along[bottom]
    bare = whole and with_it == hand
    key = (bottom, with_it, bare, short)
    found = d.table.stacks.get(key)
    if found is None:
        kind = 1 << bottom
        long = not short and _count(d, hand, kind, NOTHING, whole=bare) > MAX_ACTIONS
        texts = [] if long else _texts(d, hand, kind, NOTHING, whole=bare, short=short)
        found = Menu({action: d.table.move(action) for action in map(parse, texts)}, short=long)
        if len(d.table.stacks) >= KEPT:
            d.table.stacks.clear()
        d.table.stacks[key] = found
    return found


def _listed(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    short = _count(d, hand, kinds, tail, whole=whole) > MAX_ACTIONS
    texts = _texts(d, hand, kinds, tail, whole=whole, short=short)
    moves = {action: d.table.move(action) for action in map(parse, texts)}
    return joined([Menu(moves), d.table.words(tail, kinds)], short=short)


def _texts(d: State, hand: int, kinds: int, tail: int, *, whole: bool, short: bool) -> list[str]:
    size = hand.bit_count()
    texts: list[str] = []
    for bottom in codes(kinds):
        texts += last_forms(d, bottom) if tail >= TAILS else forms(d, bottom)
        for cards in stacks(d, bottom, _others(d, hand, bottom), short=short):
            if not fair(d, cards):
                continue
            written = last_forms if whole and len(cards) == size else forms
            texts += written(d, cards[-1], cards[:-1])
    return texts


def fair(d: State, cards: tuple[int, ...]) -> bool:
    """Whether cards laid together may lie so: a mirror not on a jack, the last card of all no barred one."""
    table, top = d.table, cards[-1]
    counts = table.counts_as(cards, d.top)
    if table.barred >> counts & 1 and len(cards) == d.hands[d.seat].bit_count():
        return False
    return not (table.powers[top].mirror and table.powers[top].not_on >> counts & 1)


def along(d: State, code: int) -> int:
    """The cards that may be laid on this one with it: on a mirror, those of the card it mirrors."""
    table = d.table
    return table.along[d.top] if table.powers[code].mirror and d.top >= 0 else table.along[code]


def _count(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> int:
    """How many texts there would be, without making them: that alone may take too long."""
    size = hand.bit_count()
    total = 0
    for bottom in codes(kinds):
        total += len(last_forms(d, bottom) if tail >= TAILS else forms(d, bottom))
        others = _others(d, hand, bottom)
        between = prod(count + 1 for count in others.values())
        bare = whole and others.total() + 1 == size
        for top, count in others.items():
            ways = len(forms(d, top, (bottom,)))
            fewer = ways - len(last_forms(d, top, (bottom,))) if bare else 0
            total += between // (count + 1) * count * ways - fewer
    return total


def _others(d: State, hand: int, bottom: int) -> Counter[int]:
    """What may be laid on the bottom card with it, counted by code."""
    counts = Counter(codes(hand & along(d, bottom)))
    counts[bottom] -= 1
    return +counts


def order(d: State, top: int) -> Callable[[int], tuple[bool, int, int]]:
    """The order of what lies between: suit, then rank; but first that on which a mirror may not lie."""
    power = d.table.powers[top]
    bad = power.not_on if power.mirror else 0
    return lambda code: (not bad >> code & 1, code % 4, code)


def stacks(d: State, bottom: int, others: Counter[int], *, short: bool) -> Iterator[tuple[int, ...]]:
    """Every (bottom, middle in canonical order, top)."""
    for top in sorted(others):
        between = others - Counter([top])
        kinds = sorted(between, key=order(d, top))
        ranges = [(0, between[code]) if short else range(between[code] + 1) for code in kinds]
        for counts in product(*ranges):
            if short and any(counts) and counts != tuple(between[code] for code in kinds):
                continue
            yield (bottom, *(code for code, n in zip(kinds, counts, strict=True) for _ in range(n)), top)


def admitted(d: State, action: Action) -> Move | None:
    """The move of cards laid together in an order, or a choice, that is not listed but allowed."""
    action = action.plain
    if action.claim >= 0:
        return blind.admitted(d, action)
    if len(action.cards) < 3 or action.said:
        return None
    bottom, *middle, top = action.cards
    if not fair(d, action.cards):
        return None
    others = _others(d, d.hands[d.seat], bottom)
    if any(count > others[code] for code, count in Counter([*middle, top]).items()):
        return None
    rest = action.text[3 * len(action.cards) - 1 :]
    middle.sort(key=order(d, top))
    if _named(bottom, middle, top, rest) in d.menu.moves or (
        d.menu.short and _named(bottom, [], top, rest) in d.menu.moves
    ):
        return d.table.move(action)
    return None


def _named(bottom: int, middle: list[int], top: int, rest: str) -> str:
    return "+".join(NAMES[code] for code in (bottom, *middle, top)) + rest
