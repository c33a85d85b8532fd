"""What is said when a demonstration is decided: who has won, the table, and what can be done now."""

from collections.abc import Sequence
from pathlib import Path

from maumau import answer
from maumau.cli import following, report
from maumau.cli.table import standing_table
from maumau.client import Arena
from services.supervisor.demo import Demo
from services.supervisor.screen import Screen


class Ending:
    """Tells on a screen what an arena knows of its demonstration."""

    def __init__(self, screen: Screen, arena: Arena, folder: Path) -> None:
        self._screen, self._arena, self._folder = screen, arena, folder

    def tell_result(self, tournament: answer.Tournament) -> None:
        """The winner and the final table."""
        found = report.collect(self._arena, tournament.name)
        self._screen.say("")
        self._screen.say(report.winner(found), bold=True)
        if found.standings:
            self._screen.draw(standing_table(found.standings))

    def tell_next(self, demos: Sequence[Demo]) -> None:
        """The commands with which one goes on from here."""
        self._screen.say("")
        for line in following.after_tour(self._folder, demos[-1].name):
            self._screen.say(line)
