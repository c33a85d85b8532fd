"""Second runs: which blocks get one, which deals count then, and which first runs suspend a bot.

Running out of time counts only if it happens again, and so does being killed: both may be the host's doing.
So a block in whose first run a program did is played once more (docs/decisions/0019-reference-time.md). Each
second run costs the block once more. It takes the place of the deals that this cost, and of no other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from maumau.game import drop_mark
from maumau.game.notation.action import SEATS
from maumau.protocol.fault import FORFEIT, Fault
from maumau.protocol.outcome import DealOutcome
from maumau.referee.block import SetOutcome

BLOCKS_IN_A_ROW = 3
"""A bot with provisional faults in the first runs of this many consecutive blocks of a match is suspended."""

BLOCKS_OF_A_MATCH = 4
"""This many suspend a bot anywhere in a match, if they are more than PART_OF_A_MATCH of its blocks."""

PART_OF_A_MATCH = 1 / 4

PART_OF_A_SHORT_MATCH = 1 / 2
"""From this part of its blocks on, a match counts as one with a fault: a short match has few blocks."""


COSTS = ("time", "start", FORFEIT)
"""Ways to lose a deal by an overrun: in it, before it, or because of the faults that followed.

Being killed costs only the deal with the fault, and those behind the fifth fault of the seating.
"""


class Provisional(Protocol):
    """A provisional fault, as the referee or as the arena has it; killed: else its time was spent."""

    @property
    def killed(self) -> bool: ...


def find_provisional_faults(faults: Iterable[Fault], *, is_second: bool) -> list[Fault]:
    """Return the faults for which a block is played once more; none if this was its second run."""
    return [] if is_second else [fault for fault in faults if fault.is_provisional]


def describe_provisional(faults: Iterable[Provisional]) -> str:
    """Return what happened to a program: `ran out of time`, `was killed`, or both."""
    return " or ".join(sorted({"was killed" if fault.killed else "ran out of time" for fault in faults}))


def settle_runs(first: Sequence[SetOutcome], second: Sequence[SetOutcome]) -> list[SetOutcome]:
    """Return the sets of a block that count after both of its runs: each deal is that of one of them.

    The first run of a deal counts, unless a provisional fault lost it. Then the second run counts, if it
    repeats all events before the loss. Otherwise the deal stays lost: a program that plays by chance or by
    the clock could otherwise have a bad deal replayed.
    """
    costs = defaultdict[tuple[int, int], set[str]](set)
    for fault in (fault for one in first for deal in one.deals for fault in deal.faults):
        if fault.is_provisional:
            costs[fault.seating, fault.entrant].update(COSTS if fault.overran else (FORFEIT,))
    return [
        SetOutcome(
            before.number,
            [_settle_deal(*deals, costs) for deals in zip(before.deals, after.deals, strict=True)],
        )
        for before, after in zip(first, second, strict=True)
    ]


def _settle_deal(
    first: DealOutcome, second: DealOutcome, costs: Mapping[tuple[int, int], Collection[str]]
) -> DealOutcome:
    """Return the deal that counts. costs: ways to lose a deal that are excused, by seating and entrant."""
    seating, lines = first.seats[0], drop_mark(first.record).splitlines()
    excused = [(entrant, kind) for entrant in first.seats for kind in costs.get((seating, entrant), ())]
    excused += [(fault.entrant, fault.kind) for fault in first.faults if fault.killed]
    losses = {f"forfeit {SEATS[first.seats.index(entrant)]} {kind}" for entrant, kind in excused}
    lost = next((at for at, line in enumerate(lines) if line in losses), None)
    if lost is None and not any(fault.is_provisional for fault in first.faults):
        return first  # with such a fault that cost no deal, the second run counts if it is the same deal
    return second if drop_mark(second.record).splitlines()[:lost] == lines[:lost] else first


def find_row(late: Sequence[int]) -> tuple[int, int] | None:
    """Return the first and last of BLOCKS_IN_A_ROW consecutive blocks, None if there are none."""
    pairs = zip(late, late[BLOCKS_IN_A_ROW - 1 :], strict=False)
    return next(((begin, end) for begin, end in pairs if end - begin == BLOCKS_IN_A_ROW - 1), None)


def describe_excess(late: Sequence[int], blocks: int) -> str:
    """Return why a bot with provisional faults in the first runs of these blocks is suspended, or "".

    late: their numbers in the match, in order. blocks: how many of the match count.
    """
    if row := find_row(late):
        return f"blocks {row[0]} to {row[1]} in a row"
    if len(late) >= BLOCKS_OF_A_MATCH and len(late) > PART_OF_A_MATCH * blocks:
        return f"{len(late)} of {blocks} blocks"
    return ""


def counts_as_fault(late: Sequence[int], blocks: int) -> bool:
    """Return True if a match counts as one with a fault, although a provisional fault is not one."""
    return bool(late) and len(late) >= PART_OF_A_SHORT_MATCH * blocks
