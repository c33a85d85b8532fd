"""Sources of a replay: a record, several in one file, a game's record, or an export."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maumau.cli.shared.bounded import read_text
from maumau.errors import BadFile

if TYPE_CHECKING:
    from maumau.game import Rules

RECORD = "[maumau 1]"
GAME = "[maumau game 1]"


class DealSource(NamedTuple):
    """The record of one deal: its title, its text, and the number of the file's lines before it.

    names: the bots by seat, if the file has them. own: the custom variant that it names, if the file has its
    text.
    """

    name: str
    text: str
    before: int
    names: tuple[str, ...] = ()
    own: Rules | None = None


def read_sources(path: Path, match: str | None, number: int | None) -> list[DealSource]:
    """Return the chosen deals; raise BadFile if the file cannot be read or has no such deal."""
    text = _read_text(path)
    if text.startswith('{"kind":'):
        return list(_read_export(path, text, match, number))
    if match is not None:
        raise BadFile(f"{path} is not an export and has no matches to choose from")
    found = list(_split_records(text))
    if number is None:
        return found
    if number >= len(found):
        numbers = f"deals 0 to {len(found) - 1}" if len(found) > 1 else "one deal, number 0"
        raise BadFile(f"{path} has {numbers}; there is no deal {number}")
    return [found[number]]


def _read_text(path: Path) -> str:
    try:
        return read_text(path)
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        from maumau.contest.export.sheet import GZIP, say_compressed

        if error.object.startswith(GZIP):
            raise BadFile(say_compressed(path)) from None
        raise BadFile(f"{path} cannot be read: it is not a text file in UTF-8") from None


def _split_records(text: str, name: str = "", thing: str = "deal") -> Iterator[DealSource]:
    """Yield the records in a text, in order. Other text is yielded unchanged, to be reported as wrong.

    name, thing: the beginning of their titles, and the name of each, which a number follows.
    """
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line == RECORD]
    if not (starts and (starts[0] == 0 or lines[0] == GAME)):
        yield DealSource(name, text, 0)
        return
    ends = [*starts[1:], len(lines)]
    if lines[0] == GAME:
        ends[-1] = next(
            (at for at in range(starts[-1], len(lines)) if lines[at].startswith("game ")), ends[-1]
        )
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        more = "\n" if end < len(lines) else ""
        yield DealSource(
            f"{name}{thing} {number}" if len(starts) > 1 else name, "\n".join(lines[start:end]) + more, start
        )


def _read_export(path: Path, text: str, match: str | None, number: int | None) -> Iterator[DealSource]:
    """Yield the deals of the chosen deal set of an export."""
    from maumau.game import load_text

    found = _scan_export(path, text, match, number)
    if found.record is None:
        raise BadFile(_explain_missing(path, found.sets, match))
    rules, variant_toml = found.spec.get("rules", ""), found.spec.get("variant_toml")
    own = load_text(rules, variant_toml) if variant_toml else None
    games = re.split(r"(?m)^(?=\[maumau game )", found.record)[1:]
    for seating, game in enumerate(games):
        for told, deal in list_texts(game):
            title = f"match {match}, set {number}, seating {seating}{told}"
            yield DealSource(title, deal, 0, found.names(seating), own)
    deals = () if games else _split_records(found.record, f"match {match}, set {number}, ", "seating")
    for seating, source in enumerate(deals):
        yield source._replace(names=found.names(seating), own=own)


def list_texts(record: str) -> list[tuple[str, str]]:
    """Return the records of single deals in one: of a game ", deal 0" and so on with each, else itself."""
    from maumau.game.resume import split_deals

    if not record.startswith(GAME):
        return [("", record)]
    return [(f", deal {number}", text) for number, text in enumerate(split_deals(record))]


class _Scanned:
    """One deal set of an export, and the numbers of all sets in it."""

    def __init__(self) -> None:
        self.spec: dict[str, Any] = {}
        self.entries: dict[int, str] = {}
        self.sets: dict[str, list[int]] = {}
        self.record: str | None = None
        self.seats: tuple[tuple[int, int], ...] = ()

    def names(self, seating: int) -> tuple[str, ...]:
        """Return the bots by seat; empty names where the export has no seats."""
        entrants = self.seats[seating] if seating < len(self.seats) else ()
        return tuple(self.entries.get(entrant, "") for entrant in entrants)

    def take(self, one: Any, match: str | None, number: int | None) -> None:
        """Read a line, if it is about the chosen deal set."""
        kind = one.__struct_config__.tag
        if kind == "spec":
            self.spec = one.spec
        elif kind == "entry":
            self.entries[one.number] = one.name
        elif kind == "record":
            self.sets.setdefault(one.match, []).append(one.set)
            if (one.match, one.set) == (match, number):
                self.record, self.seats = one.record, one.seats


def _scan_export(path: Path, text: str, match: str | None, number: int | None) -> _Scanned:
    """Read an export up to the chosen deal set; raise BadFile for the first damaged line."""
    from maumau.contest.export.line import EntryLine, RecordLine, SpecLine
    from maumau.contest.export.mend import Raw
    from maumau.contest.export.sheet import Misread, check_version, decode_line

    kinds: dict[str, Any] = {"spec": SpecLine, "entry": EntryLine, "record": RecordLine}
    found = _Scanned()
    check_version(path, Raw(1, text.partition("\n")[0].encode()))
    for at, line in enumerate(text.split("\n"), 1):
        kind = kinds.get(line.removeprefix('{"kind":"').partition('"')[0])
        if kind is None:
            continue
        try:
            found.take(decode_line(Raw(at, line.encode()), kind), match, number)
        except Misread as misread:
            raise BadFile(f"{path}, {misread.difference}") from None
        if found.record is not None:
            break
    return found


def _explain_missing(path: Path, labels: dict[str, list[int]], match: str | None) -> str:
    if match not in labels:
        known = ", ".join(list(labels)[:20])
        return f"name a match of {path} with --match and its deal set with --deal: it has {known or 'none'}"
    sets = labels[match]
    return f"name a deal set of match {match} with --deal, a number from {min(sets)} to {max(sets)}"
