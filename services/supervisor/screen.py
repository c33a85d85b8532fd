"""The supervisor's output: a live picture in a terminal, plain lines elsewhere."""

import threading
from collections.abc import Callable, Collection
from contextlib import suppress

from rich.console import Console, RenderableType
from rich.live import Live

from maumau.client import answer
from maumau.client.arena import Arena
from maumau.errors import MaumauError
from maumau.screen.board import Board
from maumau.screen.contest import report
from maumau.screen.layout import Picture
from maumau.screen.live_deal import PACE
from maumau.screen.onlook import onlook
from maumau.screen.output import has_pictures, json_line, plain, wrap_words

POLL, IDLE_POLL = 1.0, 3.0
"""Seconds between looks for tournaments that have begun: while one is played, and while none is."""


class Screen:
    """Lines, and in a terminal the boards of running tournaments below; safe for threads."""

    def __init__(self, *, plain: bool, as_json: bool = False) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        self._live: Live | None = None
        self._plain = plain or as_json or not has_pictures(self._console)
        self._as_json = as_json
        self._boards: dict[str, Board] = {}
        self._footer: Callable[[], str] = str
        self._told_elsewhere: Collection[str] = ()

    def print_line(self, line: str, *, bold: bool = False) -> None:
        """Print a line; it does not matter if no reader is left."""
        with suppress(OSError):
            if self._as_json:
                json_line({"line": line})
            else:
                told = wrap_words(plain(line.rstrip()), self._console.file)
                self._console.print(told, style="bold" if bold else None)
                self._console.file.flush()

    def print_tables(self, *parts: RenderableType) -> None:
        """Print tables among the lines; not as JSON, since programs have calls for that data."""
        with suppress(OSError):
            if not self._as_json:
                self._console.print(*parts, sep="\n")
                self._console.file.flush()

    def start_picture(self, footer: Callable[[], str]) -> None:
        """Begin the live picture, if there is a terminal; `footer` is its last line."""
        self._footer = footer
        if not self._plain:
            self._live = Live(
                get_renderable=self._render_picture, console=self._console, refresh_per_second=PACE
            )
            self._live.start()

    def close(self) -> None:
        """End the live picture, even if the terminal is gone."""
        if self._live:
            with suppress(OSError):
                self._live.stop()
            self._live = None

    def follow_tournaments(
        self, arena: Arena, stop: threading.Event, told_elsewhere: Collection[str] = ()
    ) -> None:
        """Watch every running tournament until `stop`; the ends of some are reported elsewhere."""
        self._told_elsewhere = told_elsewhere
        pause = POLL
        while not stop.wait(pause):
            try:
                found = arena.tournaments(active=True)
            except MaumauError:
                continue  # the roster says what is wrong
            pause = POLL if found else IDLE_POLL
            for each in found:
                if each.id not in self._boards:
                    board = self._boards[each.id] = Board(each.name, tells_links=False)
                    threading.Thread(target=self._watch_tournament, args=(arena, each), daemon=True).start()
                    if not self._plain:
                        told = (arena, each.id, board, stop)
                        threading.Thread(target=self._look_on, args=told, daemon=True).start()

    def _watch_tournament(self, arena: Arena, tournament: answer.Tournament) -> None:
        board = self._boards[tournament.id]
        try:
            board.standings = arena.standings(tournament.id).standings
            for part in arena.watch(tournament.id):
                if line := board.feed(part):
                    self.print_line(line)
                if isinstance(part, answer.TournamentEvent) and part.kind in {"match_decided", "state"}:
                    board.standings = arena.standings(tournament.id).standings
            if tournament.name not in self._told_elsewhere:
                self._report_end(report.collect(arena, tournament.id))
        except MaumauError:
            pass  # it stops, or the next look begins anew
        del self._boards[tournament.id]

    def _report_end(self, ended: report.TournamentReport) -> None:
        """Report the end of a tournament, with the table and the next commands."""
        for part in report.conclusion(ended):
            if isinstance(part, str):
                self.print_line(part)
            else:
                self.print_tables(part)

    def _look_on(self, arena: Arena, tournament_id: str, board: Board, stop: threading.Event) -> None:
        """Show deals as they are played, as long as the board exists."""

        def wait_until_over(seconds: float) -> bool:
            return stop.wait(seconds) or tournament_id not in self._boards

        for match, deal in onlook(arena, tournament_id, board, wait_until_over):
            board.show(match, deal)

    def _render_picture(self) -> RenderableType:
        return Picture(list(self._boards.values()), self._footer())
