"""Races as text: the chances to be the best, as they narrow from batch to batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from maumau.client.standing.race import Race, list_races
from maumau.screen.table import table

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.screen.contest.report import TournamentReport

BARS: Final = "▁▂▃▄▅▆▇█"
MOST_BARS: Final = 24


def describe_races(report: TournamentReport) -> Iterator[RenderableType]:
    """Yield for each race where it stands, and a line of chances for each bot that still has one."""
    names = {entry.number: entry.bot_name for entry in report.tournament.entries}
    for race in list_races(report.tournament.spec_toml, report.race):
        yield ""
        yield say_race(race, names[race.last.leader], is_over=is_race_over(report, race))
        made = table("bot", ">chance", "batch by batch")
        for line in race.lines:
            made.add_row(names[line.entrant], f"{line.chances[-1]:.1%}", draw_bars(line.chances))
        yield made
        if race.others:
            yield f"Others with hardly a chance: {race.others}."


def is_race_over(report: TournamentReport, race: Race) -> bool:
    """Return True if no further batch follows."""
    is_next = any(int(one.label.split(".")[0]) > race.stage for one in report.matches)
    return race.is_sure or is_next or report.tournament.state in ("decided", "finished")


def say_race(race: Race, leader: str, *, is_over: bool) -> str:
    """Return where a race stands, in one sentence."""
    last = race.last
    head = f"race of stage {race.stage}, after batch {last.batch} with {last.sets:,} sets: {leader}"
    chance = f"with a chance of {last.chance:.1%}"
    if race.is_sure:
        return f"{head} is the best {chance}, and has won"
    if is_over:
        why = "the budget is used up, or its rivals have left"
        return f"{head} has won as the likeliest to be the best, {chance}: {why}"
    return f"{head} is ahead {chance}; it ends at {race.sure:.1%}, or after {race.budget:,} sets"


def draw_bars(chances: tuple[float, ...]) -> str:
    """Return a bar for each of the last batches, from 0 to 1."""
    return "".join(BARS[min(int(one * len(BARS)), len(BARS) - 1)] for one in chances[-MOST_BARS:])
