"""What a deal set is worth: one whole number for the entrant named first, out of `UNITS[mode]`.

A set is a deal played in every seating; seating s has entrant (k + s) mod 2 in seat k. Its score is x =
units / UNITS[mode], from 0 to 1; the second's is 1 - x.

win, places: a deal won counts 2, a drawn one (equal places) 1, a lost one 0; at two seats that is the same.
points: in each deal the winner is ahead by the difference of the points, at most `STAKE` (the usual target
of a game), and nobody in a drawn one. The leads of the first, positive or negative, are added to STAKE for
each
seating: level sets are worth one half, a set won by the full stake in both seatings 1. It does not matter
whether a variant counts points for or against: who won the deal is ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from maumau.errors import BadResult

SEATINGS = 2
STAKE = 100
UNITS = {"win": 2 * SEATINGS, "places": 2 * SEATINGS, "points": 2 * SEATINGS * STAKE}


class SetScore(msgspec.Struct, frozen=True):
    """number: of the set in its match, from 0. half_points: the first's score, 0 to `UNITS[mode]`.

    points: what the variant counted over the seatings, of the first and of the second. gain: what the first
    scored in seating 1, less what it scored in seating 0.
    """

    number: Annotated[int, Meta(ge=0)]
    half_points: Annotated[int, Meta(ge=0)]
    points: tuple[int, int]
    gain: int


class BlockSums(NamedTuple):
    """The sets of a block added up: scores and their squares, points, and gains and their squares."""

    sets: int
    total: int
    squares: int
    first_points: int
    second_points: int
    gain: int
    gain_squares: int


class DealScore(msgspec.Struct, frozen=True):
    """places (from 1, equals share) and points of one deal, by seat."""

    places: Sequence[int]
    points: Sequence[int]


def add_up(sets: Sequence[SetScore]) -> BlockSums:
    """What judging needs of these sets."""
    return BlockSums(
        len(sets),
        sum(score.half_points for score in sets),
        sum(score.half_points**2 for score in sets),
        sum(score.points[0] for score in sets),
        sum(score.points[1] for score in sets),
        sum(score.gain for score in sets),
        sum(score.gain**2 for score in sets),
    )


def score_set(mode: str, number: int, deals: Sequence[DealScore]) -> SetScore:
    """Score a set from its deals in the order of their seatings: the first sits in seat 0, then in seat 1."""
    if len(deals) != SEATINGS:
        raise BadResult(f"Set {number} has {len(deals)} deals, not one in each of its {SEATINGS} seatings.")
    count = _lead if mode == "points" else _wins
    before, after = (count(deal, seat) for seat, deal in enumerate(deals))
    return SetScore(
        number,
        before + after,
        (
            sum(deal.points[seat] for seat, deal in enumerate(deals)),
            sum(deal.points[1 - seat] for seat, deal in enumerate(deals)),
        ),
        after - before,
    )


def _wins(deal: DealScore, seat: int) -> int:
    mine, other = deal.places[seat], deal.places[1 - seat]
    return 1 + (mine < other) - (mine > other)


def _lead(deal: DealScore, seat: int) -> int:
    lead = min(abs(deal.points[0] - deal.points[1]), STAKE)
    return STAKE + lead * (_wins(deal, seat) - 1)
