"""The action list of a decision: each listed action with its move, in canonical order, made once and kept."""

from __future__ import annotations

from typing import Final

from maumau.game.action import SEATS, parse
from maumau.game.cards import FACES, JOKER, NAMES, SUITS, list_codes, merge_copies
from maumau.game.compiled import TAILS, CompiledRules
from maumau.game.move import Menu, join_menus, join_three_menus
from maumau.game.power import Power
from maumau.game.state import State

KEPT: Final = 20_000  # lists kept for one kind of ending


def list_single_cards(d: State, may: int, tail: int) -> Menu:
    """The list of a decision in which these cards may be laid, each alone."""
    compiled = d.compiled
    kinds = merge_copies(may) if may > FACES else may
    if kinds & (compiled.targets | compiled.mirrors):
        return _list_targeted_cards(d, kinds, tail)
    lists = d.menus[tail]
    if len(lists) >= KEPT:
        lists.clear()
    menu = lists[may] = lists.get(kinds) or _build_menu(d, kinds, tail)
    lists[kinds] = menu  # of several packs any copy may be laid
    return menu


def _list_targeted_cards(d: State, may: int, tail: int) -> Menu:
    """The list where it hangs on who can be hit, or on what lies below."""
    compiled = d.compiled
    key = (tail, may, d.seat, d.active, -1, -1)
    if may & compiled.mirrors or not compiled.wish_any:
        key = (tail, may, d.seat, d.active, d.top, d.wish)
    menu = compiled.aimed.get(key)
    if menu is None:
        if len(compiled.aimed) >= KEPT:
            compiled.aimed.clear()
        menu = compiled.aimed[key] = _build_menu(d, may, tail)
    return menu


def _build_menu(d: State, may: int, tail: int) -> Menu:
    compiled = d.compiled
    words = compiled.words(tail, may)
    if tail >= TAILS:
        return join_menus([*(_list_without_wish(compiled, code) for code in list_codes(may)), words])
    if may & compiled.uncached_cards:
        return join_menus([*(_list_one_card(d, code) for code in list_codes(may)), words])
    low = may & compiled.lower
    halves = compiled.halves
    lower = halves.get(low) or _list_half(d, low)
    upper = halves.get(may ^ low) or _list_half(d, may ^ low)
    return join_three_menus(lower, upper, words)


def _list_half(d: State, may: int) -> Menu:
    """The cards of a list out of one half of the pack; most lists are made of two of these, kept."""
    if len(d.compiled.halves) >= KEPT:
        d.compiled.halves.clear()
    half = d.compiled.halves[may] = join_menus([_list_one_card(d, code) for code in list_codes(may)])
    return half


def _list_without_wish(compiled: CompiledRules, code: int) -> Menu:
    action = parse(NAMES[code])
    return Menu({action: compiled.move(action)})


def _list_one_card(d: State, code: int) -> Menu:
    """One card with its moves; where they do not hang on anything else they are kept."""
    compiled = d.compiled
    found = compiled.alone.get(code)
    if found is None:
        found = Menu({action: compiled.move(action) for action in map(parse, list_forms(d, code))})
        if not compiled.uncached_cards >> code & 1:
            compiled.alone[code] = found
    return found


def list_forms(d: State, code: int, below: tuple[int, ...] = ()) -> list[str]:
    """The ways in which one card can be laid (on others laid with it) while the deal goes on."""
    compiled = d.compiled
    power = compiled.powers[compiled.counts_as((*below, code), d.top)]
    name = "+".join(NAMES[card] for card in (*below, code))
    return _add_apologies(compiled, power, _build_forms(d, code, name, power))


def list_last_forms(d: State, code: int, below: tuple[int, ...] = ()) -> list[str]:
    """The same where it ends the deal: nothing is named with it, but an apology may follow all the same."""
    power = d.compiled.powers[d.compiled.counts_as((*below, code), d.top)]
    return _add_apologies(d.compiled, power, ["+".join(NAMES[card] for card in (*below, code))])


def _add_apologies(compiled: CompiledRules, power: Power, texts: list[str]) -> list[str]:
    if compiled.law is None or not compiled.law.sorry or not power.harms:
        return texts
    return [said for text in texts for said in (text, f"{text}/sorry")]


def _build_forms(d: State, code: int, name: str, power: Power) -> list[str]:
    if power.wishes:
        barred = () if d.compiled.wish_any else (code % 4 if code != JOKER else -1, *get_suit_in_force(d))
        return [f"{name}>{letter}" for suit, letter in enumerate(SUITS) if suit not in barred]
    if power.target:
        aims = [SEATS[seat] for seat in range(d.seats) if seat != d.seat and d.active >> seat & 1]
        return [f"{name}@{aim}" for aim in [*aims, "-"] if aim != "-" or power.optional]
    return [name]


def get_suit_in_force(d: State) -> list[int]:
    """The suit that must be served now, where a wish must name another."""
    return [suit for suit, lists in enumerate(d.compiled.menus_by_wish) if lists is d.menus]
