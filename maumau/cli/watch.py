"""Following a tournament in a terminal: a live picture, or lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match, Tournament, TournamentEvent
from maumau.cli import report
from maumau.cli.board import Board
from maumau.cli.live import PACE, line, onlook
from maumau.cli.output import console, json_line, plain

if TYPE_CHECKING:
    from maumau.client import Arena

Look = Callable[[Match, LiveDeal | None], None]


def follow(link: Arena, name: str, *, plain: bool, deals: bool) -> None:
    """Shows what happens until the tournament is over, then how it ended; as lines deals only if wanted."""
    out = console()
    if plain or not out.is_terminal:
        lines(link, name, lambda line: out.print(line, markup=False, soft_wrap=True), deals=deals)
    else:
        _live(link, name)
    out.print(report.headline(link.tournament(name)), markup=False, soft_wrap=True)


def lines(link: Arena, name: str, say: Callable[[str], None], *, deals: bool = False) -> None:
    """Says a line for each event that is worth one, until the tournament is over."""
    board = Board(name)

    def tell(match: Match, deal: LiveDeal | None) -> None:
        if deal:
            say(plain(f"{name} {line(deal, match)}"))

    for part in _parts(link, name, board, tell if deals else None):
        if said := board.feed(part):
            say(plain(said))


def as_json(link: Arena, name: str, *, deals: bool) -> None:
    """Each event a line, and each piece of a deal with its match's label."""
    board = Board(name)

    def tell(match: Match, deal: LiveDeal | None) -> None:
        if deal:
            json_line({"match": match.label, "deal": deal})

    for part in _parts(link, name, board, tell if deals else None):
        board.feed(part)
        json_line(part)


def _live(link: Arena, name: str) -> None:
    from rich.live import Live

    board = Board(name)
    board.standings = link.standings(name).standings
    with Live(get_renderable=board.render, refresh_per_second=PACE, console=console()):
        for part in _parts(link, name, board, board.show):
            board.feed(part)
            if isinstance(part, TournamentEvent) and part.kind in {"match_decided", "state"}:
                board.standings = link.standings(name).standings


def _parts(link: Arena, name: str, board: Board, look: Look | None) -> Iterator[Tournament | TournamentEvent]:
    """What the watch says; meanwhile another thread looks at the deals of the board's matches."""
    with _looking(link, name, board, look):
        yield from link.watch(name)


@contextmanager
def _looking(link: Arena, name: str, board: Board, look: Look | None) -> Iterator[None]:
    over = threading.Event()

    def run() -> None:
        for match, deal in onlook(link, name, board, over.wait):
            if look and not over.is_set():
                look(match, deal)

    if look:
        threading.Thread(target=run, daemon=True).start()
    try:
        yield
    finally:
        over.set()
