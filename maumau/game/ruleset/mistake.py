"""Mistakes in a variant's file, explained to its author: position, problem, and known words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, get_args, get_origin

import msgspec

Path = list[str | int]
HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
KEY: Final = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=")
MISSING: Final = re.compile(r"Object missing required field (`[\w-]+`)")
NAMES: Final = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
    "object": "a table",
}
UNION: Final = re.compile(r"\w+(?: \| \w+)+")
BOUNDS: Final = {" >= ": " of at least ", " <= ": " of at most ", " > ": " above ", " < ": " below "}
LONGEST: Final = 80
"""The characters of a wrong value that are shown."""
INNER: Final = re.compile(r"[{,]\s*[\"']?([\w-]+)[\"']?\s*=")


def find_misfit(kind: Any, value: Any, path: Path) -> tuple[Path, str] | None:
    """Return path and problem of the first part that does not fit the type `kind`; None if all fits."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        for key, part_kind, part in _list_parts(kind, value):
            if part_kind is None:
                return [*path, key], explain_unknown_word(
                    str(key), [field.encode_name for field in msgspec.structs.fields(kind)]
                )
            found = find_misfit(part_kind, part, [*path, key])
            if found:
                return found
        return path, _explain_mismatch(str(error), value, path)
    return None


def _explain_mismatch(words: str, value: Any, path: Path) -> str:
    if not words.startswith("Expected"):
        return MISSING.sub(r"\1 is missing", words)
    keys = [one for one in path if isinstance(one, str)]
    return f"{keys[-1]}: {explain_type(words, value)}" if keys else explain_type(words, value)


def explain_type(words: str, value: Any) -> str:
    """Return msgspec's sentence in the words of TOML: "expected a whole number, not 'viel'"."""
    for sign, name in ({f"`{kind}`": name for kind, name in NAMES.items()} | BOUNDS).items():
        words = words.replace(sign, name)
    words = words.partition(", got ")[0].replace("Expected", "expected").replace("`", "")
    return f"{UNION.sub(_name_kinds, words)}, not {_show_value(value)}"


def _name_kinds(found: re.Match[str]) -> str:
    """Return the types of a union in words, without null, which TOML does not have."""
    kinds = [kind for kind in found[0].split(" | ") if kind != "null"]
    return " or ".join(NAMES.get(kind, kind) for kind in kinds)


def _show_value(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def explain_unknown_word(word: str, known: list[str]) -> str:
    """Return a message with the unknown word, the likeliest match, and all known words."""
    from difflib import get_close_matches  # imported only on a misspelling

    near = get_close_matches(word, known, 1)
    return (
        f"there is no {word!r} here{f' (did you mean {near[0]}?)' if near else ''}; known: {', '.join(known)}"
    )


def _list_parts(kind: Any, value: Any) -> Iterator[tuple[str | int, Any, Any]]:
    """Yield the parts of a value: key, type it should have (None: unknown key), and the part."""
    if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        kinds = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
        for key, part in value.items():
            yield key, kinds.get(key), part
    elif isinstance(value, dict) and get_origin(kind) is dict:
        for key, part in value.items():
            yield key, get_args(kind)[1], part
    elif isinstance(value, list) and get_origin(kind) is list:
        for at, part in enumerate(value):
            yield at, get_args(kind)[0], part


def locate_path(text: str, path: Path) -> str:
    """Return "line 12, column 3" of the key or table at a path, or of its parent if it has no position.

    `["card", 2, "owe"]` is the key owe in the third `[[card]]`.
    """
    for end in range(len(path), 0, -1):
        for found, line, column in _list_keys(text):
            if found[:end] == path[:end]:
                return f"line {line}, column {column}"
    return "line 1, column 1"


def _list_keys(text: str) -> Iterator[tuple[Path, int, int]]:
    """Yield every table header and every key with its path, line and column."""
    counts: dict[str, int] = {}
    table: Path = []
    for at, line in enumerate(text.split("\n"), 1):
        header, key = HEADER.match(line), KEY.match(line)
        if header:
            table = [*header[2].split(".")]
            if header[1] == "[[":
                counts[header[2]] = counts.get(header[2], -1) + 1
                table.append(counts[header[2]])
            yield table, at, header.start(2) + 1
        elif key:
            path = [*table, *key[1].split(".")]
            yield path, at, key.start(1) + 1
            for inner in INNER.finditer(line, key.end()):
                yield [*path, inner[1]], at, inner.start(1) + 1


def locate_quoted_word(text: str, words: str) -> str:
    """Return the message, prefixed with the position of the word it quotes unless it already has one."""
    if re.search(r"line \d+, column \d+", words):
        return words
    for word in re.findall(r"'([^']+)'", words):
        found = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)
        if found:
            line, column = (
                text.count("\n", 0, found.start()) + 1,
                found.start() - text.rfind("\n", 0, found.start()),
            )
            return f"line {line}, column {column}: {words}"
    return words
