"""Joins the seatings of a block that were played separately: the same result as if played in one piece."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from maumau.errors import BadReport
from maumau.protocol.outcome import DealOutcome
from maumau.referee.block import SetOutcome
from maumau.referee.pace import PaceSpan


def join_sets(parts: Sequence[Sequence[SetOutcome]]) -> list[SetOutcome]:
    """Join the sets alone, whose parts come in the order of their seatings."""
    seats = len(parts[0][0].deals[0].seats) if parts else 0
    if [get_seating(part) for part in parts] != list(range(seats)) or not parts:
        raise BadReport("A block is joined from one part for each of its seatings.")
    numbers = [one.number for one in parts[0]]
    if any([one.number for one in part] != numbers for part in parts):
        raise BadReport("The parts of a block have the same deal sets.")
    return [
        SetOutcome(number, [_get_deal(part, place) for part in parts]) for place, number in enumerate(numbers)
    ]


def get_seating(part: Sequence[SetOutcome]) -> int:
    """Return the seating of a part: the entrant in seat A."""
    return part[0].deals[0].seats[0]


def _get_deal(part: Sequence[SetOutcome], place: int) -> DealOutcome:
    (deal,) = part[place].deals
    return deal


def join_paces(paces: Sequence[PaceSpan]) -> PaceSpan:
    return PaceSpan(
        statistics.fmean(pace.mean for pace in paces),
        min(pace.least for pace in paces),
        max(pace.most for pace in paces),
    )
