"""Test whether two bots decide more alike than independent ones do: one may be a copy of the other.

A deal is played in every seating with the same cards and the same draws. As long as its records are equal,
whoever sits in a seat decides what another bot decided in the same seat of another seating, in the same
position; at the first difference the two that sit there have decided otherwise. Of a pair let s be how many
decisions were the same, c how many deals ended with a change of theirs, and r = (c + ½) / (s + c + 1).

Most decisions of a game are forced, and some bots resemble everybody else; so ln r is expected to be the sum
of what either of the two is worth, fitted to the whole field by least squares with Huber's weights, a pair
left out of its own expectation, which is at most the largest of the field. A pair is named if its r lies
below that by `FAR` of the field's spread (not less than `SPREAD`, the noise 1 / (c + 1) added), if r is at
most `CLOSE` as well, and at least `FEWEST` deals were compared; and in any field if the two decided alike in
all of `ALL_ALIKE` deals. Fields of less than `SMALLEST` bots that met tell nothing of what is usual.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Final, NamedTuple

import numpy as np

from maumau.contest.statistics.rating import Floats
from maumau.game import drop_mark
from maumau.game.notation.action import SEATS

FAR: Final = 3.5
"""The distance from what the field predicts, in units of its spread, from which a pair is named."""

SPREAD: Final = 0.35
"""The least spread of ln r among honest pairs."""

CLOSE: Final = 0.05
"""The share of changed decisions above which nobody is named: unlike programs may be as close as that."""

FEWEST: Final = 40
ALL_ALIKE: Final = 40
SMALLEST: Final = 5
ROUNDS: Final = 12
HUBER: Final = 1.5
RIDGE: Final = 0.1


@dataclass
class Alike:
    """Deals of two bots that were compared. same: equal decisions; changed: deals with a change of theirs."""

    deals: int = 0
    same: int = 0
    changed: int = 0

    @property
    def rate(self) -> float:
        """The share of decisions that were changed, with half a change more."""
        return (self.changed + 0.5) / (self.same + self.changed + 1)


class Likeness(NamedTuple):
    """Two bots, and how alike they decide.

    share: of decisions in the same positions that were the same; usual: what the field predicts, NaN where
    it tells nothing. distance: from it, in units of the field's spread.
    """

    first: int
    second: int
    deals: int
    same: int
    changed: int
    share: float
    usual: float
    distance: float
    named: bool


def compare_seatings(
    records: Sequence[str], players: Sequence[int], found: dict[tuple[int, int], Alike]
) -> None:
    """Add the comparison of the seatings of one deal. players: those of the match in its order.

    Seating s has player (k + s) mod n in seat k, and its record is at place s.
    """
    lines = [drop_mark(record).splitlines() for record in records]
    for one, other in combinations(range(len(lines)), 2):
        seats, changed = _compare_actions(lines[one], lines[other])
        met: set[tuple[int, int]] = set()
        for seat in seats:
            pair = _find_pair(players, seat, one, other)
            alike = found.setdefault(pair, Alike())
            alike.same += 1
            met.add(pair)
        if changed is not None:
            pair = _find_pair(players, changed, one, other)
            found.setdefault(pair, Alike()).changed += 1
            met.add(pair)
        for pair in met:
            found[pair].deals += 1


def _compare_actions(one: Sequence[str], other: Sequence[str]) -> tuple[list[int], int | None]:
    """Return the seats of the equal decisions in order, and the seat of the first change, if it has one."""
    seats: list[int] = []
    for line, again in zip_longest(one, other, fillvalue=""):
        seat, there = line.partition(" ")[0], again.partition(" ")[0]
        if line != again:
            return seats, SEATS.index(seat) if seat == there and _is_seat(seat) else None
        if _is_seat(seat):
            seats.append(SEATS.index(seat))
    return seats, None


def _is_seat(word: str) -> bool:
    return len(word) == 1 and word in SEATS


def _find_pair(players: Sequence[int], seat: int, one: int, other: int) -> tuple[int, int]:
    size = len(players)
    a, b = players[(seat + one) % size], players[(seat + other) % size]
    return min(a, b), max(a, b)


def find_likeness(found: Mapping[tuple[int, int], Alike]) -> list[Likeness]:
    """Return the test of each pair that was compared, those named and then the most alike first."""
    pairs = sorted(pair for pair, alike in found.items() if alike.same + alike.changed)
    usual, spread = _expect_likeness([found[pair] for pair in pairs], pairs)
    lines = [
        _judge_pair(pair, found[pair], float(expected), float(noise))
        for pair, expected, noise in zip(pairs, usual, spread, strict=True)
    ]
    return sorted(lines, key=lambda one: (not one.named, -one.share, one.first, one.second))


def _judge_pair(pair: tuple[int, int], alike: Alike, expected: float, spread: float) -> Likeness:
    distance = (expected - math.log(alike.rate)) / spread
    is_far = distance >= FAR and alike.rate <= CLOSE and alike.deals >= FEWEST
    is_copy = not alike.changed and alike.deals >= ALL_ALIKE
    return Likeness(
        *pair,
        alike.deals,
        alike.same,
        alike.changed,
        share=alike.same / (alike.same + alike.changed),
        usual=1 - math.exp(expected),
        distance=distance,
        named=is_far or is_copy,
    )


def _expect_likeness(alikes: Sequence[Alike], pairs: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
    """Return the expected ln r of each pair, by all others, and the spread about it."""
    players = sorted({one for pair in pairs for one in pair})
    unknown = np.full(len(pairs), math.nan), np.full(len(pairs), math.inf)
    if len(players) < SMALLEST or len(pairs) <= len(players):
        return unknown
    place = {one: at for at, one in enumerate(players)}
    worth = np.zeros((len(pairs), len(players) + 1))
    worth[:, -1] = 1
    for line, pair in enumerate(pairs):
        worth[line, [place[one] for one in pair]] = 1
    logs = np.array([math.log(alike.rate) for alike in alikes])
    noise = np.array([1 / (alike.changed + 1) for alike in alikes])
    return _fit_expectation(worth, logs, noise)


def _fit_expectation(worth: Floats, logs: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Return the expectation of each line when it is left out, and its spread."""
    ridge = RIDGE * np.eye(worth.shape[1])
    ridge[-1, -1] = 0  # the mean of the field is free
    spread, trust = SPREAD, np.ones(len(logs))
    beyond: Floats = logs - logs.mean()
    leverage: Floats = np.zeros(len(logs))
    for _ in range(ROUNDS):
        weights = trust * spread**2 / (spread**2 + noise)
        inverse = np.linalg.inv(worth.T @ (weights[:, None] * worth) + ridge)
        beyond = logs - worth @ (inverse @ (worth.T @ (weights * logs)))
        leverage = weights * ((worth @ inverse) * worth).sum(axis=1)
        spread = max(SPREAD, 1.4826 * float(np.median(np.abs(beyond))))
        trust = HUBER / np.maximum(HUBER, np.abs(beyond) / np.sqrt(spread**2 + noise))
    alone = np.maximum(1 - leverage, RIDGE)
    expected = np.minimum(logs - beyond / alone, logs.max())  # never above the highest that was observed
    return expected, np.sqrt((spread**2 + noise) / alone)
