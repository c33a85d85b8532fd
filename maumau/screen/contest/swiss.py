"""Swiss stages as text: the table with every opponent, then the rounds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from maumau.client.standing.swiss import (
    SwissCell,
    SwissRow,
    SwissStage,
    is_cut_short,
    list_swiss_stages,
    say_half,
    swiss_rows,
)
from maumau.screen.table import MEDIUM, Fitted, match_table, table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from maumau.client.answer import Tournament
    from maumau.client.arena import Arena
    from maumau.screen.contest.report import TournamentReport

SIGNS: Final = {
    "won": "+",
    "lost": "-",
    "level": "=",
    "open": "?",
    "won_walkover": "+w",
    "lost_walkover": "-w",
}
LEGEND: Final = (
    "Rounds name the opponent by its line in this table: + won, - lost, = level, ? open, w by a walkover."
)


def collect_swiss(link: Arena, now: Tournament) -> tuple[SwissStage, ...]:
    """Ask the arena for the Swiss stages that have begun."""
    found: list[SwissStage] = []
    for number, wanted in list_swiss_stages(now.spec_toml) if now.has_begun else ():
        if rounds := link.bracket(now.id, number):
            table = link.standings(now.id, number).standings
            found.append(SwissStage(number, wanted, rounds, table))
    return tuple(found)


def describe_swiss(report: TournamentReport) -> Iterator[RenderableType]:
    """Yield for each Swiss stage its rounds, then its table."""
    names = {entry.number: entry.bot_name for entry in report.tournament.entries}
    for stage in report.swiss:
        for one in stage.rounds:
            byes = ", ".join(names.get(number, str(number)) for number in one.byes)
            yield ""
            yield f"stage {stage.number}, {one.name}" + (f" (bye: {byes})" if byes else "")
            if one.matches:
                yield match_table(one.matches)
        yield ""
        yield _headline(report, stage)
        rows = swiss_rows(report, stage)
        yield Fitted(partial(_table, rows, stage, names))
        yield LEGEND


def _headline(report: TournamentReport, stage: SwissStage) -> str:
    played = f"Swiss table of stage {stage.number}, round {len(stage.rounds)} of {stage.planned}"
    return f"{played}: over, since all who are still in have met" if is_cut_short(report, stage) else played


def _table(rows: list[SwissRow], stage: SwissStage, names: dict[int, str], width: int) -> Table:
    rounds = [f">{one.round}" for one in stage.rounds]
    wide = width >= MEDIUM
    made = table(">#", "bot", ">points", *rounds, *([">Buchholz", ">Sonneborn-Berger"] if wide else []))
    for row in rows:
        scores = (say_half(row.buchholz), say_half(row.sonneborn_berger)) if wide else ()
        cells = map(_show, row.cells)
        made.add_row(str(row.place), names.get(row.entrant, ""), say_half(row.points), *cells, *scores)
    return made


def _show(cell: SwissCell | None) -> str:
    if cell is None:
        return ""
    return "bye" if cell.kind == "bye" else f"{cell.place or ''}{SIGNS[cell.kind]}"
