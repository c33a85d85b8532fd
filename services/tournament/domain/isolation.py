"""The choice of seatings that are played again alone, and of their deals. Pure: decision 30.

A copy plays the first deals of a seating with the bank of the whole seating. So until its last deal a
program is told exactly the same as the first time, and if it decides by that alone, it sees no difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import ALPHA
from maumau.contest.export.foreknowledge import CHANGED, ODDS, UNKNOWN, Marks, find_foreknowledge
from maumau.contest.score import SEATINGS
from maumau.game import order_deals, order_seatings

SCREENED = 20
"""Deals of the told seating that are compared to choose where to look."""

PAIRED = 60
"""Deals of each seating that are compared as evidence."""

SECOND_RUN = 4.0
"""Factor by which a second run is likelier to be chosen: its bots have seen both seatings."""


class IsolatedSeating(NamedTuple):
    """The seating and deals that a copy plays. sets: numbers, ascending; deal_ms: so that banks are equal."""

    seating: int
    deal_ms: int
    sets: tuple[int, ...]

    def write(self) -> str:
        """Return it in the notation of the block's row."""
        return f"{self.seating} {self.deal_ms} {','.join(map(str, self.sets))}"


class Candidate(NamedTuple):
    """A booked block that may be played again. entrants: their numbers in the contest; times in ms."""

    block_id: str
    entrants: tuple[int, ...]
    sets: int
    deal_ms: int
    wall_ms: float
    start_ms: float
    is_second_run: bool = False

    def estimate_cost(self, seatings: int, sets: int) -> float:
        """Return the worker's time, in ms, that this number of deals and seatings will take."""
        play = max(0.0, self.wall_ms - self.start_ms) * sets / self.sets
        return (self.start_ms + play) * seatings / SEATINGS


class Plan(NamedTuple):
    """An isolation to order. fresh: the block whose first seating is copied, None if it is only screened."""

    told: Candidate
    fresh: Candidate | None
    sets: int

    @property
    def price(self) -> float:
        """Return the worker's time that it will take, in ms."""
        return self.told.estimate_cost(1, self.sets) + (
            self.fresh.estimate_cost(1, self.sets) if self.fresh else 0.0
        )


def read_isolated(text: str) -> IsolatedSeating:
    """Return the isolated seating that a copy's row describes."""
    seating, deal_ms, sets = text.split(" ")
    return IsolatedSeating(int(seating), int(deal_ms), tuple(map(int, sets.split(","))))


def isolate_seating(
    seeds: Sequence[str], first_set: int, deal_ms: int, wanted: int, *, is_told: bool
) -> IsolatedSeating:
    """Return the copy of a block's seating that was played second (told) or first. seeds: of all its sets."""
    seating = order_seatings(seeds, range(SEATINGS))[-1 if is_told else 0]
    count = count_isolated(len(seeds), deal_ms, wanted)
    places = sorted(order_deals(seeds, seating)[:count])
    return IsolatedSeating(
        seating, deal_ms * len(seeds) // count, tuple(first_set + place for place in places)
    )


def count_isolated(sets: int, deal_ms: int, wanted: int) -> int:
    """Return the most deals, at most `wanted`, that divide the bank of a seating into whole milliseconds."""
    return next(count for count in range(min(wanted, sets), 0, -1) if deal_ms * sets % count == 0)


def estimate_worth(marks: Marks) -> float:
    """Return how much another look at a bot is worth: the share of told deals that is likely to be changed.

    The rate of changes in fresh deals is subtracted: nothing is spent on bots that decide by the clock.
    """
    told = (marks.screened + marks.told).replace(UNKNOWN, "")
    return (_count_excess(marks) + 1) / (len(told) + 2)


def _count_excess(marks: Marks) -> float:
    changed = marks.screened.count(CHANGED) + marks.told.count(CHANGED)
    return max(0.0, changed - ODDS * marks.fresh.count(CHANGED))


def choose_plan(
    candidates: Sequence[Candidate], marks: Mapping[int, Marks], entrants: int, chance: Random
) -> Plan | None:
    """Return the plan of a contest's next isolation; None if nothing is worth it.

    Bots that were noticed come first: credit is saved until it pays for their evidence. The choice is
    drawn at random, so that no bot can know that it is no longer looked at.
    """
    weights = {number: _weigh_open(marks.get(number, Marks()), entrants) for number in range(1, entrants + 1)}
    plans = [plan for one in candidates if (plan := _build_plan(one, candidates, marks, weights))]
    plans = [plan for plan in plans if plan.fresh] or plans
    worth = [_weigh_candidate(plan.told, weights) ** 2 for plan in plans]
    return chance.choices(plans, worth)[0] if any(worth) else None


def _weigh_candidate(told: Candidate, weights: Mapping[int, float]) -> float:
    worth = sum(weights[number] for number in told.entrants)
    return worth * SECOND_RUN if told.is_second_run else worth


def _weigh_open(marks: Marks, entrants: int) -> float:
    """Return the weight of a bot, 0 if nothing more needs to be known of it."""
    known = find_foreknowledge([Entrant(1, "", "")], {1: marks})[0]
    return 0.0 if known.p <= ALPHA / entrants else estimate_worth(marks)


def _build_plan(
    told: Candidate,
    candidates: Sequence[Candidate],
    marks: Mapping[int, Marks],
    weights: Mapping[int, float],
) -> Plan | None:
    """Return the plan for a block: screening, or evidence if one of its bots has been noticed."""
    noticed = [
        number for number in told.entrants if weights[number] and _count_excess(marks.get(number, Marks()))
    ]
    if not noticed:
        return Plan(told, None, count_isolated(told.sets, told.deal_ms, SCREENED))
    fresh = _find_fresh(told, candidates, noticed)
    if fresh is None:
        return None
    wanted = min(PAIRED, fresh.sets)
    return Plan(told, fresh, count_isolated(told.sets, told.deal_ms, wanted))


def _find_fresh(told: Candidate, candidates: Sequence[Candidate], noticed: Sequence[int]) -> Candidate | None:
    """Return a first run with one of these bots: the block itself if it is one, None if there is none."""
    if not told.is_second_run:
        return told
    others = (one for one in candidates if not one.is_second_run and set(noticed) & set(one.entrants))
    return next(others, None)
