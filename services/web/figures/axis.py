"""The coordinates of the figures: positions on an axis, in percent of its length. Pure."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from maumau.client.answer import LeaderboardLine
from maumau.screen.table import BOUND, PLENTY, is_rating_known


class Whisker(NamedTuple):
    """An interval on an axis from 0 to 100: its ends and its dot; least and most are the axis's ends."""

    low: float
    dot: float
    high: float
    least: float
    most: float


def whisker(estimate: float, low: float, high: float) -> Whisker:
    """Return a score's whisker: the axis is symmetrical about one half and grows by tenths as needed."""
    reach = next((r / 10 for r in range(1, 6) if 0.5 - r / 10 <= low and high <= 0.5 + r / 10), 0.5)
    axis = [50 + 50 * (value - 0.5) / reach for value in (low, estimate, high)]
    bounded = [round(min(100.0, max(0.0, value)), 2) for value in axis]
    return Whisker(bounded[0], bounded[1], bounded[2], 0.5 - reach, 0.5 + reach)


class Axis(NamedTuple):
    """An axis of ratings: its ends in Elo, and the position of zero in percent, None if it is outside."""

    least: float
    most: float
    zero: float | None


def rating_axis(lines: Sequence[Any]) -> Axis | None:
    """Return an axis for the meaningful intervals of a table, None if there are none."""
    said = [each for each in lines if is_rated(each)]
    if not said:
        return None
    least, most = min(each.low for each in said), max(each.high for each in said)
    room = 0.04 * max(most - least, 1.0)
    least, most = least - room, most + room
    zero = round(100 * -least / (most - least), 1)
    return Axis(least, most, zero if 0 <= zero <= 100 else None)


def on_axis(axis: Axis | None, line: Any) -> tuple[float, float, float] | None:
    """Return low end, dot and high end of a line's interval in percent of its axis; None if too wide."""
    if axis is None or not is_rated(line):
        return None
    low, dot, high = (
        round(100 * (value - axis.least) / (axis.most - axis.least), 1)
        for value in (line.low, rating_of(line), line.high)
    )
    return low, dot, high


def rating_of(line: Any) -> float:
    """Return the rating in Elo of a line of a contest's or a ladder's table."""
    return float(line.elo if isinstance(line, LeaderboardLine) else line.rating)


def is_rated(line: Any) -> bool:
    """Return True if the interval of a line's rating says something, as in the terminal."""
    return bool(line.sets) and is_rating_known(rating_of(line), line.low, line.high)


def find_lack(line: Any) -> str:
    """Return the key of the words for what a line without a rating lacks.

    An interval shrinks with the root of the number of sets, given enough opponents.
    """
    if not line.sets:
        return "not_rated"
    times = (line.high - line.low) / 2 / BOUND
    return "too_few_opponents" if line.sets * (times * times - 1) > PLENTY else "too_wide"


def share(part: float, whole: float) -> float:
    """Return the share in percent, at most 100."""
    return round(min(100.0, 100 * part / whole), 1) if whole else 0.0
