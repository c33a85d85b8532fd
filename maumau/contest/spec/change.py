"""Changes of a spec before play: what differs, and what may differ once bots have entered. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from maumau.contest.spec.spec import Spec

FREE: Final = ("name", "entries", "schedule", "release", "visibility", "group")
"""Keys of a spec that may change after bots have entered: they change nothing of what is played."""

REVEAL: Final = "mystery.reveal"
"""The key of mystery rules that may change, too: it says when they are revealed."""

GUESTS: Final = "entries.guests"
"""The key of entries that may not: it says who takes a place."""


class SpecKeyChange(NamedTuple):
    """A key of a spec with its values as JSON, "" where it is absent."""

    key: str
    before: str
    after: str


def compare_specs(before: Spec | None, after: Spec) -> list[SpecKeyChange]:
    """Return the keys that differ, in order. before: None if it cannot be read."""
    old, new = (_flatten_value("", msgspec.to_builtins(spec)) for spec in (before, after))
    return [
        SpecKeyChange(key, old.get(key, ""), new.get(key, ""))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


def list_fixed(changes: Iterable[SpecKeyChange]) -> list[str]:
    """Return the keys that may not change once bots have entered: these entered for what is played."""
    keys = [one.key for one in changes]
    return [key for key in keys if key != REVEAL and (key.partition(".")[0] not in FREE or key == GUESTS)]


def _flatten_value(path: str, value: Any) -> dict[str, str]:
    """Return the values as JSON by dotted path of their keys."""
    if isinstance(value, dict):
        flat = [_flatten_value(f"{path}.{key}" if path else key, one) for key, one in value.items()]
        return {key: text for one in flat for key, text in one.items()}
    return {} if value is None else {path: msgspec.json.encode(value).decode()}
