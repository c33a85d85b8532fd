"""The figure of a review: the chance to win over a deal, as paths in a box. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from maumau.review.review import Review

WIDTH, HEIGHT = 1000, 200  # of the box
ERRORS = 2  # standard errors that the band shows


class Dot(NamedTuple):
    """A costly moment: its decision's number, and its place in the box."""

    number: int
    x: float
    y: float


class ReviewCurve(NamedTuple):
    """The paths of the line and its band, the height of an even share, the costly moments."""

    line: str
    band: str
    even: float
    dots: list[Dot]


def draw_review(review: Review) -> ReviewCurve | None:
    """Return the figure: the chance after each decision, and the outcome; None if nothing was decided."""
    points = [(one.chance, one.error) for one in review.decisions]
    if not points:
        return None
    points.append((review.outcome, 0.0))
    places = [WIDTH * number / (len(points) - 1) for number in range(len(points))]
    upper = [(x, chance + ERRORS * error) for x, (chance, error) in zip(places, points, strict=True)]
    lower = [(x, chance - ERRORS * error) for x, (chance, error) in zip(places, points, strict=True)]
    dots = [
        Dot(one.number, round(x, 1), _compute_height(one.chance))
        for x, one in zip(places, review.decisions, strict=False)
        if one.number in review.costliest
    ]
    line = [(x, chance) for x, (chance, _) in zip(places, points, strict=True)]
    return ReviewCurve(
        _draw_path(line), f"{_draw_path([*upper, *lower[::-1]])}z", _compute_height(review.even), dots
    )


def _draw_path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {_compute_height(chance)}" for x, chance in points)


def _compute_height(chance: float) -> float:
    return round(HEIGHT * (1 - min(1.0, max(0.0, chance))), 1)
