"""The figure of a rating over time: a line and its band for each version, as paths in a box. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from maumau.client.answer import RatingPoint, VersionHistory

WIDTH, HEIGHT = 1000, 200  # of the box


class Curve(NamedTuple):
    """A version: the paths of its line and its band, the start of its line, its last rating.

    version: its number within the bot, 0 if it is unknown.
    """

    version: int
    line: str
    band: str
    begins: float
    last: RatingPoint


class RatingCurves(NamedTuple):
    """The curves, the ends of both axes, and the position of zero below the top in percent, if inside."""

    curves: list[Curve]
    least: float
    most: float
    zero: float | None
    begins: datetime
    ends: datetime


def draw_history(versions: Sequence[VersionHistory]) -> RatingCurves | None:
    """Return the figure; None if there is no line: fewer than two points of every version."""
    drawn = [(one.version, [p for p in one.points if p.at]) for one in versions]
    drawn = [(version, points) for version, points in drawn if len(points) > 1]
    if not drawn:
        return None
    everything = [p for _, points in drawn for p in points]
    times = [p.at for p in everything if p.at]
    least, most = min(p.low for p in everything), max(p.high for p in everything)
    begins, ends = min(times), max(times)
    zero = 100 * most / (most - least) if least < 0 < most else None

    def place(p: RatingPoint, value: float) -> str:
        span = (ends - begins).total_seconds() or 1.0
        x = WIDTH * ((p.at or begins) - begins).total_seconds() / span
        y = HEIGHT * (most - value) / ((most - least) or 1.0)
        return f"{x:.1f} {y:.1f}"

    def curve(version: int, points: Sequence[RatingPoint]) -> Curve:
        line = [place(p, p.elo) for p in points]
        around = [place(p, p.high) for p in points] + [place(p, p.low) for p in reversed(points)]
        begins = float(line[0].partition(" ")[0])
        return Curve(version, "M" + "L".join(line), "M" + "L".join(around) + "z", begins, points[-1])

    curves = [curve(version, points) for version, points in drawn]
    return RatingCurves(curves, least, most, zero, begins, ends)


def list_versions(figure: RatingCurves) -> str:
    """Return the numbers of the versions in the figure, as their lines begin from left to right."""
    ordered = sorted(figure.curves, key=lambda one: one.begins)
    return ", ".join(str(one.version or "?") for one in ordered)
