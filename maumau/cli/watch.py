"""Following a tournament or a match in a terminal: a live picture, or lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match, Tournament, TournamentEvent
from maumau.cli import report
from maumau.cli.board import Board, score_line
from maumau.cli.live import PACE, LiveTable, line
from maumau.cli.nonce import open_kept
from maumau.cli.onlook import onlook
from maumau.cli.output import console, has_pictures, json_line, plain, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.client import Arena

Look = Callable[[Match, LiveDeal | None], None]


def follow(link: Arena, name: str, *, lined: bool, deals: bool) -> None:
    """Shows what happens until the tournament is over, then how it ended; as lines deals only if wanted."""
    if lined or not has_pictures(console()):
        lines(link, name, show, deals=deals)
    else:
        _live(link, name)
    show(*report.conclusion(report.collect(link, name)))


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


def follow_match(link: Arena, name: str, label: str, *, lined: bool) -> None:
    """Shows a match until it is decided, then how."""
    tell = _match_lines if lined or not has_pictures(console()) else _match_picture
    match = tell(link, name, label)
    if match:
        show(score_line(match) if match.state == "decided" else f"{match.label} is {match.state}")


def _match_lines(link: Arena, name: str, label: str) -> Match | None:
    match = None
    for part in link.watch_match(name, label):
        if isinstance(part, Match):
            match = part
        elif match:
            show(line(part, match))
    return match


def _match_picture(link: Arena, name: str, label: str) -> Match | None:
    from rich.live import Live

    from maumau.cli.layout import MatchPicture

    table: LiveTable | None = None

    def render() -> RenderableType:
        return MatchPicture(table) if table else ""

    with Live(get_renderable=render, refresh_per_second=PACE, console=console(), transient=True):
        for part in link.watch_match(name, label):
            if isinstance(part, LiveDeal):
                assert table  # the match is told first
                table.feed(part)
            elif table:
                table.match = part
            else:
                table = LiveTable(part)
    return table.match if table else None


def _live(link: Arena, name: str) -> None:
    from rich.live import Live

    from maumau.cli.layout import Picture

    board = Board(name)
    board.standings = link.standings(name).standings
    picture = Picture([board])
    with Live(picture, refresh_per_second=PACE, console=console(), transient=True):
        for part in _parts(link, name, board, board.show):
            board.feed(part)
            if isinstance(part, TournamentEvent) and part.kind in {"match_decided", "state"}:
                board.standings = link.standings(name).standings


def _parts(link: Arena, name: str, board: Board, look: Look | None) -> Iterator[Tournament | TournamentEvent]:
    """What the watch says; meanwhile another thread looks at the deals of the board's matches."""
    with _looking(link, name, board, look):
        for part in link.watch(name):
            if isinstance(part, TournamentEvent) and part.entries_closed:
                open_kept(link)
            yield part


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
