"""Strict conversion of tables into structs, with errors in words; the TOML text of a struct."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from maumau.errors import BadSpec
from maumau.game.ruleset.mistake import explain_type

T = TypeVar("T", bound=msgspec.Struct)


Choose = Mapping[Any, Callable[[dict[str, Any]], type[msgspec.Struct]]]
"""For a struct that has several kinds, how a table tells its kind."""


def convert_table(kind: type[T], table: Any, where: str = "", choose: Choose = MappingProxyType({})) -> T:
    """Build the struct `kind` from a table as TOML gives it; `where` is its place in the spec, for errors."""
    if not isinstance(table, dict):
        raise BadSpec(f"{where.rstrip('.')} is a table, not {table!r}.", field=name_field(where))
    kind = choose[kind](table) if kind in choose else kind  # type: ignore[assignment]
    known = {field.encode_name: field for field in fields(kind)}
    _check_keys(table, known, where)
    return kind(
        **{
            known[key].name: _convert_value(known[key].type, value, where + key, choose)
            for key, value in table.items()
        }
    )


def name_field(where: str) -> str:
    """Return the key for programs: `stage 2.seeds` is `stage[2].seeds`."""
    return re.sub(r" (\d+)", r"[\1]", where.rstrip("."))


def _check_keys(table: Mapping[str, Any], known: Mapping[str, FieldInfo], where: str) -> None:
    place = f"[{where.rstrip('.')}]" if where else "The spec"
    for key in table:
        if key not in known:
            raise BadSpec(
                f"{place} has no key {key!r}; known: {', '.join(sorted(known))}.",
                field=name_field(where + key),
            )
    for key, field in known.items():
        if field.required and key not in table:
            raise BadSpec(f"{where}{key} is missing.", field=name_field(where + key))


def _convert_value(kind: Any, value: Any, where: str, choose: Choose) -> Any:
    kind = _drop_none(kind)
    if _is_struct(kind):
        return convert_table(kind, value, where + ".", choose)
    if get_origin(kind) is tuple and _is_struct(get_args(kind)[0]):
        if not isinstance(value, list):
            raise BadSpec(
                f"{where}: several tables, each under its own [[{where}]], not {value!r}.",
                field=name_field(where),
            )
        return tuple(
            convert_table(get_args(kind)[0], item, f"{where} {i}.", choose)
            for i, item in enumerate(value, start=1)
        )
    words = _list_words(kind)
    if words and value not in words:
        known = ", ".join(words)
        raise BadSpec(f"{where}: {value!r} is unknown; known: {known}.", field=name_field(where))
    return _convert_plain(kind, value, where)


def _list_words(kind: Any) -> list[str]:
    """Return the values a key may have, sorted; nothing if any value is allowed."""
    parts = [kind, *get_args(kind)] if get_origin(kind) is not Literal else [kind]
    return sorted(word for part in parts if get_origin(part) is Literal for word in get_args(part))


def _drop_none(kind: Any) -> Any:
    """Return the struct of an optional one, else the kind itself: TOML has no null."""
    structs = [part for part in get_args(kind) if _is_struct(part)] if isinstance(kind, UnionType) else []
    return structs[0] if structs else kind


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _convert_plain(kind: Any, value: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        words = _find_description(kind) or explain_type(str(error), value)
        raise BadSpec(f"{where}: {words}.", field=name_field(where)) from None


def _find_description(kind: Any) -> str:
    """Return the type's own description: for values whose pattern explains little, or that are secret."""
    for part in get_args(kind):
        if isinstance(part, msgspec.Meta) and part.description:
            return f"must be {part.description}"
        if words := _find_description(part):
            return words
    return ""


def to_toml(struct: msgspec.Struct) -> str:
    """Return the canonical TOML of a struct of scalars, tables and lists of tables, without None."""
    return write_table(msgspec.to_builtins(struct, builtin_types=(datetime,)))


def write_table(table: Mapping[str, Any]) -> str:
    """Return the TOML of a table of scalars, tables and lists of tables, without None; "" if it is empty."""
    return "".join(f"{line}\n" for line in _list_lines(table, "")).removeprefix("\n")


def _list_lines(table: Mapping[str, Any], where: str) -> Iterator[str]:
    """Yield a table's own keys first, then the tables in it, as TOML requires."""
    for key, value in table.items():
        if value is not None and not _is_tables(value):
            yield f"{key} = {_write_value(value)}"
    for key, value in table.items():
        for item in value if isinstance(value, list | tuple) and _is_tables(value) else ():
            yield from ("", f"[[{where}{key}]]", *_list_lines(item, f"{where}{key}."))
        if isinstance(value, dict):
            yield from ("", f"[{where}{key}]", *_list_lines(value, f"{where}{key}."))


def _is_tables(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list | tuple) and bool(value) and isinstance(value[0], dict)
    )


def _write_value(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list):
        return f"[{', '.join(map(_write_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
