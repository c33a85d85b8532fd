"""An export as it is read: its lines by section, in the order in which they must stand."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from maumau.contest.difference import Difference, differences, shown
from maumau.contest.export import Digest
from maumau.contest.line import BOOKING, SECTIONS, TAIL, AnyLine, Line, MeasuredLine, kind
from maumau.contest.mend import Raw, mended
from maumau.contest.seed import VERSION
from maumau.errors import UnreadableExport

RECORD = b'{"kind":"record",'
FIRST = b'{"kind":"spec",', b'{"kind":"terms",'
WHERE = re.compile(r" - at `\$\.?(.*)`$")
UNKNOWN = re.compile(r"unknown field `(.*?)`")
LONGEST_LINE = 16 << 20
"""Bytes of a line that is read: a record of a deal has at most 256 KiB."""

ORDER = list(dict.fromkeys(SECTIONS.values()))


class Misread(Exception):
    """A line cannot be understood, so that what follows cannot be checked."""

    def __init__(self, line: int, field: str, said: str, found: str, seating: int | None = None) -> None:
        super().__init__(field)
        self.difference = Difference(line, field, said, found, seating)


class Item(NamedTuple):
    """A line and its number from 1. line: None for a record, which is read when it is played again."""

    number: int
    line: Line | None

    @property
    def kind(self) -> str:
        """The word its line begins with."""
        return kind(self.line) if self.line else "record"


class Sheet:
    """An export without its records, and of what was measured only the lines of the tournament itself,
    of its bookings, and of matches that were begun more than once.

    items: the lines by section. differences: what damage was found in reading. lines: how many were read.
    digests: of the records after a block's line, by its number. compared: as the last line must say.
    """

    def __init__(self) -> None:
        self.items: dict[str, list[Item]] = {section: [] for section in ORDER}
        self.differences: list[Difference] = []
        self.digests: dict[int, str] = {}
        self.lines = 0
        self.compared = ""
        self._section = -1
        self._block = 0
        self._records = hashlib.sha256()

    def read(self, path: Path) -> None:
        """Read the whole file; `Misread` if a line is unreadable or stands in a wrong place."""
        digest = Digest()
        for raw in raw_lines(path):
            if raw.number == 1 and not raw.sound and not raw.data.startswith(FIRST):
                raise UnreadableExport(f"{path} is not an export of a contest.")
            if raw.number == 1:
                check_version(path, raw)
            self.lines = raw.number
            self.differences += [raw.damage] if raw.damage else []
            item = Item(raw.number, None if raw.data.startswith(RECORD) else decode(raw, AnyLine))
            if item.line and item.kind == "record":  # as JSON the same, and not as the arena writes it
                begins = RECORD.decode()
                raise Misread(raw.number, "line", shown(raw.data[: len(begins)].decode()), shown(begins))
            self._place(item)
            self._count_records(raw, item)
            if item.kind != "end":
                digest.add(item.kind, raw.data + b"\n")
        if not self.lines:
            raise UnreadableExport(f"{path} is empty.")
        if not self.items["end"]:
            raise Misread(
                self.lines, "line", "the last of the file", "followed by an end line: it is cut off"
            )
        end = self.items["end"][0]
        truth = digest.end()
        self.compared = truth.compared
        self.differences += differences(end.number, end.line, truth)

    def _count_records(self, raw: Raw, item: Item) -> None:
        """The digest of a block is over the lines of records that follow it."""
        if item.kind == "record":
            self._records.update(raw.data + b"\n")
            return
        if self._block:
            self.digests[self._block] = self._records.hexdigest()
        self._block = item.number if item.kind in {"block", "part"} else 0
        self._records = hashlib.sha256()

    def _place(self, item: Item) -> None:
        """Sections follow each other, the spec first and the end last, one line each."""
        section = ORDER.index(SECTIONS[item.kind])
        before = ORDER[self._section] if self._section >= 0 else ""
        single = before in {"spec", "end"} or not before
        if section < self._section + single or (not before and section):
            place = f"a line of another kind {'after ' + before if before else 'first: spec'}"
            raise Misread(item.number, "kind", shown(item.kind), place)
        self._section = section
        if not isinstance(item.line, MeasuredLine) or _is_kept(item.line):
            self.items[ORDER[section]].append(item)


class _Head(msgspec.Struct):
    """What every version of the first line has."""

    version: int = VERSION


def check_version(path: Path, raw: Raw) -> None:
    """`UnreadableExport` if this first line is that of an export of another version."""
    try:
        version = msgspec.json.decode(raw.data, type=_Head).version
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return  # what is wrong with the line is found when it is read
    if version != VERSION:
        raise UnreadableExport(
            f"{path} is an export of version {version}, and this library checks version {VERSION}: "
            "take the library of the arena that wrote it."
        )


def raw_lines(path: Path) -> Iterator[Raw]:
    """The lines of the file, damaged ones put right where one byte was changed."""
    try:
        with path.open("rb") as file:
            yield from mended(_whole_lines(path, file))
    except OSError as error:
        raise UnreadableExport(f"{path} cannot be read: {error.strerror}.") from None


def _whole_lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Its lines; one that is longer than any of an export is not even read."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise UnreadableExport(
                f"{path} is not an export: line {number} has more than {LONGEST_LINE >> 20} MiB."
            )
        if not line:
            return
        yield line


def decode(raw: Raw, kinds: Any) -> Any:
    """The line as one of these kinds; `Misread` names the field that it cannot be."""
    try:
        return msgspec.json.decode(raw.data[:-TAIL] + b"}", type=kinds)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = str(error)
        names = WHERE.search(words) or UNKNOWN.search(words)
        said = shown(raw.data.decode(errors="replace"))
        found = f"a line of an export ({WHERE.sub('', words)})"
        raise Misread(raw.number, names[1] if names else "line", said, found) from None


def _is_kept(line: MeasuredLine) -> bool:
    return line.of.startswith(("tournament", BOOKING)) or "takes" in line.values
