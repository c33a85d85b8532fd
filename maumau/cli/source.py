"""What a replay is read from: a record, several in one file, a game's record, or an export."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maumau.errors import BadFile

if TYPE_CHECKING:
    from maumau.game import Rules

RECORD = "[maumau 1]"
GAME = "[maumau game 1]"


class Source(NamedTuple):
    """The record of one deal: what it is called, its text, how many lines of the file stand before it.

    names: the bots by seat, where the file says who they were. own: the variant of somebody's own that it
    names, where the file has its text.
    """

    name: str
    text: str
    before: int
    names: tuple[str, ...] = ()
    own: Rules | None = None


def sources(path: Path, match: str | None, number: int | None) -> list[Source]:
    """The deals that are meant; BadFile if the file cannot be read or has no such deal."""
    text = _read(path)
    if text.startswith('{"kind":'):
        return list(_exported(path, text, match, number))
    if match is not None:
        raise BadFile(f"{path} is not an export and has no matches to choose from")
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
        raise BadFile(f"{path} cannot be read: it is not a text file in UTF-8") from None


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
    from maumau.game import load_text

    found = _scanned(path, text, match, number)
    if found.record is None:
        raise BadFile(_missing(path, found.sets, match))
    rules, variant_toml = found.spec.get("rules", ""), found.spec.get("variant_toml")
    own = load_text(rules, variant_toml) if variant_toml else None
    deals = _records(found.record, f"match {match}, set {number}, ")
    for seating, source in enumerate(deals):
        yield source._replace(names=found.names(seating), own=own)


class _Scanned:
    """What an export says of one deal set, and which sets it has."""

    def __init__(self) -> None:
        self.spec: dict[str, Any] = {}
        self.entries: dict[int, str] = {}
        self.sets: dict[str, list[int]] = {}
        self.record: str | None = None
        self.seats: tuple[tuple[int, int], ...] = ()

    def names(self, seating: int) -> tuple[str, ...]:
        """The bots by seat; nobody's where the export does not say who sat there."""
        entrants = self.seats[seating] if seating < len(self.seats) else ()
        return tuple(self.entries.get(entrant, "") for entrant in entrants)

    def take(self, one: Any, match: str | None, number: int | None) -> None:
        """What a line says of the deal set."""
        kind = one.__struct_config__.tag
        if kind == "spec":
            self.spec = one.spec
        elif kind == "entry":
            self.entries[one.number] = one.name
        elif kind == "record":
            self.sets.setdefault(one.match, []).append(one.set)
            if (one.match, one.set) == (match, number):
                self.record, self.seats = one.record, one.seats


def _scanned(path: Path, text: str, match: str | None, number: int | None) -> _Scanned:
    """The lines of an export up to the deal set that is meant; BadFile names the first that is damaged."""
    from maumau.contest.line import EntryLine, RecordLine, SpecLine
    from maumau.contest.mend import Raw
    from maumau.contest.sheet import Misread, check_version, decode

    kinds: dict[str, Any] = {"spec": SpecLine, "entry": EntryLine, "record": RecordLine}
    found = _Scanned()
    check_version(path, Raw(1, text.partition("\n")[0].encode()))
    for at, line in enumerate(text.split("\n"), 1):
        kind = kinds.get(line.removeprefix('{"kind":"').partition('"')[0])
        if kind is None:
            continue
        try:
            found.take(decode(Raw(at, line.encode()), kind), match, number)
        except Misread as misread:
            raise BadFile(f"{path}, {misread.difference}") from None
        if found.record is not None:
            break
    return found


def _missing(path: Path, labels: dict[str, list[int]], match: str | None) -> str:
    if match not in labels:
        known = ", ".join(list(labels)[:20])
        return f"name a match of {path} with --match and its deal set with --deal: it has {known or 'none'}"
    sets = labels[match]
    return f"name a deal set of match {match} with --deal, a number from {min(sets)} to {max(sets)}"
