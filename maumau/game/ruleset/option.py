"""Options: the choices of a variant, with the known values and the default."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from maumau.errors import BadOption
from maumau.game.notation.cards import JOKER, NAMES, RANKS

ENGINE_OPTIONS: Final = frozenset(
    (
        "accuse_until",
        "count_out",
        "cut_max_repeat",
        "cut_on",
        "deal",
        "deal_error_rate",
        "detection",
        "draw_until_playable",
        "final_effects",
        "first_player",
        "hand_end",
        "initial_dir",
        "jokers",
        "king_row_min",
        "king_turn",
        "king_window",
        "mau_always",
        "max_decisions",
        "max_hands",
        "may_play_drawn",
        "min_stock",
        "must_play_drawn",
        "overdraw_to_side",
        "packs",
        "places",
        "play_after_draw",
        "plenum",
        "plenum_tie",
        "qr_real_queens",
        "qr_show_two",
        "reshuffle_keep",
        "reshuffle_when",
        "reverse_two",
        "rounds",
        "score_table",
        "scoring",
        "skip_responder",
        "skip_stack",
        "start_card",
        "start_wild",
        "straf_pickup",
        "target",
        "voluntary_draw",
        "wild_on_wild",
        "wish_any",
    )
)
"""The options that the engine and the rulebook read by name: known without reading all variants."""

Value = bool | int | str | list[str | int]


class Option(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """One option. Its values are those listed, the numbers allowed, or both."""

    default: Value
    """The value where nothing else is chosen."""
    values: list[Value] = []
    """The values that it may have."""
    least: int | None = None
    """The least number that it may be; without it, only the numbers listed in `values` are allowed."""
    most: int | None = None
    """The greatest number that it may be (1,000,000 where only `least` is given)."""
    auto: int | None = None
    """The number of players from which the value `"auto"` means true; with fewer it means false."""
    numbers: int = 0
    """The length of its value, where that is a list of numbers; 0 where it is not."""
    selects: Literal["", "card", "rank or card"] = ""
    """The kind of value, if it is a card, or a card or rank."""
    says: str = ""
    """The choice in words; without effect."""
    source: str = ""
    """Where the default is from: a source's number with its words, `ext` (found elsewhere only), or `(R)`
    (our own reading)."""

    def check(self, name: str, value: Any) -> Value:
        """Return the value if this option allows it; raise BadOption with the known values otherwise.

        A rank may be given as a number: YAML reads `[A, 9]` so.
        """
        if isinstance(value, list) and [*map(str, value)] in self.values:
            return [*map(str, value)]
        if any(type(value) is type(known) and value == known for known in self.values):
            return value  # type: ignore[no-any-return]
        if self.least is not None and type(value) is int and self.least <= value <= self.limit:
            return value
        if type(value) in (str, int) and str(value) in self.selectors():
            return str(value)
        if (
            self.numbers
            and isinstance(value, list)
            and len(value) == self.numbers
            and all(map(_is_seat_limit, value))
        ):
            return value
        words = f"option {name} cannot be {format_value(value)}: it is {self.known()}"
        raise BadOption(words, field=f"options.{name}")

    def at(self, value: Value, seats: int) -> Value:
        """Return the value with this many seats."""
        return seats >= self.auto if self.auto is not None and value == "auto" else value

    def selectors(self) -> list[str]:
        """Return the ranks and cards that are valid values."""
        ranks = [*RANKS] if self.selects == "rank or card" else []
        return [*ranks, *NAMES[:JOKER]] if self.selects else []

    @property
    def limit(self) -> int:
        """The greatest number allowed."""
        return 1_000_000 if self.most is None else self.most

    def known(self) -> str:
        """Return the values of this option, in words."""
        words = [format_value(value) for value in self.values]
        if self.least is not None:
            words.append(f"a number from {self.least} to {self.limit}")
        if self.selects:
            words.append(f"a {self.selects}")
        if self.numbers:
            words.append(f"a list of {self.numbers} numbers from 1 on")
        return " or ".join(words)


def _is_seat_limit(value: Any) -> bool:
    return type(value) is int and value > 0


def format_value(value: Any) -> str:
    """Return a value as it is written in a variant file: true and false in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def resolve_options(declared: dict[str, Option], chosen: dict[str, Any]) -> dict[str, Value]:
    """Return every declared option with its value: the chosen one or the default."""
    for name in chosen:
        if name not in declared:
            words = f"there is no option {name}; known: {', '.join(sorted(declared))}"
            raise BadOption(words, field=f"options.{name}")
    return {
        name: option.check(name, chosen.get(name, option.default))
        for name, option in sorted(declared.items())
    }
