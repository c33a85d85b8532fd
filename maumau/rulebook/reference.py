"""Tables of every key of a variant's file and of a contest's spec, in docs/reference.

A page has its tables between `<!-- keys: Card -->` and `<!-- end -->`; `make rules` writes them anew from the
models. The description of a key is the string below its field.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from maumau.contest import match_rule, whole_game
from maumau.contest.format import FORMATS
from maumau.contest.format import stage as contest_stage
from maumau.contest.format.stage import Stage
from maumau.contest.spec import part as spec_part
from maumau.contest.spec import spec
from maumau.game.model.scoring import TABLES
from maumau.game.ruleset import clause, option, variant
from maumau.game.ruleset.power import EFFECTS
from maumau.rulebook import card as card_words
from maumau.rulebook import clause as clause_words
from maumau.rulebook import reference_option
from maumau.rulebook.name import list_words

PAGES: Final = (Path("docs/reference/variant.md"), Path("docs/reference/contest.md"))
MARK: Final = re.compile(r"<!-- keys: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
EVERYWHERE: Final = ("if", "says")  # keys of every clause, described once

# the words of a key whose type does not list or explain them all
WORDS: Final[dict[str, dict[str, str]]] = {
    "Card.after": card_words.AFTER,
    "Card.skip": {
        word: text.format(answer=", or answers with a card named in `answer`")
        for word, text in card_words.SKIP.items()
    }
    | {"none": f"{card_words.SKIP['none']} and cannot avert it"},
    "Card.names": card_words.NAMES,
    "Card.cover": card_words.COVER,
    "Card.again": card_words.AGAIN,
    "Card.last": card_words.LAST,
    "Together.ranks": clause_words.RANKS_TOGETHER,
    "Call.until": clause_words.UNTIL,
    "Call.penalty": clause_words.PENALTIES,
    "Breach.kinds": clause_words.VIOLATIONS,
    "Score.table": {
        name: clause_words.SCORE["table"](clause.Score(table=name)).removeprefix("Cards left in hand count: ")
        for name in TABLES
    },
    "Addition.builds": dict.fromkeys(EFFECTS, ""),
    "Spec.release": {
        "public": "everybody",
        "participants": "accounts with a bot in it that has not been withdrawn",
        "end": "nobody but its organiser and admins",
    },
    "Stage.format": {name: each.title for name, each in FORMATS.items()},
    "Stage.seeds": {
        "entry": "the order in which the bots were entered",
        "previous": "the table after the previous stage, so the first stage cannot have it",
        "draw": "lots that follow from the secret and the entries",
        "given": "the list `given`",
    },
    "Swiss.order": {
        "rating": "the fit of ratings over all sets, as in every format",
        "points": "points, then Buchholz, then Sonneborn-Berger, then the rating",
    },
    "Spec.score": {
        "win": "a deal won counts, by however much",
        "places": "the better place counts; with two bots it is the same as `win`",
        "points": "the winner of a deal is ahead by the difference of the points, at most 100; who lost it "
        "by a fault is behind by 100",
    },
}
TYPES: Final[dict[Any, str]] = {
    bool: "`true` or `false`",
    int: "whole number",
    float: "number",
    str: "text",
    datetime: "date and time with its offset",
    option.Value: "any value",
}
SEVERAL: Final[dict[Any, str]] = {  # in a list or table
    int: " of whole numbers",
    int | str: " of whole numbers or names of options",
    option.Value: " of values",
}
LIMITS: Final = {"ge": "from {}", "gt": "more than {}", "le": "to {}", "lt": "less than {}"}


def find_models() -> dict[str, type[msgspec.Struct]]:
    """Return every model of the two files by its name."""
    own_stages = {each.stage.__name__: each.stage for each in FORMATS.values()}
    of_contests = spec, spec_part, match_rule, whole_game, contest_stage, *_list_formats()
    return own_stages | {
        name: model
        for module in (clause, option, variant, *of_contests)
        for name, model in vars(module).items()
        if inspect.isclass(model)
        and issubclass(model, msgspec.Struct)
        and model.__module__ == module.__name__
    }


def _list_formats() -> list[ModuleType]:
    """Return the modules of the formats that have keys of their own."""
    return [sys.modules[each.stage.__module__] for each in FORMATS.values()]


def read_sentences(model: type[msgspec.Struct]) -> dict[str, str]:
    """Return the string below each field in a model's source, by the field's name."""
    body = ast.parse(inspect.getsource(model)).body[0]
    found: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, below in pairwise(statements):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            value = ast.literal_eval(below.value)
            found[ast.unparse(field.target)] = " ".join(value.split())
    return found


def render_keys(model: type[msgspec.Struct]) -> str:
    """Return the table of a model's keys, and a list of the words of each key that has any."""
    return "\n".join([*render_table(model, read_sentences(model)), *_list_words(model)])


def render_table(model: type[msgspec.Struct], sentences: dict[str, str]) -> list[str]:
    """Return a row for each key, with its sentence; raise KeyError for a key without one."""
    rows = ["| key | value (and default) | meaning |", "|---|---|---|"]
    for field in _own_fields(model):
        values = _describe_values(model, field, _find_words(model, field))
        rows.append(
            f"| `{field.encode_name}` | {values}{_describe_default(field)} | {sentences[field.name]} |"
        )
    return rows


def _list_words(model: type[msgspec.Struct]) -> list[str]:
    lines: list[str] = []
    for field in _own_fields(model):
        words = _find_words(model, field)
        if any(words.values()):
            lines += ["", f"The words of `{field.encode_name}`:", ""]
            lines += [f"- `{word}`: {text[0].lower()}{text[1:].rstrip('.')}" for word, text in words.items()]
    return lines


def _own_fields(model: type[msgspec.Struct]) -> list[FieldInfo]:
    """Return a model's fields except those of every clause or every stage, which have a separate table."""
    shared: tuple[str, ...] = ()
    if issubclass(model, clause.Clause) and model is not clause.Clause:
        shared = EVERYWHERE
    elif issubclass(model, Stage) and model is not Stage:
        shared = tuple(field.encode_name for field in fields(Stage))
    return [field for field in fields(model) if field.encode_name not in shared]


def _find_words(model: type[msgspec.Struct], field: FieldInfo) -> dict[str, str]:
    return WORDS.get(f"{model.__name__}.{field.name}", {})


def _describe_values(model: type[msgspec.Struct], field: FieldInfo, words: dict[str, str]) -> str:
    """Return the kinds of value that a field may have, and its limits."""
    kinds = [kind for kind in _union_parts(field.type) if kind is not type(None)]
    if words and not any(words.values()):
        return "a key of `[[card]]`"
    if list[str] in kinds:
        return "list of words" if words else "list of cards"
    if issubclass(model, clause.Clause) and len(kinds) > 1 and str in kinds:
        kinds.remove(str)
        named = [*map(_name_kind, kinds), *(["a word"] if words else []), "an option's name"]
    else:
        named = ["a word"] if words and str in kinds else [*map(_name_kind, kinds)]
    return list_words(named, "or")


def _union_parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if kind != option.Value and get_origin(kind) in (Union, UnionType) else (kind,)


def _name_kind(kind: Any) -> str:
    """Return a kind of value in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _name_limited(parts[0], parts[1])
    if origin is Literal:
        return list_words([f"`{word}`" for word in parts if word], "or")
    return TYPES[kind] if kind in TYPES else _name_several(origin, parts)


def _name_several(origin: Any, parts: tuple[Any, ...]) -> str:
    """Return a list or a table in words: of its items or values only the kind."""
    if not origin or any(get_origin(part) is None and _is_table(part) for part in parts):
        return "tables" if origin else "table"
    if origin is tuple:
        return f"list of {_name_kind(parts[0])}" if ... in parts else "two whole numbers"
    if get_origin(parts[-1]) is tuple:
        return "list of pairs"
    inner = parts[-1] if get_origin(parts[-1]) is Literal else None
    named = f" of {_name_kind(inner)}" if inner else SEVERAL.get(parts[-1], "")
    return f"{'list' if origin is list else 'table'}{named}"


def _is_table(kind: Any) -> bool:
    return inspect.isclass(kind) and issubclass(kind, msgspec.Struct)


def _name_limited(kind: Any, limits: msgspec.Meta) -> str:
    if limits.description:
        return f"text: {limits.description}" if kind is str else TYPES[kind]
    told = [
        words.format(f"{limit:,}")
        for name, words in LIMITS.items()
        if (limit := getattr(limits, name)) is not None
    ]
    return " ".join([TYPES[kind], *told[:1]]) + "".join(
        f" {'and ' if 'less' in words else ''}{words}" for words in told[1:]
    )


def _describe_default(field: FieldInfo) -> str:
    if field.required:
        return "; required"
    value = field.default
    if value in (msgspec.NODEFAULT, None, "") or isinstance(value, msgspec.Struct):
        return ""
    return f" (`{json.dumps(value)}`)"


def render_page(text: str) -> str:
    """Return a page with its tables updated from the code."""
    models = find_models()

    def write_keys(mark: re.Match[str]) -> str:
        name = mark[1]
        told = reference_option.render_options() if name == "options" else render_keys(models[name])
        return f"<!-- keys: {name} -->\n{told}\n<!-- end -->"

    return MARK.sub(write_keys, text)


def find_stale() -> list[Path]:
    """Return the pages whose tables differ from the code."""
    return [page for page in PAGES if (text := page.read_text(encoding="utf-8")) != render_page(text)]


if __name__ == "__main__":
    for page in find_stale():
        page.write_text(render_page(page.read_text(encoding="utf-8")), encoding="utf-8")
        sys.stdout.write(f"{page} was updated\n")
