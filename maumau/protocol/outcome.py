"""The outcome of a deal."""

from __future__ import annotations

import msgspec

from maumau.protocol.fault import Fault


class Note(msgspec.Struct, frozen=True):
    """A program's remark: the events of the record up to the one it was said with, its seat and its text."""

    event: int
    seat: int
    text: str


class DealOutcome(msgspec.Struct, frozen=True):
    """A finished deal: the entrant of each seat, places from 1, points, the record, faults in their order."""

    seats: list[int]
    places: list[int]
    points: list[int]
    record: str
    faults: list[Fault]
    notes: list[Note]
