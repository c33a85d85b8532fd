"""Menus: the listed actions of a decision with their moves, in canonical order, built once and cached."""

from __future__ import annotations

from typing import Final

from maumau.game.model.compiled import TAILS, CompiledRules
from maumau.game.model.move import Menu, join_menus, join_three_menus, make_menu
from maumau.game.model.state import NOBODY, State
from maumau.game.notation.action import SEATS, parse
from maumau.game.notation.cards import FACES, JOKER, NAMES, SUITS, list_codes, merge_copies
from maumau.game.ruleset.power import Power

KEPT: Final = 8_000  # lists kept for one kind of ending, some 6 MB


def list_single_cards(d: State, may: int, tail: int) -> Menu:
    """Return the menu of a decision in which these cards may be laid, each alone."""
    compiled = d.compiled
    kinds = merge_copies(may) if may > FACES else may
    if kinds & (compiled.masks.targets | compiled.masks.mirrors):
        return _list_targeted_cards(d, kinds, tail)
    lists = d.menus[tail]
    if len(lists) >= KEPT:
        lists.clear()
    menu = lists[may] = lists.get(kinds) or _build_menu(d, kinds, tail)
    lists[kinds] = menu  # of several packs any copy may be laid
    return menu


def _list_targeted_cards(d: State, may: int, tail: int) -> Menu:
    """Return the menu where it depends on who can be hit, or on the card below."""
    compiled = d.compiled
    key = (tail, may, d.seat, d.active, -1, -1)
    if may & (compiled.masks.mirrors | compiled.masks.swaps) or not compiled.wish_any:
        key = (tail, may, d.seat, d.active, d.top, d.wish)
    menu = compiled.cache.aimed.get(key)
    if menu is None:
        if len(compiled.cache.aimed) >= KEPT:
            compiled.cache.aimed.clear()
        menu = compiled.cache.aimed[key] = _build_menu(d, may, tail)
    return menu


def _build_menu(d: State, may: int, tail: int) -> Menu:
    compiled = d.compiled
    words = compiled.words(tail, may)
    if tail >= TAILS:
        return join_menus([*(_list_without_wish(compiled, code) for code in list_codes(may)), words])
    if may & compiled.masks.uncached:
        return join_menus([*(_list_one_card(d, code) for code in list_codes(may)), words])
    low = may & compiled.masks.lower
    halves = compiled.cache.halves
    lower = halves.get(low) or _list_half(d, low)
    upper = halves.get(may ^ low) or _list_half(d, may ^ low)
    return join_three_menus(lower, upper, words)


def _list_half(d: State, may: int) -> Menu:
    """Return the cards of a menu from one half of the pack; most menus join two of these, cached."""
    if len(d.compiled.cache.halves) >= KEPT:
        d.compiled.cache.halves.clear()
    half = d.compiled.cache.halves[may] = join_menus([_list_one_card(d, code) for code in list_codes(may)])
    return half


def _list_without_wish(compiled: CompiledRules, code: int) -> Menu:
    action = parse(NAMES[code])
    return make_menu({action: compiled.move(action)})


def _list_one_card(d: State, code: int) -> Menu:
    """Return one card with its moves, cached where they depend on nothing else."""
    compiled = d.compiled
    found = compiled.cache.alone.get(code)
    if found is None:
        found = make_menu({action: compiled.move(action) for action in map(parse, list_forms(d, code))})
        if not compiled.masks.uncached >> code & 1:
            compiled.cache.alone[code] = found
    return found


def list_forms(d: State, code: int, below: tuple[int, ...] = (), seat: int = NOBODY) -> list[str]:
    """Return the ways in which one card can be laid (on others laid with it) while the deal goes on.

    Args:
        d: The deal.
        code: The card.
        below: The cards laid under it in the same move.
        seat: Who lays it; the seat on turn if not given.
    """
    compiled = d.compiled
    power = compiled.powers[compiled.counts_as((*below, code), d.top)]
    name = "+".join(NAMES[card] for card in (*below, code))
    return _add_apologies(
        compiled, power, _build_forms(d, code, name, power, d.seat if seat == NOBODY else seat)
    )


def list_last_forms(d: State, code: int, below: tuple[int, ...] = ()) -> list[str]:
    """Return the forms of a card that ends the deal: nothing is named with it, but an apology may follow."""
    power = d.compiled.powers[d.compiled.counts_as((*below, code), d.top)]
    return _add_apologies(d.compiled, power, ["+".join(NAMES[card] for card in (*below, code))])


def _add_apologies(compiled: CompiledRules, power: Power, texts: list[str]) -> list[str]:
    if not compiled.law.sorry or not power.harms:
        return texts
    return [said for text in texts for said in (text, f"{text}/sorry")]


def _build_forms(d: State, code: int, name: str, power: Power, seat: int) -> list[str]:
    swaps = power.swap >> d.top & 1 if d.top >= 0 else 0
    texts = [name]
    if power.wishes:
        barred = () if d.compiled.wish_any else (code % 4 if code != JOKER else -1, *get_suit_in_force(d))
        texts = [f"{name}>{letter}" for suit, letter in enumerate(SUITS) if suit not in barred]
        if not swaps:
            return texts
    if not (power.target or swaps):
        return texts
    aims = [SEATS[other] for other in range(d.seats) if other != seat and d.active >> other & 1]
    aims += ["-"] if power.optional and not swaps else []
    return [f"{text}@{aim}" for text in texts for aim in aims]


def get_suit_in_force(d: State) -> list[int]:
    """Return the suit in force, if a wish must name another one."""
    return [suit for suit, lists in enumerate(d.compiled.cache.menus_by_wish) if lists is d.menus]
