"""Deals as they are played, for a terminal: a table at a pace that people can follow, or lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match
from maumau.cli.board import Board, match_table, score_line
from maumau.cli.output import console, plain
from maumau.errors import MaumauError
from maumau.game.action import SEATS

if TYPE_CHECKING:
    from rich.console import RenderableType

    from maumau.client import Arena

PACE = 4.0  # events a second
PAUSE = 2.0  # seconds that a deal stays when nothing more of it is to be shown
SHOWN = 14  # events
POLL = 0.3  # seconds between looks for a match that is being played
IDLE = 3  # seconds without a deal, until another match is looked for
KEPT = 20  # deals that wait to be shown


class Shown:
    """A deal as far as it was told."""

    def __init__(self, deal: LiveDeal) -> None:
        self.key = (deal.set, deal.seating)
        self.entrants, self.counts, self.events, self.end = deal.entrants, deal.counts, deal.events, deal

    def add(self, deal: LiveDeal) -> None:
        """Takes the piece that comes next; any other is passed over."""
        if deal.start == len(self.events):
            self.counts += deal.counts  # first, for somebody may be looking
            self.events += deal.events
            self.end = deal


class LiveTable:
    """One match at the table. `feed` may be called by one thread while another renders."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._fresh: dict[tuple[int, int], Shown] = {}
        self._deal: Shown | None = None
        self._known, self._began, self._grown = 0, 0.0, 0.0

    def feed(self, deal: LiveDeal) -> None:
        """Takes in a piece of a deal."""
        key = (deal.set, deal.seating)
        if self._deal and self._deal.key == key:
            self._deal.add(deal)
        elif key in self._fresh:
            self._fresh[key].add(deal)
        elif not deal.start:
            self._fresh = dict([*self._fresh.items(), (key, Shown(deal))][-KEPT:])

    def render(self) -> RenderableType:
        """The deal on show, as far as its show has come."""
        from rich.text import Text

        deal = self._on_show(time.monotonic())
        first, second = self.match.first_name, self.match.second_name
        head = f"{self.match.label}: {first} against {second}"
        lines = [head, *self._lines(deal, (first, second))] if deal else [head]
        return Text(plain("\n".join(lines)), no_wrap=True, overflow="ellipsis")

    def _on_show(self, now: float) -> Shown | None:
        """Goes on with the deal; with the newest one when it is over or stands still."""
        known = min(len(self._deal.events), 1 + int((now - self._began) * PACE)) if self._deal else 0
        if known > self._known:
            self._known, self._grown = known, now
        elif self._fresh and now - self._grown > PAUSE:
            self._deal = list(self._fresh.values())[-1]
            self._fresh, self._known, self._began, self._grown = {}, 1, now, now
        return self._deal

    def _lines(self, deal: Shown, names: tuple[str, str]) -> list[str]:
        known, seats = self._known, len(deal.entrants)
        counts = deal.counts[(known - 1) * seats : known * seats]
        width = max(map(len, names))
        past = ["…"] * (known > SHOWN) + list(deal.events[max(0, known - SHOWN) : known])
        return [
            f"set {deal.end.set}, seating {deal.end.seating}",
            *(
                f"  {SEATS[seat]} {names[deal.entrants[seat]]:{width}}  {'▮' * cards} {cards}"
                for seat, cards in enumerate(counts)
            ),
            f"  {'  '.join(past)}",
            f"  {ending(deal.end, names)}" if known == len(deal.events) else "",
        ]


def ending(deal: LiveDeal, names: tuple[str, str]) -> str:
    """Who won a deal that is over, with the points by seat."""
    if not deal.places:
        return ""
    winners = [names[e] for e, place in zip(deal.entrants, deal.places, strict=True) if place == 1]
    who = f"{winners[0]} wins" if len(winners) == 1 else "a draw"
    return f"{who}, points {' '.join(map(str, deal.points))}"


def line(deal: LiveDeal, match: Match) -> str:
    """A piece of a deal in one line."""
    names = (match.first_name, match.second_name)
    seats = " ".join(f"{SEATS[seat]} {names[entrant]}" for seat, entrant in enumerate(deal.entrants))
    told = ", ".join((*(["…"] if deal.start else []), *deal.events))
    end = ending(deal, names)
    return f"{match.label} set {deal.set}, seating {deal.seating}: {seats}: {told}{'; ' * bool(end)}{end}"


def follow(link: Arena, name: str, label: str, *, plain: bool) -> None:
    """Shows a match until it is decided, then how."""
    out = console()
    show = _lines if plain or not out.is_terminal else _picture
    match = show(link, name, label)
    if match:
        words = score_line(match) if match.state == "decided" else f"{match.label} is {match.state}"
        out.print(words, markup=False, soft_wrap=True)


def _lines(link: Arena, name: str, label: str) -> Match | None:
    out, match = console(), None
    for part in link.watch_match(name, label):
        if isinstance(part, Match):
            match = part
        elif match:
            out.print(plain(line(part, match)), markup=False, soft_wrap=True)
    return match


def _picture(link: Arena, name: str, label: str) -> Match | None:
    from rich.console import Group
    from rich.live import Live

    table: LiveTable | None = None

    def render() -> RenderableType:
        return Group(match_table([table.match]), "", table.render()) if table else ""

    with Live(get_renderable=render, refresh_per_second=PACE, console=console()):
        for part in link.watch_match(name, label):
            if isinstance(part, LiveDeal):
                assert table  # the match is told first
                table.feed(part)
            elif table:
                table.match = part
            else:
                table = LiveTable(part)
    return table.match if table else None


def onlook(
    link: Arena, name: str, board: Board, wait: Callable[[float], bool]
) -> Iterator[tuple[Match, LiveDeal | None]]:
    """The deals of one match after another that a tournament's board shows, until `wait(seconds)` says stop.

    Each piece comes with its match; a match comes alone when it changed.
    """
    while not wait(POLL):
        try:
            match = _at_a_table(link, name, board.playing)
            for part in link.watch_match(name, match.label, idle=IDLE) if match else ():
                match = part if isinstance(part, Match) else match
                assert match
                yield match, part if isinstance(part, LiveDeal) else None
        except MaumauError:
            continue  # whoever follows the tournament says what is wrong


def _at_a_table(link: Arena, name: str, playing: Iterable[Match]) -> Match | None:
    """The first of these matches that a worker plays at the moment."""
    for match in playing:
        if any(block.state == "claimed" for block in link.match(name, match.label).blocks):
            return match
    return None
