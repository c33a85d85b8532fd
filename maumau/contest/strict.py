"""Strict conversion of tables into structs, with errors in words; the TOML text of a struct."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from maumau.errors import BadSpec

T = TypeVar("T", bound=msgspec.Struct)


def convert(kind: type[T], table: Any, where: str = "") -> T:
    """Build the struct `kind` from a table as TOML gives it; `where` is its place in the spec, for errors."""
    if not isinstance(table, dict):
        raise BadSpec(f"{where.rstrip('.')} is a table, not {table!r}.", field=name_field(where))
    known = {field.encode_name: field for field in fields(kind)}
    _check_keys(table, known, where)
    return kind(
        **{known[key].name: _value(known[key].type, value, where + key) for key, value in table.items()}
    )


def name_field(where: str) -> str:
    """The key for programs: `stage 2.seeds` is `stage[2].seeds`."""
    return re.sub(r" (\d+)", r"[\1]", where.rstrip("."))


def _check_keys(table: Mapping[str, Any], known: Mapping[str, FieldInfo], where: str) -> None:
    place = f"[{where.rstrip('.')}]" if where else "The spec"
    for key in table:
        if key not in known:
            raise BadSpec(
                f"{place} has no key {key!r}; known are {', '.join(sorted(known))}.",
                field=name_field(where + key),
            )
    for key, field in known.items():
        if field.required and key not in table:
            raise BadSpec(f"{where}{key} is missing.", field=name_field(where + key))


def _value(kind: Any, value: Any, where: str) -> Any:
    if _is_struct(kind):
        return convert(kind, value, where + ".")
    if get_origin(kind) is tuple and _is_struct(get_args(kind)[0]):
        if not isinstance(value, list):
            raise BadSpec(
                f"{where}: several tables, each under its own [[{where}]], not {value!r}.",
                field=name_field(where),
            )
        return tuple(
            convert(get_args(kind)[0], item, f"{where} {i}.") for i, item in enumerate(value, start=1)
        )
    if get_origin(kind) is Literal and value not in get_args(kind):
        raise BadSpec(
            f"{where}: {value!r} is unknown; known are {', '.join(sorted(get_args(kind)))}.",
            field=name_field(where),
        )
    return _plain(kind, value, where)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _plain(kind: Any, value: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        words = _description(kind) or _expected(str(error), value)
        raise BadSpec(f"{where}: {words}.", field=name_field(where)) from None


NAMES = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
}

BOUNDS = {" >= ": " of at least ", " <= ": " of at most ", " > ": " above ", " < ": " below "}


def _expected(words: str, value: Any) -> str:
    """msgspec's sentence in the words of TOML: "expected a whole number, not 'viel'"."""
    for sign, name in ({f"`{kind}`": name for kind, name in NAMES.items()} | BOUNDS).items():
        words = words.replace(sign, name)
    words = words.partition(", got ")[0].replace("Expected", "expected").replace("`", "")
    return f"{words}, not {_shown(value)}"


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _description(kind: Any) -> str:
    """What the type says of itself: for values that a pattern describes badly, or that nobody may see."""
    for part in get_args(kind):
        if isinstance(part, msgspec.Meta) and part.description:
            return f"must be {part.description}"
        if words := _description(part):
            return words
    return ""


def to_toml(struct: msgspec.Struct) -> str:
    """The canonical TOML of a struct of scalars, tables and lists of tables: every field that is not None."""
    return "\n".join(_lines(msgspec.to_builtins(struct, builtin_types=(datetime,)), "")) + "\n"


def _lines(table: Mapping[str, Any], where: str) -> Iterator[str]:
    """A table's own keys first, then the tables in it, as TOML wants it."""
    for key, value in table.items():
        if value is not None and not _is_tables(value):
            yield f"{key} = {_text(value)}"
    for key, value in table.items():
        for item in value if isinstance(value, list | tuple) and _is_tables(value) else ():
            yield from ("", f"[[{where}{key}]]", *_lines(item, f"{where}{key}."))
        if isinstance(value, dict):
            yield from ("", f"[{where}{key}]", *_lines(value, f"{where}{key}."))


def _is_tables(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)
    )


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return json.dumps(value, ensure_ascii=False)
