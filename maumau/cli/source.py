"""What a replay is read from: a record, several in one file, a game's record, or an export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from maumau.errors import BadFile

RECORD = "[maumau 1]"
GAME = "[maumau game 1]"


class Source(NamedTuple):
    """The record of one deal: what it is called, its text, how many lines of the file stand before it."""

    name: str
    text: str
    before: int


def sources(path: Path, match: str | None, number: int | None) -> list[Source]:
    """The deals that are meant; BadFile if the file cannot be read or has no such deal."""
    text = _read(path)
    if text.startswith('{"kind":'):
        return list(_exported(path, text, match, number))
    if match is not None:
        raise BadFile(f"{path} is no export: it has no matches to choose from")
    found = list(_records(text))
    if number is None:
        return found
    if number >= len(found):
        numbers = f"deals 0 to {len(found) - 1}" if len(found) > 1 else "one deal, number 0"
        raise BadFile(f"{path} has {numbers}; there is no deal {number}")
    return [found[number]]


def _read(path: Path) -> str:
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path} cannot be read: it is no text") from None


def _records(text: str, name: str = "") -> Iterator[Source]:
    """The records in a text, one after the other. What is none is given as it is, to be found wrong."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line == RECORD]
    if not (starts and (starts[0] == 0 or lines[0] == GAME)):
        yield Source(name, text, 0)
        return
    ends = [*starts[1:], len(lines)]
    if lines[0] == GAME:
        ends[-1] = next(
            (at for at in range(starts[-1], len(lines)) if lines[at].startswith("game ")), ends[-1]
        )
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        more = "\n" if end < len(lines) else ""
        yield Source(
            f"{name}deal {number}" if len(starts) > 1 else name, "\n".join(lines[start:end]) + more, start
        )


def _exported(path: Path, text: str, match: str | None, number: int | None) -> Iterator[Source]:
    """The deals of the deal sets of an export that are meant."""
    from maumau.contest.line import RecordLine
    from maumau.contest.mend import Raw
    from maumau.contest.sheet import Misread, decode

    labels: dict[str, list[int]] = {}
    for at, line in enumerate(text.split("\n"), 1):
        if not line.startswith('{"kind":"record",'):
            continue
        try:
            found: RecordLine = decode(Raw(at, line.encode()), RecordLine)
        except Misread as misread:
            raise BadFile(f"{path}, {misread.difference}") from None
        labels.setdefault(found.match, []).append(found.set)
        if (found.match, found.set) == (match, number):
            yield from _records(found.record, f"match {match}, set {number}, ")
            return
    raise BadFile(_missing(path, labels, match))


def _missing(path: Path, labels: dict[str, list[int]], match: str | None) -> str:
    if match not in labels:
        known = ", ".join(list(labels)[:20])
        return f"name a match of {path} with --match and its deal set with --deal: it has {known or 'none'}"
    sets = labels[match]
    return f"name a deal set of match {match} with --deal, a number from {min(sets)} to {max(sets)}"
