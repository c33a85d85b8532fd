"""Which blocks are played a second time, and whose first runs suspend it: the same rule everywhere.

Running out of time counts only if it happens again, so a block in whose first run a program ran out of CPU
time is played once more (docs/decisions/0020-second-run.md). Each second run costs the block once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from maumau.bot.fault import Fault

BLOCKS_IN_A_ROW = 3
"""A bot that overruns in the first runs of this many consecutive blocks of a match is suspended."""

BLOCKS_OF_A_MATCH = 4
"""This many suspend it wherever they are, if they are more than PART_OF_A_MATCH of its blocks."""

PART_OF_A_MATCH = 1 / 4

PART_OF_A_SHORT_MATCH = 1 / 2
"""From this part of its blocks on, a match counts as one with a fault: a short match has few blocks."""


def find_overruns(faults: Iterable[Fault], *, is_second: bool) -> list[Fault]:
    """The faults for which a block is played once more; none if this was its second run."""
    return [] if is_second else [fault for fault in faults if fault.overran]


def describe_excess(late: Sequence[int], blocks: int) -> str:
    """Why a bot is suspended that ran out of time in the first runs of these of a match's blocks, in words.

    Empty if it is not. late: their numbers, in order. blocks: how many of the match count.
    """
    for begin, end in zip(late, late[BLOCKS_IN_A_ROW - 1 :], strict=False):
        if end - begin == BLOCKS_IN_A_ROW - 1:
            return f"blocks {begin} to {end} in a row"
    if len(late) >= BLOCKS_OF_A_MATCH and len(late) > PART_OF_A_MATCH * blocks:
        return f"{len(late)} of {blocks} blocks"
    return ""


def counts_as_fault(late: Sequence[int], blocks: int) -> bool:
    """Whether a match counts as one with a fault, though no overrun of a first run is a fault in itself."""
    return bool(late) and len(late) >= PART_OF_A_SHORT_MATCH * blocks
