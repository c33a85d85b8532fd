"""Names of the measured lines of an export, each of which an arena writes once.

Most of their values can be neither derived nor compared. So that nobody reads a claim into them that no arena
makes, a line of another name, of an entrant or a match that does not exist, or a second line of the same name
is refused. Links and protests are numbered by their own checks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from maumau.contest.export.difference import Difference, shorten_value
from maumau.contest.export.line import BOOKING, LINK, PROTEST, ResultLine
from maumau.contest.export.sheet import Sheet

NUMBER: Final = r"(?:0|[1-9][0-9]{0,8})"
NAME: Final = re.compile(
    rf"(?P<whole>tournament)|entry (?P<entry>{NUMBER})|match (?P<match>[0-9.]+)"
    rf"|(?:block|set|first run) (?P<part>[0-9.]+) {NUMBER}|(?:{LINK}|{BOOKING}|{PROTEST}) {NUMBER}"
)
"""Names of tournaments' measured lines; contests of jobs have those of entries and links."""


def check_names(sheet: Sheet, entrants: int) -> Iterator[Difference]:
    """Yield a difference for each measured line of a name that no arena writes.

    entrants: how many there are. An export of jobs has no matches.
    """
    matches = {item.line.match for item in sheet.items["matches"] if isinstance(item.line, ResultLine)}
    known: set[str] = set()
    for number, name in sheet.measured_names:
        if not _is_known(name, entrants, matches):
            yield Difference(number, "of", shorten_value(name), "a name of what this export has")
        elif name in known:
            yield Difference(number, "of", shorten_value(name), "a name that no line before has")
        known.add(name)


def _is_known(name: str, entrants: int, matches: Collection[str]) -> bool:
    """Return True if an arena may have written a line of this name."""
    found = NAME.fullmatch(name)
    if not found:
        return False
    if found["entry"]:
        return 1 <= int(found["entry"]) <= entrants
    label = found["match"] or found["part"]
    return label in matches if label else True
