"""What is measured of blocks, as it is kept: never compared, and in a section of its own of the export."""

import msgspec

from maumau.bot.pace import PaceSpan


class Used(msgspec.Struct, frozen=True):
    """What an entrant used, in reference ms: of its banks, of its budgets for starting, for each deal."""

    bank_ms: float
    start_ms: float
    deals_ms: list[float]


class Measured(msgspec.Struct, frozen=True):
    """What was only measured while a block was played; cpu_ms, memory_mib and uses by entrant.

    Blocks played before there were reference milliseconds have none of the last four.
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
    """What of a block's `Measured` tells the use of the banks: nothing else is decoded."""

    deal_ms: int = 0
    pace: PaceSpan | None = None
    uses: list[Used] = []


class WallTime(msgspec.Struct, frozen=True):
    """How long a block took, from claim to submission: nothing else of its `Measured` is decoded."""

    wall_ms: int


class Overrun(msgspec.Struct, frozen=True):
    """A program ran out of time in a first run; `entrant` is the entry's number, `deal` the set's."""

    entrant: int
    seating: int
    deal: int
    kind: str
    words: str


class FirstMeasured(msgspec.Struct, frozen=True):
    """What is kept of a first run."""

    measured: Measured
    overran: list[Overrun]
