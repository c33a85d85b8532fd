"""Measurements of blocks as stored: never compared, and in a section of their own in the export."""

import msgspec

from maumau.referee.pace import PaceSpan


class Used(msgspec.Struct, frozen=True):
    """The time an entrant used, in reference ms: of its banks, of its start budgets, and by deal."""

    bank_ms: float
    start_ms: float
    deals_ms: list[float]


class Measured(msgspec.Struct, frozen=True):
    """Measurements taken while a block was played; cpu_ms, memory_mib and uses by entrant.

    Blocks played before reference milliseconds existed lack the last four.
    """

    worker: str
    sandbox: str
    wall_ms: int
    play_ms: int
    start_ms: int
    fetch_ms: int
    decisions: int
    cpu_ms: list[int]
    memory_mib: list[int]
    deal_ms: int = 0
    probe_ms: float = 0.0
    pace: PaceSpan | None = None
    uses: list[Used] = []


class Banks(msgspec.Struct, frozen=True):
    """The part of a block's `BlockMeasurements` on the use of banks, so that nothing else is decoded."""

    deal_ms: int = 0
    pace: PaceSpan | None = None
    uses: list[Used] = []


class WallTime(msgspec.Struct, frozen=True):
    """The time of a block from claim to submission, in ms; the rest of `BlockMeasurements` is not decoded."""

    wall_ms: int


class ProvisionalFault(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fault for which a block is played again; `entrant` is the entry's number, `deal` the set's.

    killed: the program was killed, else it ran out of time.
    """

    entrant: int
    seating: int
    deal: int
    kind: str
    words: str
    killed: bool = False


class FirstMeasured(msgspec.Struct, frozen=True):
    """Measurements of a first run. overran: its provisional faults, under the name that exports have."""

    measured: Measured
    overran: list[ProvisionalFault]


class FirstFaults(msgspec.Struct, frozen=True):
    """The faults of a first run's `FirstMeasured`, so that nothing else is decoded."""

    overran: list[ProvisionalFault]
