"""TOML of strangers, read within bounds that the standard library does not set."""

from __future__ import annotations

import re
from typing import Any, Final

MAX_KEY_PARTS: Final = 32
"""Parts of a dotted key: the time for a key grows with the square of their number."""
LONG_KEY: Final = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){%d}""" % MAX_KEY_PARTS  # noqa: UP031
)
LEAST, MOST = -(2**63), 2**63 - 1


def load_toml(text: str) -> dict[str, Any]:
    """Return the table of a TOML text.

    Raises:
        ValueError: if it is none, has a key with too many parts, or a whole number beyond 64 bits.
        RecursionError: if its values are nested too deeply.
    """
    import tomllib  # a bot that is only asked for its moves reads no TOML

    if LONG_KEY.search(text):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    table = tomllib.loads(text)
    if any(not LEAST <= number <= MOST for number in _list_numbers(table)):
        raise ValueError("a whole number has more than 64 bits")
    return table


def _list_numbers(table: dict[str, Any]) -> list[int]:
    """Return all whole numbers in a table."""
    found: list[int] = []
    left: list[Any] = [table]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, list):
            left += one
        elif isinstance(one, int):
            found.append(one)
    return found
