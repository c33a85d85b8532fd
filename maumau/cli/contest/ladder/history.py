"""`maumau ladder history`: how a bot was rated over time, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from maumau.cli.shared import place
from maumau.screen.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import RatingPoint, VersionHistory

BAR: Final = 41
"""Columns of the chart where there is room."""
NARROW_BAR: Final = 21


class RatingStep(NamedTuple):
    """A line of the chart: the number of the version within the bot, 0 if it is unknown, and its rating."""

    version: int
    point: RatingPoint


def show_history(
    ladder: Annotated[str, typer.Argument(metavar="LADDER", help="The ladder's name.")],
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's name in the arena.")],
    *,
    most: Annotated[
        int, typer.Option("--limit", "-n", min=2, max=1000, help="How many lines to draw at most.")
    ] = 20,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show how a bot was rated over time, each version on its own; times are UTC.

    Example: maumau ladder history prsi my-bot
    """
    with place.connect_matchmaking(arena) as link:
        found = link.history(ladder, bot)
    if as_json:
        json_line(found)
        return
    steps = pick_steps(list_steps(found), most)
    if not steps:
        show(f"{bot} has no result yet on the ladder {ladder}")
        return
    from maumau.screen.table import Fitted

    show(Fitted(lambda width: chart_ratings(steps, width)))


def list_steps(found: Sequence[VersionHistory]) -> list[RatingStep]:
    """Return all points of all versions, oldest first."""
    steps = [RatingStep(one.version, point) for one in found for point in one.points]
    return sorted(steps, key=lambda step: step.point.at.timestamp() if step.point.at else 0)


def pick_steps(steps: Sequence[RatingStep], most: int) -> list[RatingStep]:
    """Return at most `most` of the steps, evenly spread, with the first and the last one."""
    if len(steps) <= most:
        return list(steps)
    return [steps[round(k * (len(steps) - 1) / (most - 1))] for k in range(most)]


def chart_ratings(steps: Sequence[RatingStep], width: int) -> Table:
    """Return a chart: a line for each step, its interval drawn to the scale of all of them."""
    from maumau.screen.table import MEDIUM, table

    low, high = min(step.point.low for step in steps), max(step.point.high for step in steps)
    room = BAR if width >= MEDIUM else NARROW_BAR
    scale = f"{low:+z.0f}".ljust(room - len(f"{high:+z.0f}")) + f"{high:+z.0f}"
    more = [">95 %"] if width >= MEDIUM else []
    made = table("when (UTC)", ">version", ">sets", ">rating", *more, scale)
    days = {step.point.at.date() for step in steps if step.point.at}
    for step in steps:
        one = step.point
        interval = [f"{one.low:+z.0f} to {one.high:+z.0f}"] if more else []
        when = one.at.strftime("%H:%M" if len(days) == 1 else "%m-%d %H:%M") if one.at else ""
        bar = draw_interval(one, low, high, room)
        made.add_row(when, str(step.version or "?"), f"{one.sets:,}", f"{one.elo:+z.0f}", *interval, bar)
    return made


def draw_interval(one: RatingPoint, low: float, high: float, room: int) -> str:
    """Return the interval as dashes and the rating as an o, in `room` columns from low to high."""

    def column_of(elo: float) -> int:
        return round((elo - low) / (high - low) * (room - 1)) if high > low else 0

    cells = [" "] * room
    cells[column_of(one.low) : column_of(one.high) + 1] = "-" * (column_of(one.high) - column_of(one.low) + 1)
    cells[column_of(one.elo)] = "o"
    return "".join(cells).rstrip()
