"""The part of JSON Schema (2020-12) in docs/reference/protocol.schema.json; unknown keywords are errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

KEYWORDS = {
    "$schema", "$defs", "title", "description", "$ref", "oneOf", "allOf", "if", "then", "type", "enum",
    "const", "required", "properties", "additionalProperties", "items", "minItems", "minimum", "maximum",
    "pattern",
}  # fmt: skip
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}


class Schema:
    """A schema with its definitions."""

    def __init__(self, root: dict[str, Any], start: str = "") -> None:
        self.root = root
        self.start = root["$defs"][start] if start else root

    def list_errors(self, value: Any) -> list[str]:
        """Return a sentence for each violation of the schema, with its place in the value."""
        return list(self._find_errors(self.start, value, "$"))

    def _find_errors(self, schema: dict[str, Any] | bool, value: Any, at: str) -> Iterator[str]:
        if isinstance(schema, bool):
            if not schema:
                yield f"{at}: nothing is allowed here"
            return
        assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
        if "$ref" in schema:
            yield from self._find_errors(
                self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, at
            )
        if "type" in schema and not _is(value, schema["type"]):
            yield f"{at}: {value!r} is no {schema['type']}"
            return
        if "enum" in schema and not any(_same(value, each) for each in schema["enum"]):
            yield f"{at}: {value!r} is none of {schema['enum']}"
        if "const" in schema and not _same(value, schema["const"]):
            yield f"{at}: {value!r} is not {schema['const']!r}"
        yield from self._combined(schema, value, at)
        yield from self._inside(schema, value, at)

    def _combined(self, schema: dict[str, Any], value: Any, at: str) -> Iterator[str]:
        if "oneOf" in schema:
            fitting = [one for one in schema["oneOf"] if not list(self._find_errors(one, value, at))]
            if len(fitting) != 1:
                yield f"{at}: it is {len(fitting)} of {len(schema['oneOf'])}: {str(value)[:200]}"
        for one in schema.get("allOf", []):
            yield from self._find_errors(one, value, at)
        if "if" in schema and not list(self._find_errors(schema["if"], value, at)):
            yield from self._find_errors(schema["then"], value, at)

    def _inside(self, schema: dict[str, Any], value: Any, at: str) -> Iterator[str]:
        if isinstance(value, dict):
            yield from (f"{at}: {key} is missing" for key in schema.get("required", []) if key not in value)
            known = schema.get("properties", {})
            for key, each in value.items():
                inner = known.get(key, schema.get("additionalProperties", True))
                yield from self._find_errors(inner, each, f"{at}.{key}")
        elif isinstance(value, list):
            if len(value) < schema.get("minItems", 0):
                yield f"{at}: it has only {len(value)} entries"
            for number, each in enumerate(value):
                yield from self._find_errors(schema.get("items", True), each, f"{at}[{number}]")
        elif isinstance(value, str):
            if "pattern" in schema and not re.search(schema["pattern"], value):
                yield f"{at}: {value!r} is not {schema['pattern']}"
        elif isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get(
            "maximum", value
        ):
            yield f"{at}: {value} is out of bounds"


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b
