"""Messages between a duel or a league and its workers: one JSON object a line, on pipes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from maumau.contest.score import SetScore
from maumau.protocol.fault import Fault
from maumau.protocol.manifest import NAME, parse_manifest
from maumau.referee.block import BlockMeasurements, BlockOrder, SetOutcome
from maumau.referee.place import Program


class JobEntrant(msgspec.Struct, frozen=True):
    """A program ready to be played: its folder, built, and its content hash."""

    folder: str
    sha256: str

    def program(self) -> Program:
        """Return the program in the referee's form."""
        manifest = parse_manifest((Path(self.folder) / NAME).read_bytes())
        return Program(Path(self.folder), manifest, self.sha256, manifest.name)


class BlockJob(msgspec.Struct, frozen=True):
    """A block to play; its outcome carries `number`. `first`: the first run, if this is the second."""

    number: int
    order: BlockOrder
    entrants: list[JobEntrant]
    score: str = "win"
    first: list[SetOutcome] = []


class Deals(msgspec.Struct, frozen=True, tag=True):
    """The number of deals finished since the last message."""

    deals: int


class JobDone(msgspec.Struct, frozen=True, tag=True):
    """A block's sets, its faults in their order, and its measurements.

    `played`: the sets of a first run with a provisional fault, which the second run needs.
    """

    number: int
    sets: list[SetScore]
    faults: list[Fault]
    measured: BlockMeasurements
    played: list[SetOutcome] = []


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A block that could not be played, through no program's fault: the error's reason and explanation."""

    number: int
    reason: str
    words: str


class SecondRun(msgspec.Struct, frozen=True):
    """A block to be played once more, for the deals that provisional faults cost."""

    number: int
    faults: list[Fault]
    measured: BlockMeasurements


Word = Deals | JobDone | Failed
News = Word | SecondRun


def entrant_of(program: Program) -> JobEntrant:
    """Return the program in the form sent to a worker."""
    return JobEntrant(str(program.folder.resolve()), program.sha256)
