"""The report on a decided demonstration: the winner, the table, and the next commands."""

from collections.abc import Sequence
from pathlib import Path

from maumau.client import answer
from maumau.client.arena import Arena
from maumau.screen import next_steps as following
from maumau.screen.contest import report
from maumau.screen.table import standing_table
from services.supervisor.contests.demo import Demo
from services.supervisor.screen import Screen


class Ending:
    """The report on an arena's demonstration, on a screen. takes_anyone: anybody may open an account."""

    def __init__(self, screen: Screen, arena: Arena, folder: Path, *, takes_anyone: bool) -> None:
        self._screen, self._arena, self._folder, self._takes_anyone = screen, arena, folder, takes_anyone

    def tell_result(self, tournament: answer.Tournament) -> None:
        """Show the winner and the final table."""
        found = report.collect(self._arena, tournament.name)
        self._screen.print_line("")
        self._screen.print_line(report.winner(found), bold=True)
        if found.standings:
            self._screen.print_tables(standing_table(found.standings, tournament.entries))

    def tell_next(self, demos: Sequence[Demo]) -> None:
        """Show the commands to go on with."""
        self._screen.print_line("")
        for line in following.after_tour(self._folder, demos[-1].name, takes_anyone=self._takes_anyone):
            self._screen.print_line(line)
