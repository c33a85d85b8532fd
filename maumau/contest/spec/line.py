"""Lines of a spec's TOML, so that an error about a key says where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from maumau.errors import BadSpec

HEADER: Final = re.compile(r"\s*(\[{1,2})([^\[\]]+)\]{1,2}\s*(?:#.*)?")
KEY: Final = re.compile(r"\s*([\w\"'-]+(?:\s*\.\s*[\w\"'-]+)*)\s*=")
LONG_QUOTES: Final = ('"""', "'''")
SPACES_AND_QUOTES: Final = re.compile(r"[\s\"']")


@contextmanager
def name_line(text: str) -> Iterator[None]:
    """Raise a BadSpec about a key of this TOML again, with the key's line before its sentence."""
    try:
        yield
    except BadSpec as error:
        field = error.violations[0].field if error.violations else ""
        line = find_line(text, field)
        if line is None or str(error).startswith(f"line {line}: "):
            raise
        raise BadSpec(f"line {line}: {error}", field=field) from None


def find_line(text: str, field: str) -> int | None:
    """Return the line of a key such as `match.block` or `stage[2].seeds`, else that of its table, or None."""
    places: dict[str, int] = {}
    for key, line in _list_keys(text):
        places.setdefault(key, line)
    while field and field not in places:
        field = field.rpartition(".")[0]
    return places.get(field)


def _list_keys(text: str) -> Iterator[tuple[str, int]]:
    """Yield the full name of each key and table with its line; lines of a long text are none."""
    table, counts, quote = "", dict[str, int](), ""
    for number, line in enumerate(text.split("\n"), start=1):
        if quote:
            quote = "" if quote in line else quote
        elif header := HEADER.fullmatch(line):
            table = SPACES_AND_QUOTES.sub("", header[2])
            if len(header[1]) == len("[["):
                counts[table] = counts.get(table, 0) + 1
                table = f"{table}[{counts[table]}]"
            yield table, number
        elif key := KEY.match(line):
            yield f"{table}.{SPACES_AND_QUOTES.sub('', key[1])}".removeprefix("."), number
            quote = next((one for one in LONG_QUOTES if line.count(one) % 2), "")
