"""Rules: a variant with its options chosen, and its hash."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import msgspec

from maumau.errors import BadOption
from maumau.game.notation import cards
from maumau.game.ruleset.growth import list_changed_options, list_grown_clauses
from maumau.game.ruleset.option import ENGINE_OPTIONS, Value, resolve_options
from maumau.game.ruleset.power import select_cards
from maumau.game.ruleset.variant import Variant, list_names, load_variant, resolve_variant


class Rules:
    """A variant with its options chosen. `load` makes one; it never changes.

    `options` has every option; `hash` is the SHA-256 of all that decides how it is played; `cards` the names
    of one pack; `seats` the fewest and the most players; `added` the rules that players have added; `text`
    the TOML of a custom variant, "" for a known one.
    """

    __slots__ = (
        "added",
        "cards",
        "chosen",
        "hash",
        "kept",
        "kinds",
        "name",
        "options",
        "seats",
        "text",
        "variant",
    )

    def __init__(
        self,
        name: str,
        variant: Variant,
        chosen: dict[str, Any],
        added: tuple[str, ...] = (),
        text: str = "",
    ) -> None:
        self.name = name
        self.text = text
        self.added = added
        self.options = resolve_options(variant.options, chosen)
        self.chosen = {
            key: value for key, value in self.options.items() if value != variant.options[key].default
        }
        self.options |= list_changed_options(variant, added)
        self.variant = variant
        self.seats = variant.seats
        self.kinds = _list_kinds(variant, self.options)
        self.cards = cards.list_names(self.kinds)
        self.kept: dict[object, object] = {}  # what others make of the rules, kept for as long as they are
        self.hash = _compute_hash(self)

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self.chosen.items())
        return f"load({self.name!r}{chosen})"

    def __reduce__(self) -> tuple[object, tuple[str, Variant, dict[str, Value], tuple[str, ...], str]]:
        return Rules, (self.name, self.variant, self.chosen, self.added, self.text)

    def at(self, seats: int) -> Variant:
        """Return the clauses that hold with this many seats, with options resolved."""
        options = {name: self.variant.options[name].at(value, seats) for name, value in self.options.items()}
        return list_grown_clauses(resolve_variant(self.variant, options), self.added)

    def flag(self, name: str) -> bool:
        """Return an option that is true or false; False if only other variants have it."""
        return self._read(name, default=False) is True

    def number(self, name: str, default: int = 0) -> int:
        """Return an option that is a number; the default if only other variants have it."""
        value = self._read(name, default)
        return value if type(value) is int else default

    def word(self, name: str) -> str:
        """Return an option that is a word; "" if it is not one."""
        value = self._read(name, "")
        return value if type(value) is str else ""

    def _read(self, name: str, default: Value) -> Value:
        """Return an option's value, or the default; raise BadOption for a name that no variant has."""
        if name in self.options:
            return self.options[name]
        if name not in ENGINE_OPTIONS and name not in list_option_names():
            raise BadOption(f"no variant has an option {name!r}")
        return default


@cache
def list_option_names() -> frozenset[str]:
    """Return the names of the options of all known variants."""
    return frozenset(option for name in list_names() for option in load_variant(name).options)


def variants() -> list[str]:
    """Return the names of all known variants."""
    return list_names()


def _list_kinds(variant: Variant, options: dict[str, Value]) -> int:
    """Return the cards of one pack, a joker once."""
    lowest = {"7-A": "7", "6-A": "6", "2-A": "2"}[str(options["ranks"])]
    kinds = sum(cards.rank_mask(rank) for rank in range(cards.RANKS.index(lowest), len(cards.RANKS)))
    for pack in resolve_variant(variant, options).pack:
        kinds &= ~select_cards(pack.without)
    return kinds | (cards.mask_of("XX") if options["jokers"] else 0)


def _compute_hash(rules: Rules) -> str:
    """Return the SHA-256 over the canonical JSON of everything that decides how a deal is played."""
    plain = msgspec.structs.replace(rules.variant, title="", source="", extends="", options={})
    said: dict[str, Any] = {"maumau": 1, "name": rules.name, "options": rules.options}
    said |= {"variant": msgspec.to_builtins(plain)} | ({"added": rules.added} if rules.added else {})
    return hashlib.sha256(msgspec.json.encode(_drop_sentences(said), order="sorted")).hexdigest()


def _drop_sentences(value: Any) -> Any:
    """Return a copy without the `says` texts of clauses."""
    if isinstance(value, dict):
        return {key: _drop_sentences(part) for key, part in value.items() if key != "says"}
    return [_drop_sentences(part) for part in value] if isinstance(value, list) else value


def chosen_text(rules: Rules) -> str:
    """Return the options that differ from the default, as JSON."""
    return msgspec.json.encode(rules.chosen, order="sorted").decode()
