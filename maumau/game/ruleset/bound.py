"""Limits for custom variants: the size of the file and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from maumau.game.ruleset.option import Option
from maumau.game.ruleset.variant import Variant, every_option

MAX_PACKS: Final = 3
MAX_HAND: Final = 20
MAX_DECISIONS: Final = 10_000  # of one deal: it ends then if nobody has gone out
MAX_CLAUSES: Final = 200  # of one kind
MAX_OPTIONS: Final = 64
MAX_VALUES: Final = 32  # of one option
MAX_NUMBER: Final = 1_000_000


def list_excesses(variant: Variant) -> Iterator[str]:
    """Yield each excess in words, with its key in quotes."""
    own = variant.options.keys() - every_option().keys()
    if len(own) > MAX_OPTIONS:
        yield f"it has {len(own)} 'options' of its own, and {MAX_OPTIONS} are the most"
    plain: dict[str, Any] = msgspec.to_builtins(variant)
    for key, part in (plain | plain.get("call", {})).items():
        if isinstance(part, list) and len(part) > MAX_CLAUSES:
            yield f"'{key}' stands there {len(part)} times, and {MAX_CLAUSES} are the most"
        if any(abs(number) > MAX_NUMBER for number in _list_numbers(part)):
            yield f"'{key}' has a number beyond {MAX_NUMBER:,}"
    for name in own:
        if len(variant.options[name].values) > MAX_VALUES:
            yield f"option '{name}' has more than {MAX_VALUES} values"
    yield from _list_deal_excesses(variant)


def _list_deal_excesses(variant: Variant) -> Iterator[str]:
    """Yield the excesses of packs, hands and decisions, also where an option sets the number."""
    for _, packs in variant.packs:
        values = [packs] if isinstance(packs, int) else _list_option_numbers(variant.options.get(packs))
        if any(not 1 <= value <= MAX_PACKS for value in values):
            yield f"'packs' are 1 to {MAX_PACKS}"
    if any(not 1 <= cards <= MAX_HAND for _, cards in variant.hands):
        yield f"'hands' have 1 to {MAX_HAND} cards"
    if any(value > MAX_DECISIONS for value in _list_option_numbers(variant.options.get("max_decisions"))):
        yield f"a deal ends after 'max_decisions', and {MAX_DECISIONS:,} are the most"


def _list_option_numbers(option: Option | None) -> list[int]:
    """Return the numbers that an option names as values."""
    if option is None:
        return []
    return [value for value in (option.default, *option.values) if type(value) is int]


def _list_numbers(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            yield from _list_numbers(part)
    elif type(value) is int:
        yield value
