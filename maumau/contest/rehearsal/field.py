"""The bots of a rehearsal: their strengths, drawn separately for each contest that is played.

Entrants are numbered in an order that has nothing to do with strength, as bots enter a contest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from maumau.contest.entrant import MOST_ENTRANTS
from maumau.contest.statistics.rating import Floats
from maumau.contest.statistics.sequential import Z95
from maumau.errors import BadRequest

MOST_SPREAD = 1000.0
"""Elo; far beyond any field, and finite in every formula."""


class Field(Protocol):
    """A number of bots and a distribution of their strengths."""

    @property
    def bots(self) -> int:
        """The number of bots."""

    def draw_strengths(self, contests: int, rng: np.random.Generator) -> Floats:
        """Return strengths in Elo, a row each contest, a column each entrant."""


@dataclass(frozen=True)
class NormalField:
    """Bots whose strengths are normally distributed. spread: the standard deviation in Elo."""

    bots: int
    spread: float

    def __post_init__(self) -> None:
        check_bots(self.bots)
        if not 0 < self.spread <= MOST_SPREAD:
            raise BadRequest(
                f"a spread of {self.spread:g} Elo: it must be above 0, since of equal bots none is the best,"
                f" and at most {MOST_SPREAD:g}"
            )

    def draw_strengths(self, contests: int, rng: np.random.Generator) -> Floats:
        """Return strengths in Elo, a row each contest."""
        return rng.normal(0.0, self.spread, (contests, self.bots))


@dataclass(frozen=True)
class RatedField:
    """Bots with ratings, each as uncertain as its interval is wide.

    ratings: in Elo. errors: the standard deviation of each, 0 if it is known.
    """

    ratings: tuple[float, ...]
    errors: tuple[float, ...]

    def __post_init__(self) -> None:
        check_bots(self.bots)
        if not any(self.errors) and len(set(self.ratings)) == 1:
            raise BadRequest("all bots of the field are rated alike, so none is the best")

    @property
    def bots(self) -> int:
        """The number of bots."""
        return len(self.ratings)

    def draw_strengths(self, contests: int, rng: np.random.Generator) -> Floats:
        """Return strengths in Elo, a row each contest, the bots in an order of their own in each."""
        shape = (contests, self.bots)
        strengths = np.asarray(self.ratings) + np.asarray(self.errors) * rng.standard_normal(shape)
        found: Floats = rng.permuted(strengths, axis=1)
        return found


def check_bots(bots: int) -> None:
    """Raise BadRequest unless a contest can have this number of entrants."""
    if not 2 <= bots <= MOST_ENTRANTS:
        raise BadRequest(f"a field of {bots}: a contest has 2 to {MOST_ENTRANTS} bots")


def take_best(lines: Sequence[tuple[float, float, float]], most: int | None) -> RatedField:
    """Return the field of the best of these ratings, each with the ends of its 95 % interval."""
    best = sorted(lines, key=lambda line: -line[0])[:most]
    errors = tuple((high - low) / (2 * Z95) for _, low, high in best)
    return RatedField(tuple(elo for elo, _, _ in best), errors)
