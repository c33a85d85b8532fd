"""Joins the seatings of a block that were played separately: the same result as if played in one piece."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from maumau.bot.outcome import DealOutcome
from maumau.bot.pace import PaceSpan
from maumau.bot.referee import BlockOutcome, Measured, SetOutcome
from maumau.bot.use import sum_uses
from maumau.errors import BadReport


def join_seatings(parts: Sequence[BlockOutcome]) -> BlockOutcome:
    """The outcome of a block from those of its seatings, one each, in any order.

    BadReport: a seating is missing or there twice, or the parts are not of the same deal sets. Of what was
    measured, times are added up, and the pace is the mean of the parts'.
    """
    ordered = sorted(parts, key=lambda part: get_seating(part.sets))
    sets = join_sets([part.sets for part in ordered])
    return BlockOutcome(sets, _join_measurements([part.measured for part in ordered]))


def join_sets(parts: Sequence[Sequence[SetOutcome]]) -> list[SetOutcome]:
    """The same of the sets alone, whose parts come in the order of their seatings."""
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
    """The seating of a part: the entrant in seat A."""
    return part[0].deals[0].seats[0]


def _get_deal(part: Sequence[SetOutcome], place: int) -> DealOutcome:
    (deal,) = part[place].deals
    return deal


def _join_measurements(parts: Sequence[Measured]) -> Measured:
    return Measured(
        sum(part.wall_ms for part in parts),
        sum(part.start_ms for part in parts),
        sum_uses([part.uses for part in parts]),
        parts[0].deal_ms,
        sum(part.probe_ms for part in parts),
        join_paces([part.pace for part in parts]),
    )


def join_paces(paces: Sequence[PaceSpan]) -> PaceSpan:
    return PaceSpan(
        statistics.fmean(pace.mean for pace in paces),
        min(pace.least for pace in paces),
        max(pace.most for pace in paces),
    )
