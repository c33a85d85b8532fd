"""The action list of a decision: each listed action with its move, in canonical order, made once and kept."""

from __future__ import annotations

from typing import Final

from maumau.game.action import SEATS, parse
from maumau.game.cards import FACES, JOKER, NAMES, SUITS, codes, fold
from maumau.game.move import Menu, assembled, joined
from maumau.game.power import Power
from maumau.game.state import State
from maumau.game.table import TAILS, Table

KEPT: Final = 20_000  # lists kept for one kind of ending


def compose(d: State, may: int, tail: int) -> Menu:
    """The list of a decision in which these cards may be laid, each alone."""
    table = d.table
    kinds = fold(may) if may > FACES else may
    if kinds & (table.targets | table.mirrors):
        return _aimed(d, kinds, tail)
    lists = d.menus[tail]
    if len(lists) >= KEPT:
        lists.clear()
    menu = lists[may] = lists.get(kinds) or _made(d, kinds, tail)
    lists[kinds] = menu  # of several packs any copy may be laid
    return menu


def _aimed(d: State, may: int, tail: int) -> Menu:
    """The list where it hangs on who can be hit, or on what lies below."""
    table = d.table
    key = (tail, may, d.seat, d.active, -1, -1)
    if may & table.mirrors or not table.wish_any:
        key = (tail, may, d.seat, d.active, d.top, d.wish)
    menu = table.aimed.get(key)
    if menu is None:
        if len(table.aimed) >= KEPT:
            table.aimed.clear()
        menu = table.aimed[key] = _made(d, may, tail)
    return menu


def _made(d: State, may: int, tail: int) -> Menu:
    table = d.table
    words = table.words(tail, may)
    if tail >= TAILS:
        return joined([*(_bare(table, code) for code in codes(may)), words])
    if may & table.unkept:
        return joined([*(_alone(d, code) for code in codes(may)), words])
    low = may & table.lower
    halves = table.halves
    lower = halves.get(low) or _half(d, low)
    upper = halves.get(may ^ low) or _half(d, may ^ low)
    return assembled(lower, upper, words)


def _half(d: State, may: int) -> Menu:
    """The cards of a list out of one half of the pack; most lists are made of two of these, kept."""
    if len(d.table.halves) >= KEPT:
        d.table.halves.clear()
    half = d.table.halves[may] = joined([_alone(d, code) for code in codes(may)])
    return half


def _bare(table: Table, code: int) -> Menu:
    action = parse(NAMES[code])
    return Menu({action: table.move(action)})


def _alone(d: State, code: int) -> Menu:
    """One card with its moves; where they do not hang on anything else they are kept."""
    table = d.table
    found = table.alone.get(code)
    if found is None:
        found = Menu({action: table.move(action) for action in map(parse, forms(d, code))})
        if not table.unkept >> code & 1:
            table.alone[code] = found
    return found


def forms(d: State, code: int, below: tuple[int, ...] = ()) -> list[str]:
    """The ways in which one card can be laid (on others laid with it) while the deal goes on."""
    table = d.table
    power = table.powers[table.counts_as((*below, code), d.top)]
    name = "+".join(NAMES[card] for card in (*below, code))
    return _apologies(table, power, _forms(d, code, name, power))


def last_forms(d: State, code: int, below: tuple[int, ...] = ()) -> list[str]:
    """The same where it ends the deal: nothing is named with it, but an apology may follow all the same."""
    power = d.table.powers[d.table.counts_as((*below, code), d.top)]
    return _apologies(d.table, power, ["+".join(NAMES[card] for card in (*below, code))])


def _apologies(table: Table, power: Power, texts: list[str]) -> list[str]:
    if table.law is None or not table.law.sorry or not power.harms:
        return texts
    return [said for text in texts for said in (text, f"{text}/sorry")]


def _forms(d: State, code: int, name: str, power: Power) -> list[str]:
    if power.wishes:
        barred = () if d.table.wish_any else (code % 4 if code != JOKER else -1, *in_force(d))
        return [f"{name}>{letter}" for suit, letter in enumerate(SUITS) if suit not in barred]
    if power.target:
        aims = [SEATS[seat] for seat in range(d.seats) if seat != d.seat and d.active >> seat & 1]
        return [f"{name}@{aim}" for aim in [*aims, "-"] if aim != "-" or power.optional]
    return [name]


def in_force(d: State) -> list[int]:
    """The suit that must be served now, where a wish must name another."""
    return [suit for suit, lists in enumerate(d.table.strict) if lists is d.menus]
