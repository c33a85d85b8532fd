"""What a duel or a league and its worker processes tell each other: one JSON object a line, on pipes."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from maumau.bot.fault import Fault
from maumau.bot.manifest import NAME, parse_manifest
from maumau.bot.player import Program
from maumau.bot.referee import BlockOrder, Measured
from maumau.contest.score import SetScore


class Entrant(msgspec.Struct, frozen=True):
    """A program ready to be played: its folder, built, and its content hash."""

    folder: str
    sha256: str

    def program(self) -> Program:
        """The program as the table takes it."""
        manifest = parse_manifest((Path(self.folder) / NAME).read_bytes())
        return Program(Path(self.folder), manifest, self.sha256, manifest.name)


class Job(msgspec.Struct, frozen=True):
    """A block to play, by a number that its outcome carries."""

    number: int
    order: BlockOrder
    entrants: list[Entrant]
    score: str = "win"


class Deals(msgspec.Struct, frozen=True, tag=True):
    """So many deals have been finished since the last word."""

    deals: int


class Done(msgspec.Struct, frozen=True, tag=True):
    """A block's sets, its faults in their order, and what was measured while it was played."""

    number: int
    sets: list[SetScore]
    faults: list[Fault]
    measured: Measured


class Failed(msgspec.Struct, frozen=True, tag=True):
    """A block that could not be played, by no fault of a program: the error's reason, and in words."""

    number: int
    reason: str
    words: str


class SecondRun(msgspec.Struct, frozen=True):
    """A program ran out of time in a block: it is played once more, and what comes of that counts."""

    number: int
    faults: list[Fault]
    measured: Measured


Word = Deals | Done | Failed
News = Word | SecondRun


def deal_seed(seed: str, number: int) -> str:
    """The seed of deal `number` (from 0) of whatever is played with this seed: 64 hex digits."""
    return hashlib.sha256(f"{seed}\n{number}".encode()).hexdigest()


def entrant(program: Program) -> Entrant:
    """A program as it is told to a worker."""
    return Entrant(str(program.folder.resolve()), program.sha256)
