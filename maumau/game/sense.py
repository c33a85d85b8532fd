"""What no variant may say, though each word of it is known: asked of files of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from maumau.errors import BadOption, BadVariant
from maumau.game.action import SEATS
from maumau.game.bound import list_excesses
from maumau.game.clause import Card
from maumau.game.option import Option, Value
from maumau.game.variant import Variant, every_option

NUMBERS = ("owe", "fine", "others", "target")  # of a card's clause: how many cards, seats
MAX_CARDS = 100  # that one card makes somebody draw


def check_variant(variant: Variant, name: str) -> Variant:
    """The variant; BadVariant says the first thing in it that cannot be."""
    for words in list_contradictions(variant):
        raise BadVariant(f"variant {name}: {words}")
    return variant


def list_contradictions(variant: Variant) -> Iterator[str]:
    """Each thing that cannot be, in words; the key that says it stands in quotes."""
    few, most = variant.seats
    if not 2 <= few <= most <= len(SEATS):
        yield f"'seats' are the fewest and the most players, from 2 to {len(SEATS)}, not {few} and {most}"
    if max((seats for seats, _ in variant.packs), default=0) < most:
        yield f"'packs' gives the number of packs per number of players; it has no entry for {most}"
    yield from list_excesses(variant)
    for clause in variant.card:
        yield from _list_card_contradictions(clause)
    general = every_option()
    for name in variant.options.keys() & general.keys():
        yield from _list_option_contradictions(name, variant.options[name], general[name])


def _list_card_contradictions(clause: Card) -> Iterator[str]:
    if not clause.on:
        yield "'on' names no card, so its clause never holds"
    for name in NUMBERS:
        value = getattr(clause, name)
        if isinstance(value, int) and not 0 <= value <= MAX_CARDS:
            yield f"'{name}' cannot be {value}: it is a number from 0 to {MAX_CARDS}"


def _list_option_contradictions(name: str, own: Option, general: Option) -> Iterator[str]:
    """An option that every variant has may be narrowed; the engine knows no other values of it."""
    values: list[Value] = [own.default, *own.values]
    for value in values:
        if (name, value) == ("deal", "by_players"):  # then `hands` says how many
            continue
        try:
            general.check(name, value)
        except BadOption as error:
            yield str(error).replace(name, f"'{name}'", 1)
