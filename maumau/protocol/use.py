"""Resources used by an entrant's processes: measured, shown to authors, and never compared."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Use(msgspec.Struct):
    """Total use of an entrant's processes, and the end of the last process's stderr in the last seating.

    `cpu_ms` and `wall_ms` are milliseconds of the host, with starts. `bank_ms` and `start_ms` are reference
    milliseconds: the use of the banks, and of the budgets for starting. `deals_ms` has the reference
    milliseconds of each deal, in the order seating, set; a round in which several deals were asked counts
    in equal parts for each.
    """

    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    memory_mib: float = 0.0
    starts: int = 0
    replies: int = 0
    log: str = ""
    bank_ms: float = 0.0
    start_ms: float = 0.0
    deals_ms: list[float] = msgspec.field(default_factory=list)

    def add(self, other: Use) -> None:
        """Add `other`, which is of a later process or a higher seating."""
        self.cpu_ms += other.cpu_ms
        self.wall_ms += other.wall_ms
        self.memory_mib = max(self.memory_mib, other.memory_mib)
        self.starts += other.starts
        self.replies += other.replies
        self.log = other.log or self.log
        self.bank_ms += other.bank_ms
        self.start_ms += other.start_ms
        self.deals_ms += other.deals_ms


def sum_uses(seatings: Sequence[Sequence[Use]]) -> list[Use]:
    """Return the total use of each entrant; `seatings`: for each in order, the uses of the entrants."""
    totals = [Use() for _ in seatings[0]]
    for uses in seatings:
        for total, use in zip(totals, uses, strict=True):
            total.add(use)
    return totals
