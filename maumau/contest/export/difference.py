"""Differences found by a verification: line, field, stated value and correct value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

LONGEST = 100
"""Characters of a value that are shown."""

LONGEST_WORDS = 1000
"""Characters of each part of a difference: the author of a file can choose the names of fields."""


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """line: from 1, 0 for the file as a whole. field: "secret", "spec.match.cap", "points[0]".

    seating: of the deal that cannot be played again, from 0; None if it is of no single one.
    """

    line: int
    field: str
    said: str
    found: str
    seating: int | None = None

    def __post_init__(self) -> None:
        """Shorten long values."""
        for name in ("field", "said", "found"):
            words = getattr(self, name)
            if len(words) > LONGEST_WORDS:
                msgspec.structs.force_setattr(self, name, words[:LONGEST_WORDS] + "…")

    def __str__(self) -> str:
        """Return the difference in one sentence."""
        place = f"line {self.line}, {self.field}" if self.line else self.field
        return f"{place}: says {self.said}, should be {self.found}"


def find_differences(line: int, said: Any, found: Any, field: str = "") -> Iterator[Difference]:
    """Yield the differences between a line and the values found, field by field."""
    said, found = msgspec.to_builtins(said), msgspec.to_builtins(found)
    if isinstance(said, dict) and isinstance(found, dict):
        for key in said | found:
            name = f"{field}.{key}" if field else key
            yield from find_differences(line, said.get(key), found.get(key), name)
    elif _are_lists(said, found) and len(said) == len(found):
        for index, pair in enumerate(zip(said, found, strict=True)):
            yield from find_differences(line, *pair, f"{field}[{index}]")
    elif said != found or (type(said) is not type(found) and not _are_lists(said, found)):
        yield Difference(line, field, shorten_value(said), shorten_value(found))


def _are_lists(*values: Any) -> bool:
    return all(isinstance(value, list | tuple) for value in values)


def shorten_value(value: Any) -> str:
    """Return a value as JSON, shortened if long."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
