"""An export as it is read: its lines by section, in their required order."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from maumau.contest.export.difference import Difference, find_differences, shorten_value
from maumau.contest.export.line import (
    BOOKING,
    LINK,
    PROTEST,
    SECTIONS,
    TAIL,
    AnyLine,
    Line,
    MeasuredLine,
    find_kind,
)
from maumau.contest.export.mend import Raw, mend_lines
from maumau.contest.export.write import Digest
from maumau.contest.seed import VERSION, VERSIONS
from maumau.errors import UnreadableExport

RECORD = b'{"kind":"record",'
FIRST = b'{"kind":"spec",', b'{"kind":"terms",'
GZIP = b"\x1f\x8b"
"""The first bytes of a file that is compressed with gzip."""

WHERE = re.compile(r" - at `\$\.?(.*)`$")
UNKNOWN = re.compile(r"unknown field `(.*?)`")
LONGEST_LINE = 16 << 20
"""Bytes of a line that is read: a record of a deal has at most 256 KiB."""

BEFORE = 20
"""Bytes shown before the one in which a line is not written as the arena writes it."""

ORDER = list(dict.fromkeys(SECTIONS.values()))


class Misread(Exception):
    """A line that cannot be understood, so that later ones cannot be checked."""

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
        return find_kind(self.line) if self.line else "record"


class Sheet:
    """An export without its records and with few measurements.

    Those kept are of the tournament itself, of its bookings, and of matches begun more than once.
    items: the lines by section. differences: damage found while reading. lines: the number of lines read.
    digests: of the records after a block's line, by its number. compared: as the last line must have it.
    """

    def __init__(self) -> None:
        self.measured_names: list[tuple[int, str]] = []  # with their lines
        self.items: dict[str, list[Item]] = {section: [] for section in ORDER}
        self.differences: list[Difference] = []
        self.digests: dict[int, str] = {}
        self.lines = 0
        self.compared = ""
        self._section = -1
        self._block = 0
        self._records = hashlib.sha256()

    def read(self, path: Path) -> None:
        """Read the whole file; raise `Misread` if a line is unreadable or in a wrong place."""
        digest = Digest()
        for raw in raw_lines(path):
            if raw.number == 1 and raw.data.startswith(GZIP):
                raise UnreadableExport(f"{say_compressed(path)}.")
            if raw.number == 1 and not raw.sound and not raw.data.startswith(FIRST):
                raise UnreadableExport(f"{path} is not an export of a contest.")
            if raw.number == 1:
                check_version(path, raw)
            self.lines = raw.number
            self.differences += [raw.damage] if raw.damage else []
            item = Item(raw.number, None if raw.data.startswith(RECORD) else decode_line(raw, AnyLine))
            self._place_line(item)
            self._count_records(raw, item)
            if item.kind != "end":
                digest.add_line(item.kind, raw.data + b"\n")
        if not self.lines:
            raise UnreadableExport(f"{path} is empty.")
        if not self.items["end"]:
            raise Misread(
                self.lines, "line", "the last of the file", "followed by an end line: it is cut off"
            )
        end = self.items["end"][0]
        truth = digest.build_end()
        self.compared = truth.compared
        self.differences += find_differences(end.number, end.line, truth)

    def _count_records(self, raw: Raw, item: Item) -> None:
        """Update the digest of a block with the lines of records that follow it."""
        if item.kind == "record":
            self._records.update(raw.data + b"\n")
            return
        if self._block:
            self.digests[self._block] = self._records.hexdigest()
        self._block = item.number if item.kind in {"block", "part"} else 0
        self._records = hashlib.sha256()

    def _place_line(self, item: Item) -> None:
        """Place a line: sections follow each other, the spec first and the end last, one line each."""
        section = ORDER.index(SECTIONS[item.kind])
        before = ORDER[self._section] if self._section >= 0 else ""
        single = before in {"spec", "end"} or not before
        if section < self._section + single or (not before and section):
            place = f"a line of another kind {'after ' + before if before else 'first: spec'}"
            raise Misread(item.number, "kind", shorten_value(item.kind), place)
        self._section = section
        if isinstance(item.line, MeasuredLine):
            self.measured_names.append((item.number, item.line.of))
        if not isinstance(item.line, MeasuredLine) or _is_kept(item.line):
            self.items[ORDER[section]].append(item)


class _Head(msgspec.Struct):
    """The part of the first line that every version has."""

    version: int = VERSION


def check_version(path: Path, raw: Raw) -> None:
    """Raise `UnreadableExport` if this first line is that of an export of another version."""
    try:
        version = msgspec.json.decode(raw.data, type=_Head).version
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return  # what is wrong with the line is found when it is read
    if version not in VERSIONS:
        known = " and ".join(map(str, VERSIONS))
        raise UnreadableExport(
            f"{path} is an export of version {version}, and this library checks versions {known}: "
            "take the library of the arena that wrote it."
        )


def say_compressed(path: Path) -> str:
    """Return the refusal of a file compressed with gzip, with the command that unpacks it."""
    name = shlex.quote(str(path))
    command = f"gunzip {name}" if path.suffix == ".gz" else f"gunzip < {name} > NAME"
    where = "`gunzip` in the pipe before this command" if name == "-" else f"`{command}`"
    return f"{path} is compressed with gzip; {where} unpacks it"


def raw_lines(path: Path) -> Iterator[Raw]:
    """Yield the lines of the file, repaired where one byte was changed."""
    try:
        with path.open("rb") as file:
            yield from mend_lines(_whole_lines(path, file))
    except OSError as error:
        raise UnreadableExport(f"{path} cannot be read: {error.strerror}.") from None


def _whole_lines(path: Path, file: IO[bytes]) -> Iterator[bytes]:
    """Yield the file's lines; raise an error for one longer than any of an export, without reading it."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise UnreadableExport(
                f"{path} is not an export: line {number} has more than {LONGEST_LINE >> 20} MiB."
            )
        if not line:
            return
        yield line


def decode_line(raw: Raw, kinds: Any) -> Any:
    """Return the line as one of these kinds.

    Raises:
        Misread: It is not such a line, or is not written as `encode` writes it. A duplicate key,
            a blank or an escape would let two readers see two results in one file.
    """
    try:
        line = msgspec.json.decode(raw.data[:-TAIL] + b"}", type=kinds)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = str(error)
        names = WHERE.search(words) or UNKNOWN.search(words)
        said = shorten_value(raw.data.decode(errors="replace"))
        found = f"a line of an export ({WHERE.sub('', words)})"
        raise Misread(raw.number, names[1] if names else "line", said, found) from None
    written = msgspec.json.encode(line)[:-1]
    if written != raw.data[:-TAIL]:
        raise Misread(raw.number, "line", *_show_around(raw.data[:-TAIL], written))
    return line


def _show_around(said: bytes, written: bytes) -> tuple[str, str]:
    """Return both texts from shortly before the first byte in which they differ."""
    pairs = zip(said, written, strict=False)
    place = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(said), len(written)))
    start = max(0, place - BEFORE)
    return shorten_value(said[start:].decode(errors="replace")), shorten_value(
        written[start:].decode(errors="replace")
    )


def _is_kept(line: MeasuredLine) -> bool:
    return line.of.startswith(("tournament", BOOKING, LINK, PROTEST)) or "takes" in line.values
