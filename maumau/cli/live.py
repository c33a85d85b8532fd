"""Deals as they are played, for a terminal: a table at a pace that people can follow, or lines."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match
from maumau.cli.output import plain
from maumau.cli.pile import top_after
from maumau.game.action import SEATS

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from maumau.cli.picture import Suits

PACE = 4.0  # events a second
PAUSE = 2.0  # seconds that a deal stays when nothing more of it is to be shown
KEPT = 20  # deals that wait to be shown
ROOMY = 6  # rows besides the hands from which on events are listed one below the other


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
    """One match at the table. `feed` may be called by one thread while another draws."""

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

    def draw(self, width: int, rows: int, suits: Suits) -> list[RenderableType]:
        """The deal on show, as far as its show has come, in at most this many rows."""
        from rich.text import Text

        deal = self._on_show(time.monotonic())
        names = self.match.first_name, self.match.second_name
        head = Text.assemble((f"{self.match.label} ", "dim"), (f"{names[0]} against {names[1]}", "bold"))
        if not deal:
            return [head, Text("waiting for the next deal", "dim")]
        head.append(f", set {deal.end.set}, seating {deal.end.seating}", "dim")
        return _drawn(deal, self._known, names, head, width, rows, suits)

    def _on_show(self, now: float) -> Shown | None:
        """Goes on with the deal; with the newest one when it is over or stands still."""
        known = min(len(self._deal.events), 1 + int((now - self._began) * PACE)) if self._deal else 0
        if known > self._known:
            self._known, self._grown = known, now
        elif self._fresh and now - self._grown > PAUSE:
            self._deal = list(self._fresh.values())[-1]
            self._fresh, self._known, self._began, self._grown = {}, 1, now, now
        return self._deal


def _drawn(
    deal: Shown, known: int, names: tuple[str, str], head: Text, width: int, rows: int, suits: Suits
) -> list[RenderableType]:
    """Head, hands and pile; then the last events: one below the other where there is room, else in a row."""
    from maumau.cli.picture import event_line

    seats = len(deal.entrants)
    counts = deal.counts[(known - 1) * seats : known * seats]
    events = deal.events[:known]
    over = known == len(deal.events) and deal.end.places
    pile = _ending(deal.end, names) if over else _pile(events, suits)
    parts = [head, _hands(deal, counts, names, width, suits), pile]
    more = rows - seats - 2  # rows that are left
    if more < ROOMY:
        return [*parts, _last_events(events, width, suits)][: 3 + (more > 0)]
    listed = list(enumerate(events, 1))[2 - more :]
    return [
        *parts[:2], "", pile, "",
        *(event_line(str(at), event, suits, fresh=at == known) for at, event in listed),
    ]  # fmt: skip


def _hands(
    deal: Shown, counts: tuple[int, ...], names: tuple[str, str], width: int, suits: Suits
) -> RenderableType:
    """The backs of the cards in each hand: one for each card, narrower where they are many."""
    from rich.text import Text

    from maumau.cli.picture import NO_CARDS, hand_table

    players = [plain(names[entrant]) for entrant in deal.entrants]
    room = width - max(map(len, players)) - len("  A   , 99 in hand") - 4
    wide, thin = suits.backs
    rows = []
    for seat, count in enumerate(counts):
        drawn = " ".join([wide] * count) if 3 * max(counts) <= room else (thin * count)[: max(0, room)]
        cards = Text(drawn, "cyan") if count else NO_CARDS
        rows.append((" ", f"{SEATS[seat]} {players[seat]}", cards, f"{count} in hand"))
    return hand_table(rows)


def _pile(events: tuple[str, ...], suits: Suits) -> Text:
    from maumau.cli.picture import coloured, top_line

    top = top_after(events)
    line = top_line(top.card, top.wish, suits)
    return line.append(", claimed ").append_text(coloured(top.claim, suits)) if top.claim else line


def _last_events(events: tuple[str, ...], width: int, suits: Suits) -> Text:
    """The last events in one row, the newest at its end whatever the width."""
    from rich.text import Text

    from maumau.cli.picture import coloured

    drawn: list[Text] = []
    room = width - 1
    for event in reversed(events):
        text = coloured(event, suits)
        room -= text.cell_len + 2
        if drawn and room < 0:
            break
        drawn.append(text)
    for text in islice(drawn, 1, None):
        text.stylize("dim")
    return Text("  ").join(reversed(drawn))


def _ending(deal: LiveDeal, names: tuple[str, str]) -> Text:
    from rich.text import Text

    return Text(plain(ending(deal, names)), "bold green")


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
    at = " ".join(f"{SEATS[seat]} {names[entrant]}" for seat, entrant in enumerate(deal.entrants))
    told = ", ".join((*(["…"] if deal.start else []), *deal.events))
    end = ending(deal, names)
    return f"{match.label} set {deal.set}, seating {deal.seating}: {at}: {told}{'; ' * bool(end)}{end}"
