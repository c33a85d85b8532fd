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
from maumau.game.cards import FACES, NAMES, STRIDE, list_codes, merge_copies, spread_copies
from maumau.game.compiled import NOTHING, TAILS
from maumau.game.end import would_end_deal
from maumau.game.menu import KEPT, list_forms, list_last_forms
from maumau.game.move import Menu, Move, join_menus, join_three_menus
from maumau.game.state import State

MAX_ACTIONS: Final = 200


def list_card_sets(d: State, hand: int, may: int, tail: int) -> Menu:
    """The list of a decision in which these cards may be laid, alone or at the bottom of others."""
    compiled = d.compiled
    kinds = merge_copies(may) if may > FACES else may
    reach = _find_partners(d, kinds) | may
    cards = hand & reach
    if not compiled.lists_independent_of_pile or tail >= TAILS or cards == hand:
        return _list_whole_hand(d, hand, kinds, tail)
    lists = compiled.bundles[tail]
    menu = lists.get((may, cards))
    if menu is None:
        if len(lists) >= KEPT:
            lists.clear()
            compiled.reach.clear()
        menu = lists[may, cards] = _list_from_halves(d, hand, kinds, tail)
    compiled.reach[may] = reach
    return menu


def _list_whole_hand(d: State, hand: int, kinds: int, tail: int) -> Menu:
    """The same where all the cards may be laid at once, or the list hangs on more than the cards."""
    compiled = d.compiled
    mirrors = spread_copies(
        kinds & compiled.mirrors, compiled.copies
    )  # the suit they stand for may not hold them
    with_them = (_find_partners(d, kinds) | mirrors) & hand
    last = with_them == hand
    whole = last and would_end_deal(d)
    steady = compiled.lists_independent_of_pile and tail < TAILS
    mark = whole if steady else last << 1 | whole
    key = ~((kinds | with_them << STRIDE) << 2 | mark)  # below 0: beside those of single cards
    found = d.menus[tail].get(key)
    if found is not None and not kinds & (compiled.targets | compiled.mirrors):
        return found
    make = _list_by_bottom_card if steady else _list_all
    menu = make(d, hand, kinds, tail, whole=whole)
    if len(d.menus[tail]) >= KEPT:
        d.menus[tail].clear()
    d.menus[tail][key] = menu
    return menu


def _find_partners(d: State, kinds: int) -> int:
    """All cards that may be laid together with one of these kinds."""
    compiled = d.compiled
    kept = compiled.partners.get(kinds)
    if kept is not None:
        return kept
    found = 0
    for code in list_codes(kinds):
        found |= find_companions(d, code)
    if not kinds & compiled.mirrors:
        if len(compiled.partners) >= KEPT:
            compiled.partners.clear()
        compiled.partners[kinds] = found
    return found


def _list_from_halves(d: State, hand: int, kinds: int, tail: int) -> Menu:
    """The list where it hangs on nothing but the cards: most are made of two, each made once."""
    compiled = d.compiled
    low = kinds & compiled.lower
    lower, upper = _list_half(d, hand, low), _list_half(d, hand, kinds ^ low)
    if lower.short or upper.short or len(lower.actions) + len(upper.actions) > MAX_ACTIONS:
        return _list_by_bottom_card(d, hand, kinds, tail, whole=False)
    return join_three_menus(lower, upper, compiled.words(tail, kinds))


def _list_half(d: State, hand: int, kinds: int) -> Menu:
    """All that can be laid on the cards of one half of the pack."""
    compiled = d.compiled
    key = kinds, hand & _find_partners(d, kinds)
    found = compiled.groups.get(key)
    if found is None:
        parts = [_list_on_card(d, hand, bottom, whole=False, short=False) for bottom in list_codes(kinds)]
        if len(compiled.groups) >= KEPT:
            compiled.groups.clear()
        found = compiled.groups[key] = join_menus(parts, short=any(part.short for part in parts))
    return found


def _list_by_bottom_card(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    """The list where it hangs on nothing but the cards: made of one list for each bottom card."""
    bottoms = list_codes(kinds)
    parts = [_list_on_card(d, hand, bottom, whole=whole, short=False) for bottom in bottoms]
    short = any(part.short for part in parts) or sum([len(part.actions) for part in parts]) > MAX_ACTIONS
    if short:
        parts = [_list_on_card(d, hand, bottom, whole=whole, short=True) for bottom in bottoms]
    return join_menus([*parts, d.compiled.words(tail, kinds)], short=short)


def _list_on_card(d: State, hand: int, bottom: int, *, whole: bool, short: bool) -> Menu:
    """All that can be laid on one card; `short`, in its own list: it would be too long."""
    with_it = hand & d.compiled.along[bottom]
    bare = whole and with_it == hand
    key = (bottom, with_it, bare, short)
    found = d.compiled.stacks.get(key)
    if found is None:
        kind = 1 << bottom
        long = not short and _count_texts(d, hand, kind, NOTHING, whole=bare) > MAX_ACTIONS
        texts = [] if long else _write_texts(d, hand, kind, NOTHING, whole=bare, short=short)
        found = Menu({action: d.compiled.move(action) for action in map(parse, texts)}, short=long)
        if len(d.compiled.stacks) >= KEPT:
            d.compiled.stacks.clear()
        d.compiled.stacks[key] = found
    return found


def _list_all(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    short = _count_texts(d, hand, kinds, tail, whole=whole) > MAX_ACTIONS
    texts = _write_texts(d, hand, kinds, tail, whole=whole, short=short)
    moves = {action: d.compiled.move(action) for action in map(parse, texts)}
    return join_menus([Menu(moves), d.compiled.words(tail, kinds)], short=short)


def _write_texts(d: State, hand: int, kinds: int, tail: int, *, whole: bool, short: bool) -> list[str]:
    size = hand.bit_count()
    texts: list[str] = []
    for bottom in list_codes(kinds):
        texts += list_last_forms(d, bottom) if tail >= TAILS else list_forms(d, bottom)
        for cards in list_stacks(d, bottom, _count_companions(d, hand, bottom), short=short):
            if not may_lie_together(d, cards):
                continue
            written = list_last_forms if whole and len(cards) == size else list_forms
            texts += written(d, cards[-1], cards[:-1])
    return texts


def may_lie_together(d: State, cards: tuple[int, ...]) -> bool:
    """Whether cards laid together may lie so: a mirror not on a jack, the last card of all no barred one."""
    compiled, top = d.compiled, cards[-1]
    counts = compiled.counts_as(cards, d.top)
    if compiled.barred >> counts & 1 and len(cards) == d.hands[d.seat].bit_count():
        return False
    return not (compiled.powers[top].mirror and compiled.powers[top].not_on >> counts & 1)


def find_companions(d: State, code: int) -> int:
    """The cards that may be laid on this one with it: on a mirror, those of the card it mirrors."""
    compiled = d.compiled
    return compiled.along[d.top] if compiled.powers[code].mirror and d.top >= 0 else compiled.along[code]


def _count_texts(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> int:
    """How many texts there would be, without making them: that alone may take too long."""
    size = hand.bit_count()
    total = 0
    for bottom in list_codes(kinds):
        total += len(list_last_forms(d, bottom) if tail >= TAILS else list_forms(d, bottom))
        others = _count_companions(d, hand, bottom)
        between = prod(count + 1 for count in others.values())
        bare = whole and others.total() + 1 == size
        for top, count in others.items():
            ways = len(list_forms(d, top, (bottom,)))
            fewer = ways - len(list_last_forms(d, top, (bottom,))) if bare else 0
            total += between // (count + 1) * count * ways - fewer
    return total


def _count_companions(d: State, hand: int, bottom: int) -> Counter[int]:
    """What may be laid on the bottom card with it, counted by code."""
    counts = Counter(list_codes(hand & find_companions(d, bottom)))
    counts[bottom] -= 1
    return +counts


def get_middle_order(d: State, top: int) -> Callable[[int], tuple[bool, int, int]]:
    """The order of what lies between: suit, then rank; but first that on which a mirror may not lie."""
    power = d.compiled.powers[top]
    bad = power.not_on if power.mirror else 0
    return lambda code: (not bad >> code & 1, code % 4, code)


def list_stacks(d: State, bottom: int, others: Counter[int], *, short: bool) -> Iterator[tuple[int, ...]]:
    """Every (bottom, middle in canonical order, top)."""
    for top in sorted(others):
        between = others - Counter([top])
        kinds = sorted(between, key=get_middle_order(d, top))
        ranges = [(0, between[code]) if short else range(between[code] + 1) for code in kinds]
        for counts in product(*ranges):
            if short and any(counts) and counts != tuple(between[code] for code in kinds):
                continue
            yield (bottom, *(code for code, n in zip(kinds, counts, strict=True) for _ in range(n)), top)


def find_unlisted_set(d: State, action: Action) -> Move | None:
    """The move of cards laid together in an order, or a choice, that is not listed but allowed."""
    action = action.plain
    if action.claim >= 0:
        return blind.find_unlisted_claim(d, action)
    if len(action.cards) < 3 or action.said:
        return None
    bottom, *middle, top = action.cards
    if not may_lie_together(d, action.cards):
        return None
    others = _count_companions(d, d.hands[d.seat], bottom)
    if any(count > others[code] for code, count in Counter([*middle, top]).items()):
        return None
    rest = action.text[3 * len(action.cards) - 1 :]
    middle.sort(key=get_middle_order(d, top))
    if _name_set(bottom, middle, top, rest) in d.menu.moves or (
        d.menu.short and _name_set(bottom, [], top, rest) in d.menu.moves
    ):
        return d.compiled.move(action)
    return None


def _name_set(bottom: int, middle: list[int], top: int, rest: str) -> str:
    return "+".join(NAMES[code] for code in (bottom, *middle, top)) + rest
