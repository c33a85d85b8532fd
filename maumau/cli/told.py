"""A deal's record as it is told: after each event the notes that were said with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

CARDS = ("deal ", "up ", "cut ", "stock", "rest ")  # how a record's lines begin before its events


class Note(Protocol):
    """A program's remark; `event` counts the events up to the one that it was said with."""

    @property
    def event(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def text(self) -> str: ...


def told(record: str, notes: Sequence[Note], names: Sequence[str]) -> Iterator[str]:
    """The record's lines and the notes of the programs, whose names are by seat."""
    lines = record.splitlines()
    cards = max(number for number, line in enumerate(lines) if line.startswith(CARDS))
    for number, line in enumerate(lines, start=-cards):
        yield line
        for note in notes:
            if note.event == number:
                yield f"    {names[note.seat]}: {' '.join(note.text.split())}"
