"""Rules: a variant with its options chosen, and its hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

from maumau.errors import BadOption
from maumau.game import cards
from maumau.game.growth import list_changed_options, list_grown_clauses
from maumau.game.option import Value, resolve_options
from maumau.game.power import select_cards
from maumau.game.variant import Variant, list_names, load_variant, resolve_variant

if TYPE_CHECKING:
    from maumau.game.compiled import CompiledRules
    from maumau.game.deal import Deal


class Rules:
    """A variant with its options chosen. `load` makes one; it never changes.

    `options` has every option; `hash` is the SHA-256 of all that decides how it is played; `cards` the names
    of one pack; `seats` the fewest and the most players; `added` the rules that players have added; `text`
    the TOML of a variant of somebody's own, "" for a known one.
    """

    __slots__ = (
        "added",
        "blanks",
        "cards",
        "chosen",
        "hash",
        "kinds",
        "name",
        "options",
        "seats",
        "tables",
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
        self.blanks: dict[int, Deal] = {}  # by seats and absent ones: a deal before it is dealt
        self.tables: dict[int, CompiledRules] = {}
        self.hash = _compute_hash(self)
        if self.flag("places") and self.scored():
            raise BadOption("places cannot be played where the deal is scored")

    def __repr__(self) -> str:
        chosen = "".join(f", {name}={value!r}" for name, value in self.chosen.items())
        return f"load({self.name!r}{chosen})"

    def __reduce__(self) -> tuple[object, tuple[str, Variant, dict[str, Value], tuple[str, ...], str]]:
        return Rules, (self.name, self.variant, self.chosen, self.added, self.text)

    def at(self, seats: int) -> Variant:
        """The clauses that hold with this many seats, the names of options read."""
        options = {name: self.variant.options[name].at(value, seats) for name, value in self.options.items()}
        return list_grown_clauses(resolve_variant(self.variant, options), self.added)

    def flag(self, name: str) -> bool:
        """An option that is true or false; false if the variant does not have it."""
        return self.options.get(name, False) is True

    def scored(self) -> bool:
        """Whether the hands left at the end of a deal count as points of the game."""
        clauses = resolve_variant(self.variant, self.options).score
        return self.flag("scoring") or any(clause.scored for clause in clauses)

    def number(self, name: str, default: int = 0) -> int:
        """An option that is a number; the default if the variant does not have it."""
        value = self.options.get(name, default)
        return value if type(value) is int else default

    def word(self, name: str) -> str:
        """An option that is a word; "" if it is none."""
        value = self.options.get(name, "")
        return value if type(value) is str else ""


def variants() -> list[str]:
    """The names of the variants there are."""
    return list_names()


def load(name: str, /, **options: Any) -> Rules:
    """The rules of a variant; UnknownVariant or BadOption say what is known."""
    return Rules(name, load_variant(name), options)


def _list_kinds(variant: Variant, options: dict[str, Value]) -> int:
    """The cards of one pack, a joker once."""
    lowest = {"7-A": "7", "6-A": "6", "2-A": "2"}[str(options["ranks"])]
    kinds = sum(cards.rank_mask(rank) for rank in range(cards.RANKS.index(lowest), len(cards.RANKS)))
    for pack in resolve_variant(variant, options).pack:
        kinds &= ~select_cards(pack.without)
    return kinds | (cards.mask_of("XX") if options["jokers"] else 0)


def _compute_hash(rules: Rules) -> str:
    """SHA-256 over the canonical JSON of everything that decides how a deal is played."""
    plain = msgspec.structs.replace(rules.variant, title="", source="", extends="", options={})
    said: dict[str, Any] = {"maumau": 1, "name": rules.name, "options": rules.options}
    said |= {"variant": msgspec.to_builtins(plain)} | ({"added": rules.added} if rules.added else {})
    return hashlib.sha256(msgspec.json.encode(_drop_sentences(said), order="sorted")).hexdigest()


def _drop_sentences(value: Any) -> Any:
    """The same without what clauses say of themselves in words."""
    if isinstance(value, dict):
        return {key: _drop_sentences(part) for key, part in value.items() if key != "says"}
    return [_drop_sentences(part) for part in value] if isinstance(value, list) else value


def chosen_text(rules: Rules) -> str:
    """The options that differ from the default, as JSON."""
    return msgspec.json.encode(rules.chosen, order="sorted").decode()
