"""The rules of a table in lines that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rich.text import Text

from maumau.errors import MaumauError
from maumau.rulebook import RulePage, build_page
from maumau.rulebook.named import find_rules


def write_rules(name: str, options_json: str, width: int) -> list[Text]:
    """Return the rules of a variant in words, without sources; where it is not known here, a line says so."""
    try:
        rules = find_rules(name, options_json)
    except MaumauError as error:  # a variant of a newer arena
        return [Text(line) for line in wrap(str(error), width)]
    return list(_write_lines(build_page(rules), width))


def _write_lines(told: RulePage, width: int) -> Iterator[Text]:
    yield from (Text(line, "bold") for line in wrap(told.title, width))
    for heading, lines in told.sections:
        yield Text()
        yield Text(heading, "bold underline")
        for line in lines:
            yield from map(Text, wrap(line.text, width, initial_indent="- ", subsequent_indent="  "))
