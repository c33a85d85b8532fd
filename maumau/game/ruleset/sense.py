"""Contradictions that no variant may contain although each word is known: checked in custom files."""

from __future__ import annotations

from collections.abc import Iterator

from maumau.errors import BadOption, BadVariant
from maumau.game.notation.action import SEATS
from maumau.game.ruleset.bound import list_excesses
from maumau.game.ruleset.clause import Card
from maumau.game.ruleset.option import Option, Value
from maumau.game.ruleset.variant import Variant, every_option

NUMBERS = ("owe", "fine", "others", "target", "chain")  # of a card's clause: how many cards, seats
MAX_CARDS = 100  # that one card makes somebody draw


def check_variant(variant: Variant, name: str) -> Variant:
    """Return the variant; raise BadVariant with its first contradiction."""
    for words in list_contradictions(variant):
        raise BadVariant(f"variant {name}: {words}")
    return variant


def list_contradictions(variant: Variant) -> Iterator[str]:
    """Yield each contradiction in words, with its key in quotes."""
    few, most = variant.seats
    if not 2 <= few <= most <= len(SEATS):
        yield f"'seats' are the fewest and the most players, from 2 to {len(SEATS)}, not {few} and {most}"
    if max((seats for seats, _ in variant.packs), default=0) < most:
        yield f"'packs' gives the number of packs per number of players; it has no entry for {most}"
    yield from list_excesses(variant)
    for clause in variant.card:
        yield from _list_card_contradictions(clause)
    for score in variant.score:
        if score.place is not None and not (0 < len(score.place) <= most and min(score.place) >= 0):
            yield f"'place' has 1 to {most} numbers from 0 on, the points of each place"
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
    """Yield the values of a general option that the engine does not know: variants may only narrow it."""
    values: list[Value] = [own.default, *own.values]
    for value in values:
        if (name, value) == ("deal", "by_players"):  # `hands` has the sizes in this case
            continue
        try:
            general.check(name, value)
        except BadOption as error:
            yield str(error).replace(name, f"'{name}'", 1)
