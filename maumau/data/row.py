"""Rows of the tables from the lines of an export, one line in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from maumau.contest.export.check import DEAL
from maumau.contest.export.line import (
    AnyLine,
    EndLine,
    EntryLine,
    RecordLine,
    SpecLine,
    TableLine,
    TermsLine,
)
from maumau.contest.export.mend import is_sound
from maumau.contest.score import choose_mode, count_units
from maumau.data.schema import ColumnValues, TableName
from maumau.errors import BadFile

MEASURED = b'{"kind":"measured"'


class TableRow(NamedTuple):
    """A row and the table that it belongs to."""

    table: TableName
    values: ColumnValues


class Rows:
    """The rows of one export. contest: its name in the tables. epoch: of a ladder, else None."""

    def __init__(self, contest: str, epoch: int | None = None) -> None:
        self.contest, self.epoch = contest, epoch
        self.is_whole = False
        self._entries: dict[int, EntryLine] = {}
        self._rules = self._mode = ""

    @property
    def bots(self) -> set[str]:
        """The names of all entrants read so far."""
        return {entry.name for entry in self._entries.values()}

    def read(self, lines: Iterable[bytes]) -> Iterator[TableRow]:
        """Yield the rows of an export's lines. Raise BadFile if it is damaged or ends early."""
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(AnyLine)
        number = 0
        for number, line in enumerate(lines, start=1):
            if line.startswith(MEASURED):  # of the workers: most lines of many exports, and no row
                continue
            data = line.rstrip(b"\n")
            if not is_sound(data):
                raise BadFile(f"The export of {self.contest} is damaged at line {number}.")
            try:
                found = decoder.decode(_without_sum(data))
            except msgspec.ValidationError as error:
                words = f"is of a later version ({error}, line {number}); update maumau"
                raise BadFile(f"The export of {self.contest} {words}.") from None
            yield from self._read_line(found)
        if not self.is_whole:
            raise BadFile(f"The export of {self.contest} ends early, after line {number}.")

    def _read_line(self, line: Any) -> Iterator[TableRow]:
        if isinstance(line, (SpecLine, TermsLine)):
            terms = line.spec if isinstance(line, SpecLine) else line.terms
            self._rules, self._mode = terms["rules"], terms.get("score", "win")
        elif isinstance(line, EntryLine):
            self._entries[line.number] = line
        elif isinstance(line, RecordLine):
            yield from self._read_record(line)
        elif isinstance(line, TableLine):
            head = (self.contest, self.epoch, None, line.stage, line.place, line.name, None)
            yield TableRow("ratings", (*head, line.rating, line.low, line.high, line.sets))
        elif isinstance(line, EndLine):
            self.is_whole = True

    def _read_record(self, line: RecordLine) -> Iterator[TableRow]:
        head = (self.contest, self.epoch, line.match, line.set, self._rules, line.seed)
        texts = [text for text in DEAL.split(line.record) if text]
        for seating, (seats, record) in enumerate(zip(line.seats, texts, strict=True)):
            names = " ".join(self._entries[number].name for number in seats)
            yield TableRow("records", (*head, seating, names, record))
        entrants = line.seats[0]
        units = count_units(choose_mode(self._mode, len(entrants)), len(entrants))
        scores = line.scores or (line.score, units - line.score)
        for entrant, score, points in zip(entrants, scores, line.points, strict=True):
            entry = self._entries[entrant]
            share = score / units
            yield TableRow("sets", (*head, entrant, entry.name, entry.sha256, share, points))


def _without_sum(data: bytes) -> bytes:
    return data[: data.rindex(b',"sum":"')] + b"}"
