"""A deal as one sees it on the table: hands, the card that counts, what happened last, who is asked what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import list_names
from maumau.game.record import event_lines
from maumau.screen.output import plain

if TYPE_CHECKING:
    from maumau.game import Deal, View

EVENTS: Final = 10  # the number of last events shown
ACTIONS: Final = 24  # the number of legal actions shown
CARD: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:([2-9TJQKA])([CSHD])|XX)(?![A-Za-z0-9])|(?<=[>:])([CSHD])(?![A-Za-z0-9])"
)
NO_CARDS: Final = Text("no cards", "dim")


class Suits(NamedTuple):
    """A style of cards: a sign and a colour for each suit C S H D, and the names of ranks."""

    signs: dict[str, str]
    colours: dict[str, str]
    ranks: dict[str, str]
    joker: str
    backs: tuple[str, str] = ("░░", "▮")  # of a card where there is room, and where there is little


FRENCH: Final = Suits(
    dict(zip("CSHD", "♣♠♥♦", strict=True)),
    {"C": "bold green", "S": "bold", "H": "bold red", "D": "bold bright_blue"},
    {"T": "10"},
    "★",
)
GERMAN: Final = Suits(
    dict(zip("CSHD", ("🌰", "🍃", "♥", "🔔"), strict=True)),
    {"C": "bold yellow", "S": "bold green", "H": "bold red", "D": "bold bright_yellow"},
    {"T": "10", "J": "U", "Q": "O"},
    "★",
)
LETTERS: Final = Suits(dict(zip("CSHD", "CSHD", strict=True)), FRENCH.colours, {}, "XX", ("##", "#"))
"""For a terminal that has letters only."""
STYLES: Final = {"french": FRENCH, "german": GERMAN}
SIGNS: Final = {sign: suit for style in STYLES.values() for suit, sign in style.signs.items()}
RANKS: Final = {name: rank for style in STYLES.values() for rank, name in style.ranks.items()}
DRAWN: Final = re.compile(
    rf"(?:(?<![A-Z0-9])(?P<rank>10|[2-9TJQKAUO]))?(?P<sign>[{''.join(SIGNS)}])"
    r"|(?:(?<![A-Z0-9])(?P<number>10|[2-9TJQKAUO])|(?<=[>:]))(?P<letter>[CSHD])(?![A-Z0-9])",
    re.IGNORECASE,
)
SIGNED: Final = re.compile(r"(?P<rank>10|[2-9JQKA])?(?P<sign>[♣♠♥♦])|★")
FRENCH_SUITS: Final = {sign: suit for suit, sign in FRENCH.signs.items()}
FRENCH_RANKS: Final = {name: rank for rank, name in FRENCH.ranks.items()}
VARIATION: Final = "\ufe0f"  # with which some keyboards ask for a coloured sign


class Frame(NamedTuple):
    """One stage of a record: the deal, the last line read, and the number of new events."""

    title: str
    line: int
    deal: Deal
    fresh: int

    @property
    def events(self) -> int:
        """The number of event lines of the record so far."""
        return event_lines(self.deal)[-1]


def coloured(text: str, suits: Suits) -> Text:
    """Return notation with its cards drawn."""
    drawn, at = Text(), 0
    for found in CARD.finditer(text):
        drawn.append(plain(text[at : found.start()]))
        rank, suit, alone = found.groups()
        if rank:
            drawn.append(suits.ranks.get(rank, rank) + suits.signs[suit], suits.colours[suit])
        elif alone:
            drawn.append(suits.signs[alone], suits.colours[alone])
        else:
            drawn.append(suits.joker, "bold magenta")
        at = found.end()
    return drawn.append(plain(text[at:]))


def draw_signs(text: str, suits: Suits, style: str = "") -> Text:
    """Return a text whose cards, written with French signs, are drawn in this style."""
    drawn, at = Text(style=style), 0
    for card in SIGNED.finditer(text):
        drawn.append(plain(text[at : card.start()]))
        if sign := card["sign"]:
            rank, suit = card["rank"] or "", FRENCH_SUITS[sign]
            shown = suits.ranks.get(FRENCH_RANKS.get(rank, rank), rank)
            drawn.append(shown + suits.signs[suit], suits.colours[suit])
        else:
            drawn.append(suits.joker, "bold magenta")
        at = card.end()
    return drawn.append(plain(text[at:]))


def read_drawn(text: str) -> str:
    """Return the notation of cards as drawn, in any style, or written small: TD for 10♦, 10d and td."""

    def name(found: re.Match[str]) -> str:
        rank = (found["rank"] or found["number"] or "").upper()
        suit = (found["sign"] or found["letter"]).upper()
        return RANKS.get(rank, rank) + SIGNS.get(suit, suit)

    return DRAWN.sub(name, text.replace(VARIATION, "")).replace(FRENCH.joker, "XX")


def picture(frame: Frame, suits: Suits, seat: int | None = None) -> RenderableType:
    """Return the stage, complete or as one seat sees it."""
    d = frame.deal
    view = d.view(0 if seat is None else seat)
    events = d.events if seat is None else d.seen(seat)
    return Group(
        Text(frame.title, "dim"),
        _hands(d, view, suits, seat),
        Text(),
        *_pile(d, view, suits),
        Text(),
        *_events(events, event_lines(d), frame.fresh, suits),
        Text(),
        *_asked(d, suits, seat),
    )


def _hands(d: Deal, view: View, suits: Suits, seat: int | None) -> Table:
    rows = []
    for other in range(d.seats):
        told = " ".join(
            list_names(d.hands[other]) if seat in (None, other) else [suits.backs[0]] * view.counts[other]
        )
        cards = coloured(told, suits) if told else NO_CARDS
        rows.append(("▶" if other in d.to_act else " ", SEATS[other], cards, _besides(view, other)))
    return hand_table(rows)


def hand_table(rows: Iterable[tuple[str, str, Text, str]]) -> Table:
    """Return a table with a line for each seat: a mark, the player, the cards, and words about them."""
    made = Table.grid(padding=(0, 2))
    for mark, who, cards, words in rows:
        made.add_row(mark, Text(who, "bold"), cards, Text(words))
    return made


def _besides(view: View, seat: int) -> str:
    """Return the cards in front of a seat, and its state in the game."""
    words = [f"{view.counts[seat]} in hand"]
    words += [f"{view.side[seat]} in front"] if isinstance(view.side, list) and view.side[seat] else []
    words += [f"total {view.totals[seat]}"] if isinstance(view.totals, list) else []
    words += [f"{view.lives[seat]} lives"] if isinstance(view.lives, list) else []
    words += [f"out {ordinal(view.out.index(seat) + 1)}"] if seat in view.out else []
    return ", ".join(words)


def ordinal(number: int) -> str:
    """Return an ordinal number, such as 1st, 2nd or 3rd."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _pile(d: Deal, view: View, suits: Suits) -> Iterator[Text]:
    top = top_line(view.top, view.wish, suits)
    claimed = d.features.claimed
    if claimed:
        top.append(f", {SEATS[claimed.seat]} claims ").append_text(coloured(str(view.claim), suits))
    yield top
    words = [f"stock {view.stock}", "clockwise" if view.direction == 1 else "counter-clockwise"]
    words += [f"{view.owed} to take"] if view.owed else []
    words += [f"{view.skips} to miss a turn"] if view.skips else []
    yield Text(", ".join(words))


def top_line(top: str | None, wish: str | None, suits: Suits) -> Text:
    """Return the card that counts, and the suit that was wished for."""
    line = Text("on top ").append_text(coloured(top or "nothing", suits))
    if wish:
        line.append(", wished for ").append_text(coloured(f">{wish}", suits)[1:])
    return line


def _events(events: Sequence[str], numbers: list[int], fresh: int, suits: Suits) -> Iterator[Text]:
    """Yield the last events with their numbers; those of the header have none."""
    start = max(0, len(events) - max(EVENTS, fresh))
    for at, event in enumerate(events[start:], start):
        number = str(numbers[at + 1]) if numbers[at + 1] > numbers[at] else ""
        yield event_line(number, event, suits, fresh=at >= len(events) - fresh)


def event_line(number: str, event: str, suits: Suits, *, fresh: bool) -> Text:
    """Return an event with its number; older ones are dimmed."""
    line = Text(f"{number:>4}  ").append_text(coloured(event, suits))
    if not fresh:
        line.stylize("dim")
    return line


def _asked(d: Deal, suits: Suits, seat: int | None) -> Iterator[Text]:
    if d.over:
        places = ", ".join(f"{SEATS[other]} is {ordinal(place)}" for other, place in enumerate(d.places))
        yield Text(f"the deal is over: {places}; points {' '.join(map(str, d.points))}", "bold")
    for other in d.to_act:
        if seat not in (None, other):
            yield Text(f"{SEATS[other]} is asked: {d.asks}")
            continue
        legal = [str(action) for action in d.legal(other)]
        more = f" and {len(legal) - ACTIONS} more" if len(legal) > ACTIONS else ""
        line = Text(f"{SEATS[other]} is asked: {d.asks}  ")
        yield line.append_text(coloured(" ".join(legal[:ACTIONS]), suits)).append(more)
