"""Second runs: which blocks get one, which deals count then, and which first runs suspend a bot.

Running out of time counts only if it happens again, so a block in whose first run a program ran out of CPU
time is played once more (docs/decisions/0019-reference-time.md). Each second run costs the block once more.
It takes the place of the deals that the overrun cost, and of no other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from maumau.game import drop_mark
from maumau.game.notation.action import SEATS
from maumau.protocol.fault import FORFEIT, Fault
from maumau.protocol.outcome import DealOutcome
from maumau.referee.block import SetOutcome

BLOCKS_IN_A_ROW = 3
"""A bot that overruns in the first runs of this many consecutive blocks of a match is suspended."""

BLOCKS_OF_A_MATCH = 4
"""This many suspend a bot anywhere in a match, if they are more than PART_OF_A_MATCH of its blocks."""

PART_OF_A_MATCH = 1 / 4

PART_OF_A_SHORT_MATCH = 1 / 2
"""From this part of its blocks on, a match counts as one with a fault: a short match has few blocks."""


COSTS = ("time", "start", FORFEIT)
"""Ways to lose a deal by an overrun: in it, before it, or because of the faults that followed."""


def find_overruns(faults: Iterable[Fault], *, is_second: bool) -> list[Fault]:
    """Return the faults for which a block is played once more; none if this was its second run."""
    return [] if is_second else [fault for fault in faults if fault.overran]


def settle_runs(first: Sequence[SetOutcome], second: Sequence[SetOutcome]) -> list[SetOutcome]:
    """Return the sets of a block that count after both of its runs: each deal is that of one of them.

    The first run of a deal counts, unless the overrun lost it. Then the second run counts, if it repeats all
    events before the overrun. Otherwise the deal stays lost: a program that plays by chance or by the clock
    could otherwise have a bad deal replayed.
    """
    late = {
        (fault.seating, fault.entrant)
        for one in first
        for deal in one.deals
        for fault in find_overruns(deal.faults, is_second=False)
    }
    return [
        SetOutcome(
            before.number,
            [_settle_deal(*deals, late) for deals in zip(before.deals, after.deals, strict=True)],
        )
        for before, after in zip(first, second, strict=True)
    ]


def _settle_deal(first: DealOutcome, second: DealOutcome, late: Collection[tuple[int, int]]) -> DealOutcome:
    """Return the deal that counts. late: those who overran in the first run, by seating and entrant."""
    seating = first.seats[0]
    lines = drop_mark(first.record).splitlines()
    losses = {
        f"forfeit {SEATS[seat]} {kind}"
        for seat, entrant in enumerate(first.seats)
        if (seating, entrant) in late
        for kind in COSTS
    }
    lost = next((at for at, line in enumerate(lines) if line in losses), None)
    if lost is None:
        return first
    return second if drop_mark(second.record).splitlines()[:lost] == lines[:lost] else first


def describe_excess(late: Sequence[int], blocks: int) -> str:
    """Return why a bot is suspended whose first runs of these blocks of a match overran; empty if it is not.

    late: their numbers, in order. blocks: how many of the match count.
    """
    for begin, end in zip(late, late[BLOCKS_IN_A_ROW - 1 :], strict=False):
        if end - begin == BLOCKS_IN_A_ROW - 1:
            return f"blocks {begin} to {end} in a row"
    if len(late) >= BLOCKS_OF_A_MATCH and len(late) > PART_OF_A_MATCH * blocks:
        return f"{len(late)} of {blocks} blocks"
    return ""


def counts_as_fault(late: Sequence[int], blocks: int) -> bool:
    """Return True if a match counts as one with a fault, although an overrun of a first run is not one."""
    return bool(late) and len(late) >= PART_OF_A_SHORT_MATCH * blocks
