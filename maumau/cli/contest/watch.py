"""Following a tournament or a match in a terminal: a live picture, or lines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from maumau.cli.shared.nonce import open_kept
from maumau.client.answer import LiveDeal, Match, Pairing, Tournament, TournamentEvent
from maumau.client.standing.stopped import mark_stopped
from maumau.errors import NotReleased
from maumau.screen.board import Board, score_line
from maumau.screen.contest import report
from maumau.screen.live_deal import PACE, LiveTable, WatchedGame, line
from maumau.screen.onlook import onlook
from maumau.screen.output import console, has_pictures, json_line, plain, show

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.client.arena import Arena
    from maumau.client.matchmaking import Matchmaking

P = TypeVar("P", bound=WatchedGame)

Look = Callable[[Match, LiveDeal | None], None]


def follow_tournament(link: Arena, name: str, *, lined: bool, deals: bool) -> None:
    """Show a tournament until it is over, then its end; as lines, deals only if wanted."""
    hidden = find_hidden(link, name)
    if hidden:
        show(plain(hidden), "until then you are told its state")
    if hidden or lined or not has_pictures(console()):
        print_events(link, name, show, deals=deals, states=bool(hidden))
    else:
        _show_live(link, name)
    show(*report.conclusion(report.collect(link, name)))


def find_hidden(link: Arena, name: str) -> str:
    """Return why this reader may not see the results yet, or an empty string."""
    try:
        link.standings(name)
    except NotReleased as refused:
        return str(refused)
    return ""


def print_events(
    link: Arena, name: str, say: Callable[[str], None], *, deals: bool = False, states: bool = False
) -> None:
    """Print a line for each relevant event, until the tournament is over; states: for each state, too."""
    board, told = Board(name), ""

    def tell_deal(match: Match, deal: LiveDeal | None) -> None:
        if deal:
            say(plain(f"{name} {line(deal, match)}"))

    for part in _watch_parts(link, name, board, tell_deal if deals else None):
        if said := board.feed(part):
            say(plain(said))
        elif states and isinstance(part, Tournament) and part.state != told:
            told = part.state
            say(plain(report.headline(part)))


def as_json(link: Arena, name: str, *, deals: bool) -> None:
    """Print each event as a line, and each piece of a deal with its match's label."""
    board = Board(name)

    def tell_deal(match: Match, deal: LiveDeal | None) -> None:
        if deal:
            json_line({"match": match.label, "deal": deal})

    for part in _watch_parts(link, name, board, tell_deal if deals else None):
        board.feed(part)
        json_line(part)


def follow_match(link: Arena, name: str, label: str, *, lined: bool) -> None:
    """Show a match until it is decided, then the result."""
    from maumau.screen.table import match_table

    match = _show_deals(
        link.watch_match(name, label), lambda match: match_table([match], tight=True), lined=lined
    )
    if match:
        match = mark_stopped(link.tournament(name), match)
        show(score_line(match) if match.state == "decided" else f"{match.label} is {match.state}")


def follow_pairing(link: Matchmaking, ladder: str, pairing: str, *, lined: bool) -> None:
    """Show a pairing of a ladder until it is over, then its score."""
    from maumau.cli.contest.ladder.pairing import pairing_table

    def head(one: Pairing) -> RenderableType:
        return pairing_table([one])

    if one := _show_deals(link.watch_pairing(ladder, pairing), head, lined=lined):
        show(head(one))


def _show_deals(
    parts: Iterator[P | LiveDeal], head: Callable[[P], RenderableType], *, lined: bool
) -> P | None:
    """Show what is watched as a picture or as lines; return its last state."""
    if lined or not has_pictures(console()):
        return _print_deals(parts)
    return _draw_deals(parts, head)


def _print_deals(parts: Iterator[P | LiveDeal]) -> P | None:
    played = None
    for part in parts:
        if not isinstance(part, LiveDeal):
            played = part
        elif played:
            show(line(part, played))
    return played


def _draw_deals(parts: Iterator[P | LiveDeal], head: Callable[[P], RenderableType]) -> P | None:
    from rich.live import Live

    from maumau.screen.layout import MatchPicture

    table: LiveTable | None = None
    played: P | None = None

    def render() -> RenderableType:
        return MatchPicture(table, head(played)) if table and played else ""

    with Live(get_renderable=render, refresh_per_second=PACE, console=console(), transient=True):
        for part in parts:
            if isinstance(part, LiveDeal):
                assert table  # what is watched comes first
                table.feed(part)
                continue
            played = part
            if table:
                table.match = part
            else:
                table = LiveTable(part)
    return played


def _show_live(link: Arena, name: str) -> None:
    from rich.live import Live

    from maumau.screen.layout import Picture

    board = Board(name)
    board.standings = link.standings(name).standings
    picture = Picture([board])
    with Live(picture, refresh_per_second=PACE, console=console(), transient=True):
        for part in _watch_parts(link, name, board, board.show):
            board.feed(part)
            if isinstance(part, TournamentEvent) and part.kind in {"match_decided", "state"}:
                board.standings = link.standings(name).standings


def _watch_parts(
    link: Arena, name: str, board: Board, look: Look | None
) -> Iterator[Tournament | TournamentEvent]:
    """Yield the watch's messages, while another thread follows the deals of the board's matches."""
    with _follow_deals(link, name, board, look):
        for part in link.watch(name):
            if isinstance(part, TournamentEvent) and part.entries_closed:
                open_kept(link)
            yield part


@contextmanager
def _follow_deals(link: Arena, name: str, board: Board, look: Look | None) -> Iterator[None]:
    over = threading.Event()

    def follow_matches() -> None:
        for match, deal in onlook(link, name, board, over.wait):
            if look and not over.is_set():
                look(match, deal)

    if look:
        threading.Thread(target=follow_matches, daemon=True).start()
    try:
        yield
    finally:
        over.set()
