"""A variant's file: its model, how it is read, and how its options choose what holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from maumau.errors import BadVariant, UnknownVariant
from maumau.game.mistake import misfit, place
from maumau.game.option import Option, Value

if TYPE_CHECKING:
    from pathlib import Path


class Clause(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A part of a variant that holds only where the options named in `if` have the values given there."""

    when: dict[str, Value] = msgspec.field(default_factory=dict, name="if")
    says: str = ""


C = TypeVar("C", bound=Clause)


class Pack(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Ranks and cards that the pack does not have."""

    without: list[str] = []


class Card(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """What some cards do. A later entry adds to and overrides an earlier one for the same card.

    A word or number may be the name of an option; it then has that option's value.
    """

    on: list[str]
    plain: bool = False
    owe: int | str | None = None
    answer: list[str] | None = None
    after: str | None = None
    skip: str | None = None
    reverse: bool | None = None
    wild: bool | None = None
    anytime: bool | None = None
    names: str | None = None
    not_on: list[str] | None = None
    cover: str | None = None
    again: str | None = None
    last: str | None = None
    fine: int | None = None
    others: int | None = None
    target: int | None = None
    optional: bool | str | None = None
    turn: bool | None = None
    mirror: bool | None = None
    each: bool | None = None
    anywhere: bool | None = None
    cancel: bool | None = None
    joined: bool | None = None
    late: bool | None = None
    twisted: bool | None = None
    round: bool | None = None
    touch: bool | None = None


class Together(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Cards that may be laid together: `ranks` any or power_only for equal ranks, or a run on a base card.

    `sets` are cards of which those of one rank may be laid together.
    """

    ranks: str = ""
    sets: list[str] = []
    base: list[str] = []


class Call(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """A word that must be said: `double` cards ask for the special one, the `others` for the plain."""

    double: list[str] = []
    others: bool = True
    until: str = "play"
    penalty: int | str = 1


class Calls(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """The word with one card left, and the word with the last card."""

    left: list[Call] = []
    out: list[Call] = []


class Breach(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Violations of the rules that players can be accused of; the plenum does not vote on a `fact`.

    Where a variant has any, penalty cards lie in front of a seat, and turns are ordinary turns (court.py).
    """

    kinds: list[str] = []
    fact: bool = False


class Comeback(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Who has no cards left may be dealt back in by one of these cards aimed at him."""

    cards: list[str] = []
    skip_extends: bool | str = False


class Rescue(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Who must take cards may lay one of these at once if he draws it."""

    cards: list[str] = []


class Lives(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Each lost deal costs a life, and a card of the next hands; who has none left is out of the game."""

    count: int | str = 0


class Blind(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Cards are laid face down, each with a claim that the next player may doubt.

    `claim_legal`: only a card that could be laid may be claimed. Who doubts the truth draws `wrong_draw` and
    (`wrong_miss`) misses his turn; who is caught takes the card back (`caught_return`), draws `caught_draw`,
    and (`caught_over`) his turn is over.
    """

    claim_legal: bool | str = True
    wrong_draw: int | str = 1
    wrong_miss: bool | str = True
    caught_return: bool | str = True
    caught_draw: int | str = 1
    caught_over: bool | str = True


class Score(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """How a deal and a game are scored; a later clause overrides an earlier one.

    `double` are the last cards that double the points; `values` sets what a card counts, `out` what going
    out with a card counts, `reset` what an exact total becomes, `above` the total above which a game ends.
    With `win` hands are not counted: the winner has so many points, `called` if he won with the special word.
    """

    scored: bool | None = None
    wins: bool | str | None = None
    table: str | None = None
    target: int | str | None = None
    double: list[str] | None = None
    values: dict[str, int | str] | None = None
    out: dict[str, int | str] | None = None
    reset: dict[str, int | str] | None = None
    above: int | None = None
    win: int | None = None
    called: int | None = None


class Growth(Clause, frozen=True, omit_defaults=True, kw_only=True):
    """Who has won so many points more may add a rule: by the number of players, from the fewest on."""

    quota: list[int] | str = []


class Addition(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A rule that may be added: what it takes, and what it then changes.

    In `card` and `together` $1 and $2 stand for what it takes; a number is one of `numbers`. `set` are
    options. `builds` names the effect that the cards must have for it.
    """

    name: str
    takes: list[Literal["rank", "card", "rank or card", "number"]] = []
    numbers: list[int] = []
    card: dict[str, Any] = {}
    together: dict[str, Any] = {}
    set: dict[str, Value] = {}
    builds: str = ""
    says: str = ""


class Variant(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A variant's file. `packs` lists (up to so many seats, so many packs), `hands` (seats, cards dealt)."""

    title: str
    source: str
    seats: tuple[int, int]
    packs: list[tuple[int, int | str]]
    hands: list[tuple[int, int]] = []
    extends: str = ""
    pack: list[Pack] = []
    card: list[Card] = []
    together: list[Together] = []
    call: Calls = Calls()
    violation: list[Breach] = []
    comeback: list[Comeback] = []
    rescue: list[Rescue] = []
    blind: list[Blind] = []
    lives: list[Lives] = []
    score: list[Score] = []
    growth: list[Growth] = []
    rule: list[Addition] = []
    options: dict[str, Option] = {}


def _folder() -> Path:
    """Where the variants are; asked when one is read, for pathlib is a twelfth of the game's import."""
    from pathlib import Path

    return Path(__file__).parent.parent / "variants"


def names() -> list[str]:
    """The names of the variants there are."""
    return sorted(path.stem for path in _folder().glob("*.toml"))


def load_variant(name: str) -> Variant:
    """A variant's file with what it takes from the one it extends; UnknownVariant says what is known."""
    path = _folder() / f"{name}.toml"
    if "/" in name or "\0" in name or not path.is_file():
        raise UnknownVariant(f"there is no variant {name!r}; known are {', '.join(names())}")
    return read_variant(path.read_text(encoding="utf-8"), name)


def read_variant(text: str, name: str) -> Variant:
    """Check a variant's text; BadVariant says where a word is not known."""
    try:
        raw = _toml(text, name)
        if "extends" in raw:
            raw = _extended(raw)
        raw["options"] = _every() | raw.get("options", {})
        return msgspec.convert(raw, Variant)
    except (msgspec.ValidationError, TypeError):
        raise BadVariant(f"variant {name}: {_mistake(text, name)}") from None


def every_option() -> dict[str, Option]:
    """The options that every variant has, as they are where its own file says nothing."""
    return msgspec.convert(_every(), dict[str, Option])


def _every() -> Any:
    file = _folder().parent / "game" / "every.toml"
    return _toml(file.read_text(encoding="utf-8"), file.stem)["options"]


def _toml(text: str, name: str) -> dict[str, Any]:
    import tomllib  # a bot that is only asked for its moves reads no variant

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadVariant(f"variant {name}: {error}") from None


def _mistake(text: str, name: str) -> str:
    """Where the text is not as a variant must be, and why."""
    raw = _toml(text, name)
    needed = {field.encode_name for field in msgspec.structs.fields(Variant) if field.required}
    base = _base(raw["extends"]) if "extends" in raw else {}
    path, words = misfit(Variant, {key: base[key] for key in needed & set(base)} | raw, []) or ([], "")
    if path[:-1] == ["options"]:
        words = "an option is written with all it may be: { values = [true, false], default = true }"
    return f"{place(text, path)}: {words}"


def _extended(raw: dict[str, Any]) -> dict[str, Any]:
    """The base's file with this one laid over it: one level deep."""
    base = _base(raw["extends"])
    merged = base | raw
    for key in (
        "pack", "card", "together", "violation", "comeback", "rescue", "blind", "lives", "score", "growth",
        "rule",
    ):  # fmt: skip
        merged[key] = base.get(key, []) + raw.get(key, [])
    for key in ("call", "options"):
        merged[key] = base.get(key, {}) | raw.get(key, {})
    return merged


def _base(name: Any) -> dict[str, Any]:
    if name not in names():
        raise BadVariant(f"there is no variant {name!r} to extend; known are {', '.join(names())}")
    base = _toml((_folder() / f"{name}.toml").read_text(encoding="utf-8"), name)
    if "extends" in base:
        raise BadVariant(f"{name!r} itself extends {base['extends']}: one level is allowed")
    return base


# --- what holds ------------------------------------------------------------------------------------------


def resolved(variant: Variant, options: dict[str, Value]) -> Variant:
    """The variant with the clauses that do not hold left out and the names of options read."""
    calls = variant.call
    return msgspec.structs.replace(
        variant,
        options={},
        pack=_kept(variant.pack, options),
        packs=[(seats, options.get(str(packs), packs)) for seats, packs in variant.packs],
        card=_kept(variant.card, options),
        together=_kept(variant.together, options),
        call=Calls(_kept(calls.left, options), _kept(calls.out, options)),
        violation=_kept(variant.violation, options),
        comeback=_kept(variant.comeback, options),
        rescue=_kept(variant.rescue, options),
        blind=_kept(variant.blind, options),
        lives=_kept(variant.lives, options),
        score=_kept(variant.score, options),
        growth=_kept(variant.growth, options),
    )


def _kept(clauses: list[C], options: dict[str, Value]) -> list[C]:
    return [_filled(clause, options) for clause in clauses if _holds(clause, options)]


def _holds(clause: Clause, options: dict[str, Value]) -> bool:
    for name, value in clause.when.items():
        if name not in options:
            raise BadVariant(f"a clause asks for the option {name!r}, which is not declared")
        if options[name] != value and not (isinstance(value, list) and options[name] in value):
            return False
    return True


def _words(named: str, options: dict[str, Value]) -> list[str]:
    """The word of a list, or those that the option with this name has."""
    value = options.get(named)
    if isinstance(value, list):
        return [str(word) for word in value]
    return [value] if isinstance(value, str) else [named]


def _filled(clause: C, options: dict[str, Value]) -> C:
    """The clause with each word that names an option replaced by the option's value."""
    values: dict[str, Any] = {}
    for field in clause.__struct_fields__:
        value = getattr(clause, field)
        if isinstance(value, list):
            values[field] = [word for named in value for word in _words(named, options)]
        elif isinstance(value, dict) and field != "when":
            values[field] = {key: options.get(word, word) for key, word in value.items()}
        elif field != "says" and isinstance(value, str) and value in options:
            values[field] = options[value]
    return msgspec.structs.replace(clause, when={}, **values)
