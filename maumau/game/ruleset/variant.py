"""A variant's file: its model, how it is read, and how options select its clauses."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from maumau.errors import BadVariant, UnknownVariant
from maumau.game.ruleset.clause import (
    Addition,
    Blind,
    Breach,
    Calls,
    Card,
    Clause,
    Comeback,
    Growth,
    Lives,
    Pack,
    Rescue,
    Score,
    Together,
)
from maumau.game.ruleset.mistake import find_misfit, locate_path
from maumau.game.ruleset.option import Option, Value
from maumau.game.ruleset.toml import load_toml

if TYPE_CHECKING:
    from pathlib import Path


C = TypeVar("C", bound=Clause)


class Variant(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A variant's file. docs/reference/variant.md shows the strings below the fields."""

    title: str
    """The name of the game and what is special about it, in one line."""
    source: str
    """The source of the rules."""
    seats: tuple[int, int]
    """The fewest and the most players."""
    packs: list[tuple[int, int | str]]
    """Pairs of numbers: the most players, and how many packs of cards they play with."""
    hands: list[tuple[int, int]] = []
    """Pairs of numbers: how many players, and how many cards each is dealt; it counts where the option
    `deal` is `by_players`."""
    extends: str = ""
    """The known variant on which this one is built; it must not itself extend another."""
    pack: list[Pack] = []
    """Cards that the pack does not have."""
    card: list[Card] = []
    """Effects of cards."""
    together: list[Together] = []
    """Cards that may be laid together."""
    call: Calls = Calls()
    """The words that must be said."""
    violation: list[Breach] = []
    """Violations of which players can be accused."""
    comeback: list[Comeback] = []
    """Ways to bring a player without cards back."""
    rescue: list[Rescue] = []
    """Cards that save a player who must take cards."""
    blind: list[Blind] = []
    """Cards are laid face down."""
    lives: list[Lives] = []
    """The deals that a player may lose."""
    score: list[Score] = []
    """The scoring of a deal and a game."""
    growth: list[Growth] = []
    """The points after which players may add a rule."""
    rule: list[Addition] = []
    """The rules that players may add."""
    options: dict[str, Option] = {}
    """Choices when the variant is played, by name."""


msgspec.json.Decoder(Variant)
"""msgspec looks at the models here: where two threads have it do so at once, the process dies (SIGSEGV)."""


def _get_folder() -> Path:
    """Return the folder of the variants; imports pathlib late, a twelfth of the game's import time."""
    from pathlib import Path

    return Path(__file__).parents[2] / "variants"


def list_names() -> list[str]:
    """Return the names of all known variants."""
    return sorted(path.stem for path in _get_folder().glob("*.toml"))


@cache
def load_variant(name: str) -> Variant:
    """Return a variant's file merged with its base; raise UnknownVariant with the known names.

    Read once in a process: a TOML file takes longer to read than its rules to compile.
    """
    if name not in list_names():
        from difflib import get_close_matches  # seldom needed

        like = get_close_matches(name.lower(), list_names(), 3)
        near = f"near it: {', '.join(like)}; " if like else ""
        words = f"there is no variant {name[:100]!r}; {near}known: {', '.join(list_names())}"
        raise UnknownVariant(words, thing=name, field="rules")
    return read_variant((_get_folder() / f"{name}.toml").read_text(encoding="utf-8"), name)


def read_variant(text: str, name: str) -> Variant:
    """Return the variant of a text; raise BadVariant with the position of an unknown word."""
    try:
        raw = _parse_toml(text, name)
        if "extends" in raw:
            raw = _extend_base(raw)
        raw["options"] = _load_common_options() | raw.get("options", {})
        return msgspec.convert(raw, Variant)
    except (msgspec.ValidationError, TypeError):
        raise BadVariant(f"variant {name}: {_explain_mistake(text, name)}") from None


def every_option() -> dict[str, Option]:
    """Return the options that every variant has, with their general values."""
    return msgspec.convert(_load_common_options(), dict[str, Option])


@cache
def _load_common_options() -> Any:
    """Return the options of `every.toml`, read once in a process; not to be changed."""
    file = _get_folder().parent / "game" / "ruleset" / "every.toml"
    return _parse_toml(file.read_text(encoding="utf-8"), file.stem)["options"]


def _parse_toml(text: str, name: str) -> dict[str, Any]:
    try:
        return load_toml(text)
    except ValueError as error:
        raise BadVariant(f"variant {name}: {error}") from None
    except RecursionError:
        raise BadVariant(f"variant {name}: its values are nested too deeply") from None


def _explain_mistake(text: str, name: str) -> str:
    """Return position and reason of the first mistake in a variant's text."""
    raw = _parse_toml(text, name)
    needed = {field.encode_name for field in msgspec.structs.fields(Variant) if field.required}
    base = _load_base(raw["extends"]) if "extends" in raw else {}
    path, words = find_misfit(Variant, {key: base[key] for key in needed & set(base)} | raw, []) or ([], "")
    if path[:-1] == ["options"]:
        words = f"an option is written with all it may be: {_write_option(str(path[-1]), raw)}"
    return f"{locate_path(text, path)}: {words}"


def _write_option(name: str, raw: dict[str, Any]) -> str:
    """Return an option that may be its given value alone, as TOML, where that is what was written."""
    value = raw["options"][name]
    if not isinstance(value, bool | int | str):
        return "{ values = [true, false], default = true }"
    written = msgspec.json.encode(value).decode()
    return f"{name} = {{ values = [{written}], default = {written} }}"


def _extend_base(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the base's file overlaid with this one: one level deep."""
    base = _load_base(raw["extends"])
    merged = base | raw
    for key in (
        "pack",
        "card",
        "together",
        "violation",
        "comeback",
        "rescue",
        "blind",
        "lives",
        "score",
        "growth",
        "rule",
    ):
        merged[key] = base.get(key, []) + raw.get(key, [])
    for key in ("call", "options"):
        merged[key] = base.get(key, {}) | raw.get(key, {})
    return merged


def _load_base(name: Any) -> dict[str, Any]:
    if name not in list_names():
        raise BadVariant(f"there is no variant {name!r} to extend; known: {', '.join(list_names())}")
    base = _parse_toml((_get_folder() / f"{name}.toml").read_text(encoding="utf-8"), name)
    if "extends" in base:
        raise BadVariant(f"{name!r} itself extends {base['extends']}: one level is allowed")
    return base


# --- resolution ----------------------------------------------------------------------------------------


def resolve_variant(variant: Variant, options: dict[str, Value]) -> Variant:
    """Return the variant without the clauses that do not hold, with options resolved."""
    calls = variant.call
    return msgspec.structs.replace(
        variant,
        options={},
        pack=_keep_clauses(variant.pack, options),
        packs=[(seats, options.get(str(packs), packs)) for seats, packs in variant.packs],
        card=_keep_clauses(variant.card, options),
        together=_keep_clauses(variant.together, options),
        call=Calls(_keep_clauses(calls.left, options), _keep_clauses(calls.out, options)),
        violation=_keep_clauses(variant.violation, options),
        comeback=_keep_clauses(variant.comeback, options),
        rescue=_keep_clauses(variant.rescue, options),
        blind=_keep_clauses(variant.blind, options),
        lives=_keep_clauses(variant.lives, options),
        score=_keep_clauses(variant.score, options),
        growth=_keep_clauses(variant.growth, options),
    )


def _keep_clauses(clauses: list[C], options: dict[str, Value]) -> list[C]:
    return [_fill_clause(clause, options) for clause in clauses if _clause_holds(clause, options)]


def _clause_holds(clause: Clause, options: dict[str, Value]) -> bool:
    for name, value in clause.when.items():
        if name not in options:
            raise BadVariant(f"a clause asks for the option {name!r}, which is not declared")
        if options[name] != value and not (isinstance(value, list) and options[name] in value):
            return False
    return True


def _resolve_words(named: str, options: dict[str, Value]) -> list[str]:
    """Return the word of a list, or the words of the option with this name."""
    value = options.get(named)
    if isinstance(value, list):
        return [str(word) for word in value]
    return [value] if isinstance(value, str) else [named]


def _fill_clause(clause: C, options: dict[str, Value]) -> C:
    """Return the clause with each name of an option replaced by the option's value."""
    values: dict[str, Any] = {}
    for field in clause.__struct_fields__:
        value = getattr(clause, field)
        if isinstance(value, list):
            values[field] = [word for named in value for word in _resolve_words(named, options)]
        elif isinstance(value, dict) and field != "when":
            values[field] = {key: options.get(word, word) for key, word in value.items()}
        elif field != "says" and isinstance(value, str) and value in options:
            values[field] = options[value]
    return msgspec.structs.replace(clause, when={}, **values)
