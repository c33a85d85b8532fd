"""What the supervisor shows: a live picture in a terminal, plain lines elsewhere."""

import threading
from collections.abc import Callable, Collection
from contextlib import suppress

from rich.console import Console, RenderableType
from rich.live import Live

from maumau import answer
from maumau.cli import report
from maumau.cli.board import Board
from maumau.cli.layout import Picture
from maumau.cli.live import PACE
from maumau.cli.onlook import onlook
from maumau.cli.output import has_pictures, json_line, plain
from maumau.client import Arena
from maumau.errors import MaumauError

POLL = 1.0
"""Seconds between looks for tournaments that have begun."""


class Screen:
    """Lines above, in a terminal the boards of running tournaments below. Any thread may speak."""

    def __init__(self, *, plain: bool, as_json: bool = False) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._live: Live | None = None
        self._plain = plain or as_json or not has_pictures(self._console)
        self._as_json = as_json
        self._boards: dict[str, Board] = {}
        self._footer: Callable[[], str] = str
        self._told_elsewhere: Collection[str] = ()

    def say(self, line: str, *, bold: bool = False) -> None:
        """One line; nobody has to be there to read it."""
        with suppress(OSError):
            if self._as_json:
                json_line({"line": line})
            else:
                self._console.print(plain(line.rstrip()), style="bold" if bold else None)
                self._console.file.flush()

    def draw(self, *parts: RenderableType) -> None:
        """Tables among the lines; programs have calls for what is in them."""
        with suppress(OSError):
            if not self._as_json:
                self._console.print(*parts, sep="\n")
                self._console.file.flush()

    def show(self, footer: Callable[[], str]) -> None:
        """Begins the live picture, if there is a terminal; `footer` is its last line."""
        self._footer = footer
        if not self._plain:
            self._live = Live(get_renderable=self._render, console=self._console, refresh_per_second=PACE)
            self._live.start()

    def close(self) -> None:
        """Ends the live picture, also if the terminal is gone."""
        if self._live:
            with suppress(OSError):
                self._live.stop()
            self._live = None

    def follow(self, arena: Arena, stop: threading.Event, told_elsewhere: Collection[str] = ()) -> None:
        """Until `stop`: watches every tournament that runs; how some of them end is told elsewhere."""
        self._told_elsewhere = told_elsewhere
        while not stop.wait(POLL):
            try:
                found = arena.tournaments(active=True)
            except MaumauError:
                continue  # the roster says what is wrong
            for each in found:
                if each.id not in self._boards:
                    board = self._boards[each.id] = Board(each.name)
                    threading.Thread(target=self._watch, args=(arena, each), daemon=True).start()
                    if not self._plain:
                        told = (arena, each.id, board, stop)
                        threading.Thread(target=self._look_on, args=told, daemon=True).start()

    def _watch(self, arena: Arena, tournament: answer.Tournament) -> None:
        board = self._boards[tournament.id]
        try:
            board.standings = arena.standings(tournament.id).standings
            for part in arena.watch(tournament.id):
                if line := board.feed(part):
                    self.say(line)
                if isinstance(part, answer.TournamentEvent) and part.kind in {"match_decided", "state"}:
                    board.standings = arena.standings(tournament.id).standings
            if tournament.name not in self._told_elsewhere:
                self._conclude(report.collect(arena, tournament.id))
        except MaumauError:
            pass  # it stops, or the next look begins anew
        del self._boards[tournament.id]

    def _conclude(self, ended: report.Report) -> None:
        """How a tournament ended, with the table and the next commands."""
        for part in report.conclusion(ended):
            if isinstance(part, str):
                self.say(part)
            else:
                self.draw(part)

    def _look_on(self, arena: Arena, tournament_id: str, board: Board, stop: threading.Event) -> None:
        """Shows deals as they are played, as long as the board is there."""

        def over(seconds: float) -> bool:
            return stop.wait(seconds) or tournament_id not in self._boards

        for match, deal in onlook(arena, tournament_id, board, over):
            board.show(match, deal)

    def _render(self) -> RenderableType:
        return Picture(list(self._boards.values()), self._footer())
