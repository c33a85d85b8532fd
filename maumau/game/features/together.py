"""Cards laid together: sets of one rank, or a run on a base card. The bottom is legal, the top counts.

The list holds each (bottom, top, set between) once, the middle in canonical order; a player may send any
order. A list of more than 200 has each (bottom, top) with no card and with all possible cards between only;
any other set may still be sent (docs/reference/notation.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Final

from maumau.game.legal.decision import find_tail
from maumau.game.legal.menu import KEPT, list_forms, list_last_forms
from maumau.game.model.compiled import NOTHING, TAILS
from maumau.game.model.feature import Feature
from maumau.game.model.move import Menu, Move, join_menus, join_three_menus, make_menu
from maumau.game.model.state import State
from maumau.game.notation.action import Action, parse
from maumau.game.notation.cards import FACES, NAMES, STRIDE, list_codes, merge_copies, spread_copies
from maumau.game.table.end import would_end_deal

MAX_ACTIONS: Final = 200


class CardSets(Feature):
    """Several cards laid together."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "card sets",
            lambda compiled: compiled.has_card_sets,
            hooks=("find_unlisted", "list_actions"),
        )

    def find_unlisted(self, d: State, action: Action) -> Move | None:
        """Return the move of a set in another order, or that a shortened menu leaves out."""
        return find_unlisted_set(d, action)

    def list_actions(self, d: State, hand: int, may: int, tail: int) -> Menu:
        """Return the menu of cards laid alone or together."""
        return list_card_sets(d, hand, may, find_tail(d, may, tail) if may == hand else tail)


def list_card_sets(d: State, hand: int, may: int, tail: int) -> Menu:
    """Return the menu of a decision in which these cards may be laid, alone or at the bottom of others."""
    compiled = d.compiled
    if not compiled.lists_independent_of_pile or tail >= TAILS:
        return _list_whole_hand(d, hand, _merge(may), tail)
    cache = compiled.cache
    reach = cache.reach.get(may)
    if reach is None:
        reach = cache.reach[may] = _find_partners(d, _merge(may)) | may
    cards = hand & reach
    if cards == hand and would_end_deal(d) and _may_lay_hand_at_once(d, hand, may):
        return _list_whole_hand(d, hand, _merge(may), tail)
    lists = cache.bundles[tail]
    menu = lists.get((may, cards))
    if menu is None:
        if len(lists) >= KEPT:
            lists.clear()
            cache.reach.clear()
            cache.reach[may] = reach
        menu = lists[may, cards] = _list_from_halves(d, hand, _merge(may), cards, tail)
    return menu


def _merge(cards: int) -> int:
    return merge_copies(cards) if cards > FACES else cards


def _may_lay_hand_at_once(d: State, hand: int, may: int) -> bool:
    """Return True if all of a hand may be laid together on one of these cards of it."""
    along = d.compiled.along
    return any(not hand & ~along[code] for code in list_codes(may))


def _list_whole_hand(d: State, hand: int, kinds: int, tail: int) -> Menu:
    """Return the menu where the whole hand may be laid at once, or where more than the cards matters."""
    compiled = d.compiled
    mirrors = spread_copies(
        kinds & compiled.masks.mirrors, compiled.pack.copies
    )  # the suit they stand for may not include them
    with_them = (_find_partners(d, kinds) | mirrors) & hand
    last = with_them == hand
    whole = last and would_end_deal(d)
    steady = compiled.lists_independent_of_pile and tail < TAILS
    mark = whole if steady else last << 1 | whole
    key = ~((kinds | with_them << STRIDE) << 2 | mark)  # below 0: beside those of single cards
    found = d.menus[tail].get(key)
    if found is not None and not kinds & (compiled.masks.targets | compiled.masks.mirrors):
        return found
    make = _list_by_bottom_card if steady else _list_all
    menu = make(d, hand, kinds, tail, whole=whole)
    if len(d.menus[tail]) >= KEPT:
        d.menus[tail].clear()
    d.menus[tail][key] = menu
    return menu


def _find_partners(d: State, kinds: int) -> int:
    """Return all cards that may be laid together with one of these kinds."""
    compiled = d.compiled
    kept = compiled.cache.partners.get(kinds)
    if kept is not None:
        return kept
    found = 0
    for code in list_codes(kinds):
        found |= find_companions(d, code)
    if not kinds & compiled.masks.mirrors:
        if len(compiled.cache.partners) >= KEPT:
            compiled.cache.partners.clear()
        compiled.cache.partners[kinds] = found
    return found


def _list_from_halves(d: State, hand: int, kinds: int, cards: int, tail: int) -> Menu:
    """Return the menu where it depends on the cards alone: most join two halves, each cached.

    `cards` are those of the hand that may be laid, alone or with others.
    """
    compiled = d.compiled
    if compiled.cache.lower_cards:
        low, below = kinds & compiled.masks.lower, cards & compiled.cache.lower_cards
        high, above = kinds ^ low, cards ^ below
        groups = compiled.cache.groups
        lower = groups.get((low, below)) or _list_half(d, hand, low, below)
        upper = groups.get((high, above)) or _list_half(d, hand, high, above)
        if not lower.short and not upper.short and len(lower.actions) + len(upper.actions) <= MAX_ACTIONS:
            return join_three_menus(lower, upper, compiled.words(tail, kinds))
    return _list_by_bottom_card(d, hand, kinds, tail, whole=False)


def _list_half(d: State, hand: int, kinds: int, cards: int) -> Menu:
    """Return all that can be laid on the cards of one half of the pack, joined of two quarters."""
    compiled = d.compiled
    near, inside = kinds & compiled.masks.first, cards & compiled.cache.first_cards
    far, outside = kinds ^ near, cards ^ inside
    if not near or not far:
        return _list_quarter(d, hand, kinds, cards)
    groups = compiled.cache.groups
    first = groups.get((near, inside)) or _list_quarter(d, hand, near, inside)
    second = groups.get((far, outside)) or _list_quarter(d, hand, far, outside)
    half = groups[kinds, cards] = join_menus([first, second], short=first.short or second.short)
    return half


def _list_quarter(d: State, hand: int, kinds: int, cards: int) -> Menu:
    """Return all that can be laid on the cards of a quarter of the pack."""
    groups = d.compiled.cache.groups
    parts = [_list_on_card(d, hand, bottom, whole=False, short=False) for bottom in list_codes(kinds)]
    if len(groups) >= KEPT:
        groups.clear()
    part = groups[kinds, cards] = join_menus(parts, short=any(part.short for part in parts))
    return part


def _list_by_bottom_card(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    """Return the menu where it depends on the cards alone: one part for each bottom card."""
    bottoms = list_codes(kinds)
    parts = [_list_on_card(d, hand, bottom, whole=whole, short=False) for bottom in bottoms]
    short = any(part.short for part in parts) or sum([len(part.actions) for part in parts]) > MAX_ACTIONS
    if short:
        parts = [_list_on_card(d, hand, bottom, whole=whole, short=True) for bottom in bottoms]
    return join_menus([*parts, d.compiled.words(tail, kinds)], short=short)


def _list_on_card(d: State, hand: int, bottom: int, *, whole: bool, short: bool) -> Menu:
    """Return all that can be laid on one card, shortened if `short` or in its own menu too long."""
    with_it = hand & d.compiled.along[bottom]
    bare = whole and with_it == hand
    key = (bottom, with_it, bare, short)
    found = d.compiled.cache.stacks.get(key)
    if found is None:
        kind = 1 << bottom
        long = not short and _count_texts(d, hand, kind, NOTHING, whole=bare) > MAX_ACTIONS
        texts = [] if long else _write_texts(d, hand, kind, NOTHING, whole=bare, short=short)
        found = make_menu({action: d.compiled.move(action) for action in map(parse, texts)}, short=long)
        if len(d.compiled.cache.stacks) >= KEPT:
            d.compiled.cache.stacks.clear()
        d.compiled.cache.stacks[key] = found
    return found


def _list_all(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> Menu:
    short = _count_texts(d, hand, kinds, tail, whole=whole) > MAX_ACTIONS
    texts = _write_texts(d, hand, kinds, tail, whole=whole, short=short)
    moves = {action: d.compiled.move(action) for action in map(parse, texts)}
    return join_menus([make_menu(moves), d.compiled.words(tail, kinds)], short=short)


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
    """Return True if cards may lie so: no mirror on a jack, and no barred card as the very last one."""
    compiled, top = d.compiled, cards[-1]
    counts = compiled.counts_as(cards, d.top)
    if compiled.masks.barred >> counts & 1 and len(cards) == d.hands[d.seat].bit_count():
        return False
    return not (compiled.powers[top].mirror and compiled.powers[top].not_on >> counts & 1)


def find_companions(d: State, code: int) -> int:
    """Return the cards that may be laid on this one with it: on a mirror, those of the card it mirrors."""
    compiled = d.compiled
    return compiled.along[d.top] if compiled.powers[code].mirror and d.top >= 0 else compiled.along[code]


def _count_texts(d: State, hand: int, kinds: int, tail: int, *, whole: bool) -> int:
    """Return the number of texts without building them: that alone may take too long."""
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
    """Return the cards that may be laid on the bottom card with it, counted by code."""
    counts = Counter(list_codes(hand & find_companions(d, bottom)))
    counts[bottom] -= 1
    return +counts


def get_middle_order(d: State, top: int) -> Callable[[int], tuple[bool, int, int]]:
    """Return the sort key of the middle cards: those that bar a mirror first, then suit, then rank."""
    power = d.compiled.powers[top]
    bad = power.not_on if power.mirror else 0
    return lambda code: (not bad >> code & 1, code % 4, code)


def list_stacks(d: State, bottom: int, others: Counter[int], *, short: bool) -> Iterator[tuple[int, ...]]:
    """Yield every (bottom, middle in canonical order, top)."""
    for top in sorted(others):
        between = others - Counter([top])
        kinds = sorted(between, key=get_middle_order(d, top))
        ranges = [(0, between[code]) if short else range(between[code] + 1) for code in kinds]
        for counts in product(*ranges):
            if short and any(counts) and counts != tuple(between[code] for code in kinds):
                continue
            yield (bottom, *(code for code, n in zip(kinds, counts, strict=True) for _ in range(n)), top)


def find_unlisted_set(d: State, action: Action) -> Move | None:
    """Return the move of cards laid together in an unlisted but allowed order or choice; else None."""
    action = action.plain
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
