"""The score of each entrant in a deal set, in whole numbers: from 0 to `count_units(mode, seats)`.

A set is a deal played in every seating; at n seats, seating s has entrant (k + s) mod n in seat k. At two
seats the score of the first says it all: x = units / UNITS[mode], from 0 to 1; the second's is 1 - x.

win: a deal is worth the least common multiple of 1 … n, shared by the players in first place.
places: against each of the others a better place counts 2, an equal one 1, a worse one 0.
At two seats both come to the same: a deal won counts 2, a drawn one 1, a lost one 0.
points: in each pair the player with the better place leads by the difference of the points, at most `STAKE`
(the usual target of a game), and neither leads if places are equal. Whoever lost the deal by a fault is
behind everybody who did not by the full stake, so that no fault is cheaper than a bad hand. The leads,
positive or negative, are added to STAKE for each seating and each of the others: level sets are worth one
half, a set won by the full stake in all seatings everything. It does not matter whether a variant counts
points for or against a player: the winner of the deal leads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations_with_replacement
from operator import mul
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from maumau.errors import BadResult

SEATINGS = 2
STAKE = 100
MOST_SEATS = 10


@cache
def _compute_worth(seats: int) -> int:
    """Return the worth of a won deal, which up to `seats` winners can share in whole numbers."""
    return math.lcm(*range(1, seats + 1))


def count_units(mode: str, seats: int) -> int:
    """Return the score of an entrant that wins every deal of a set by the maximum."""
    deal = {
        "win": _compute_worth(seats),
        "places": 2 * (seats - 1),
        "points": 2 * (seats - 1) * STAKE,
    }
    return seats * deal[mode]


UNITS = {mode: count_units(mode, SEATINGS) for mode in ("win", "places", "points")}
"""At two seats, by mode."""


class SetScore(msgspec.Struct, frozen=True):
    """number: of the set in its match, from 0. half_points: the first's score.

    points: the variant's points over the seatings, by entrant. gain: the first's score in seating 1, less its
    score in seating 0. scores: by entrant where there are more than two; empty at two seats.
    """

    number: Annotated[int, Meta(ge=0)]
    half_points: Annotated[int, Meta(ge=0)]
    points: tuple[int, ...]
    gain: int
    scores: tuple[int, ...] = ()

    def by_entrant(self, mode: str) -> tuple[int, ...]:
        """Return the scores of all entrants."""
        return self.scores or (self.half_points, UNITS[mode] - self.half_points)


class BlockSums(NamedTuple):
    """The sets of a block added up: scores, points and gains, and their squares.

    all_points, totals, products: at more than two seats alone (`statistics/table_sums.py`). leads: of each
    set its lead 2h - unit, as 1, 0 or -1, at two seats alone; a match to a number of wins needs them.
    """

    sets: int
    total: int
    squares: int
    first_points: int
    second_points: int
    gain: int
    gain_squares: int
    all_points: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()
    products: tuple[int, ...] = ()
    leads: tuple[int, ...] = ()


class DealScore(msgspec.Struct, frozen=True):
    """places (from 1, equals share) and points of one deal, by seat.

    lost: the seats that lost it by a fault.
    """

    places: Sequence[int]
    points: Sequence[int]
    lost: Sequence[int] = ()


def add_up(sets: Sequence[SetScore], unit: int = 0) -> BlockSums:
    """Return the sums that judging needs of these sets; with their leads if the unit is given."""
    rows = [score.scores for score in sets if score.scores]
    points = totals = products = tuple[int, ...]()
    if rows:
        points = tuple(map(sum, zip(*(score.points for score in sets), strict=True)))
        totals, products = add_up_scores(rows)
    return BlockSums(
        len(sets),
        sum(score.half_points for score in sets),
        sum(score.half_points**2 for score in sets),
        sum(score.points[0] for score in sets),
        sum(score.points[1] for score in sets),
        sum(score.gain for score in sets),
        sum(score.gain**2 for score in sets),
        points,
        totals,
        products,
        tuple(_sign(2 * score.half_points - unit) for score in sets) if unit else (),
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def add_up_scores(rows: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return Σu of each player over these sets, and Σu·v of each two, each with itself first."""
    columns = list(zip(*rows, strict=True))
    pairs = combinations_with_replacement(columns, 2)
    return tuple(map(sum, columns)), tuple(sum(map(mul, one, other)) for one, other in pairs)


def choose_mode(mode: str, seats: int) -> str:
    """Return the mode of a table: places if more than two sit at it, else the contest's."""
    return mode if seats == SEATINGS else "places"


def score_set(mode: str, number: int, deals: Sequence[DealScore], seats: int = SEATINGS) -> SetScore:
    """Score a set from its deals in the order of their seatings.

    The first entrant sits in seat 0, then in the last seat, and so on down to seat 1.
    """
    if len(deals) != seats:
        raise BadResult(f"Set {number} has {len(deals)} deals, not one in each of its {seats} seatings.")
    count = {"win": _score_wins, "places": _score_beaten, "points": _score_leads}[mode]
    scored = [count(deal) for deal in deals]
    scores = _sum_by_entrant(scored, seats)
    points = _sum_by_entrant([deal.points for deal in deals], seats)
    gain = scored[1][-1] - scored[0][0]
    return SetScore(number, scores[0], points, gain, scores if seats > SEATINGS else ())


def _sum_by_entrant(deals: Sequence[Sequence[int]], seats: int) -> tuple[int, ...]:
    """Return the sums by entrant of numbers that each deal has by seat."""
    return tuple([sum([deal[one - s] for s, deal in enumerate(deals)]) for one in range(seats)])


def _score_wins(deal: DealScore) -> list[int]:
    share = _compute_worth(len(deal.places)) // deal.places.count(1)
    return [share if place == 1 else 0 for place in deal.places]


def _score_beaten(deal: DealScore) -> list[int]:
    seats = range(len(deal.places))
    return [sum(1 + _count_ahead(deal, seat, other) for other in seats if other != seat) for seat in seats]


def _score_leads(deal: DealScore) -> list[int]:
    seats = range(len(deal.places))
    return [sum(_compute_lead(deal, seat, other) for other in seats if other != seat) for seat in seats]


def _compute_lead(deal: DealScore, seat: int, other: int) -> int:
    if (seat in deal.lost) != (other in deal.lost):
        return 0 if seat in deal.lost else 2 * STAKE
    lead = min(abs(deal.points[seat] - deal.points[other]), STAKE)
    return STAKE + lead * _count_ahead(deal, seat, other)


def _count_ahead(deal: DealScore, seat: int, other: int) -> int:
    """Return 1 if the seat has the better place, -1 if it has the worse one."""
    mine, its = deal.places[seat], deal.places[other]
    return (mine < its) - (mine > its)
