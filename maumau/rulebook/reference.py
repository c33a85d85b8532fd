"""Every key of a variant's file and of a contest's spec: the tables in docs/variant.md and docs/contest.md.

A page has its tables between `<!-- keys: Card -->` and `<!-- end -->`; `make rules` writes them anew from the
models. What a key says is the string below its field.
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
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from maumau.contest import spec
from maumau.game import clause, option, variant
from maumau.game.power import EFFECTS
from maumau.game.score import TABLES
from maumau.rulebook import card as card_words
from maumau.rulebook import clause as clause_words
from maumau.rulebook import reference_option
from maumau.rulebook.name import listed

PAGES: Final = (Path("docs/variant.md"), Path("docs/contest.md"))
MARK: Final = re.compile(r"<!-- keys: (\w+) -->\n.*?<!-- end -->", re.DOTALL)
EVERYWHERE: Final = ("if", "says")  # keys of every clause, told once

# the words that a key may have, where its type does not say them all, or does not say what they mean
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
    "Stage.format": {
        "round_robin": "every two entrants play one match",
        "single_elimination": "a bracket: whoever loses a match is out, and the best seeds meet last",
    },
    "Stage.seeds": {
        "entry": "the order in which the bots were entered",
        "previous": "the table after the stage before, so the first stage cannot have it",
    },
    "Spec.score": {
        "win": "a deal won counts, by however much",
        "places": "the better place counts; with two bots it is the same as `win`",
        "points": "the winner of a deal is ahead by the difference of the points, at most 100",
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
    """Every model of the two files by its name."""
    return {
        name: model
        for module in (clause, option, variant, spec)
        for name, model in vars(module).items()
        if inspect.isclass(model)
        and issubclass(model, msgspec.Struct)
        and model.__module__ == module.__name__
    }


def read_sentences(model: type[msgspec.Struct]) -> dict[str, str]:
    """What each field of a model itself says: the string below it in the source, by the field's name."""
    body = ast.parse(inspect.getsource(model)).body[0]
    found: dict[str, str] = {}
    statements = body.body if isinstance(body, ast.ClassDef) else []
    for field, below in pairwise(statements):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            value = ast.literal_eval(below.value)
            found[ast.unparse(field.target)] = " ".join(value.split())
    return found


def render_keys(model: type[msgspec.Struct]) -> str:
    """The table of a model's keys, and a list of the words of each key that has any."""
    return "\n".join([*render_table(model, read_sentences(model)), *_list_words(model)])


def render_table(model: type[msgspec.Struct], sentences: dict[str, str]) -> list[str]:
    """A row for each key, with its sentence; KeyError names a key without one."""
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for field in _own_fields(model):
        values = _describe_values(model, field, _find_words(model, field))
        default, sentence = _describe_default(field), sentences[field.name]
        rows.append(f"| `{field.encode_name}` | {values} | {default} | {sentence} |")
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
    """The fields of a model but for those of every clause, which have a table of their own."""
    shared = EVERYWHERE if issubclass(model, clause.Clause) and model is not clause.Clause else ()
    return [field for field in fields(model) if field.encode_name not in shared]


def _find_words(model: type[msgspec.Struct], field: FieldInfo) -> dict[str, str]:
    return WORDS.get(f"{model.__name__}.{field.name}", {})


def _describe_values(model: type[msgspec.Struct], field: FieldInfo, words: dict[str, str]) -> str:
    """The kinds of value that a field may have, and its limits."""
    kinds = [kind for kind in _parts(field.type) if kind is not type(None)]
    if words and not any(words.values()):
        return "a key of `[[card]]`"
    if list[str] in kinds:
        return "list of words" if words else "list of cards"
    if issubclass(model, clause.Clause) and len(kinds) > 1 and str in kinds:
        kinds.remove(str)
        named = [*map(_name_kind, kinds), *(["a word"] if words else []), "an option's name"]
    else:
        named = ["a word"] if words and str in kinds else [*map(_name_kind, kinds)]
    return listed(named, "or")


def _parts(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if kind != option.Value and get_origin(kind) in (Union, UnionType) else (kind,)


def _name_kind(kind: Any) -> str:
    """A kind of value in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _name_limited(parts[0], parts[1])
    if origin is Literal:
        return listed([f"`{word}`" for word in parts if word], "or")
    return TYPES[kind] if kind in TYPES else _name_several(origin, parts)


def _name_several(origin: Any, parts: tuple[Any, ...]) -> str:
    """A list or a table in words: of its items or values only what they are."""
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
        return f"text: {limits.description}"
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
        return "must be given"
    value = field.default
    if value in (msgspec.NODEFAULT, None, "") or isinstance(value, msgspec.Struct):
        return ""
    return f"`{json.dumps(value)}`"


def render_page(text: str) -> str:
    """A page with its tables written anew."""
    models = find_models()

    def write(mark: re.Match[str]) -> str:
        name = mark[1]
        told = reference_option.render() if name == "options" else render_keys(models[name])
        return f"<!-- keys: {name} -->\n{told}\n<!-- end -->"

    return MARK.sub(write, text)


def find_stale() -> list[Path]:
    """The pages whose tables are not what the code says."""
    return [page for page in PAGES if (text := page.read_text(encoding="utf-8")) != render_page(text)]


if __name__ == "__main__":
    for page in find_stale():
        page.write_text(render_page(page.read_text(encoding="utf-8")), encoding="utf-8")
        sys.stdout.write(f"{page} is written anew\n")
