"""Deals as they are played, for a terminal: a table at a pace that people can follow, or lines."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from maumau.client.answer import LiveDeal
from maumau.game.notation.action import SEATS
from maumau.page.pile import top_after
from maumau.screen.output import plain

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from maumau.screen.picture import Suits

PACE = 4.0  # events a second
PAUSE = 2.0  # seconds that a deal stays when nothing more of it is to be shown
KEPT = 20  # deals that wait to be shown
ROOMY = 6  # rows besides the hands from which on events are listed one below the other


class WatchedGame(Protocol):
    """A match of a contest or a pairing of a ladder, of which deals are shown."""

    @property
    def id(self) -> str:
        """Its id, unlike that of any other."""

    @property
    def label(self) -> str:
        """Its label within its contest or ladder."""

    @property
    def names(self) -> Mapping[int, str]:
        """The names of the bots in the order in which deals number them."""


class Shown:
    """A deal as far as it was reported."""

    def __init__(self, deal: LiveDeal) -> None:
        self.key = (deal.set, deal.seating)
        self.entrants, self.counts, self.events, self.end = deal.entrants, deal.counts, deal.events, deal

    def add(self, deal: LiveDeal) -> None:
        """Add the next piece; ignore any other."""
        if deal.start == len(self.events):
            self.counts += deal.counts  # first, for another thread may be reading
            self.events += deal.events
            self.end = deal


class LiveTable:
    """The table of one match or pairing. `feed` may be called by one thread while another draws."""

    def __init__(self, match: WatchedGame) -> None:
        self.match = match
        self._fresh: dict[tuple[int, int], Shown] = {}
        self._deal: Shown | None = None
        self._known, self._began, self._grown = 0, 0.0, 0.0

    def feed(self, deal: LiveDeal) -> None:
        """Add a piece of a deal."""
        key = (deal.set, deal.seating)
        if self._deal and self._deal.key == key:
            self._deal.add(deal)
        elif key in self._fresh:
            self._fresh[key].add(deal)
        elif not deal.start:
            self._fresh = dict([*self._fresh.items(), (key, Shown(deal))][-KEPT:])

    def draw(self, width: int, rows: int, suits: Suits) -> list[RenderableType]:
        """Return the deal on show up to the present event, in at most this many rows."""
        from rich.text import Text

        deal = self._on_show(time.monotonic())
        names = tuple(self.match.names.values())
        head = Text.assemble((f"{self.match.label} ", "dim"), (" against ".join(names), "bold"))
        if not deal:
            return [head, Text("waiting for the next deal", "dim")]
        head.append(f", set {deal.end.set}, seating {deal.end.seating}", "dim")
        return _drawn(deal, self._known, names, head, width, rows, suits)

    def _on_show(self, now: float) -> Shown | None:
        """Advance the deal; change to the newest one when it is over or stalls."""
        known = min(len(self._deal.events), 1 + int((now - self._began) * PACE)) if self._deal else 0
        if known > self._known:
            self._known, self._grown = known, now
        elif self._fresh and now - self._grown > PAUSE:
            self._deal = list(self._fresh.values())[-1]
            self._fresh, self._known, self._began, self._grown = {}, 1, now, now
        return self._deal


def _drawn(
    deal: Shown, known: int, names: tuple[str, ...], head: Text, width: int, rows: int, suits: Suits
) -> list[RenderableType]:
    """Return head, hands and pile, then the last events: in rows of their own if there is room, or in one."""
    from maumau.screen.picture import event_line

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
        *parts[:2],
        "",
        pile,
        "",
        *(event_line(str(at), event, suits, fresh=at == known) for at, event in listed),
    ]


def _hands(
    deal: Shown, counts: tuple[int, ...], names: tuple[str, ...], width: int, suits: Suits
) -> RenderableType:
    """Return the backs of the cards in each hand: one for each card, narrower where they are many."""
    from rich.text import Text

    from maumau.screen.picture import NO_CARDS, hand_table

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
    from maumau.screen.picture import coloured, top_line

    top = top_after(events)
    line = top_line(top.card, top.wish, suits)
    return line.append(", claimed ").append_text(coloured(top.claim, suits)) if top.claim else line


def _last_events(events: tuple[str, ...], width: int, suits: Suits) -> Text:
    """Return the last events in one row, the newest at its end at any width."""
    from rich.text import Text

    from maumau.screen.picture import coloured

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


def _ending(deal: LiveDeal, names: tuple[str, ...]) -> Text:
    from rich.text import Text

    return Text(plain(ending(deal, names)), "bold green")


def ending(deal: LiveDeal, names: tuple[str, ...]) -> str:
    """Return the winner of a deal that is over, with the points by seat; empty before."""
    if not deal.places:
        return ""
    winners = [names[e] for e, place in zip(deal.entrants, deal.places, strict=True) if place == 1]
    who = f"{winners[0]} wins" if len(winners) == 1 else "a draw"
    return f"{who}, points {' '.join(map(str, deal.points))}"


def line(deal: LiveDeal, match: WatchedGame) -> str:
    """Return a piece of a deal in one line."""
    names = tuple(match.names.values())
    at = " ".join(f"{SEATS[seat]} {names[entrant]}" for seat, entrant in enumerate(deal.entrants))
    told = ", ".join((*(["…"] if deal.start else []), *deal.events))
    end = ending(deal, names)
    return f"{match.label} set {deal.set}, seating {deal.seating}: {at}: {told}{'; ' * bool(end)}{end}"
