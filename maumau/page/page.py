"""A replay's data: every stage of every deal, with what each seat has seen, and beside it notes and logs.

Names, notes and logs come from strangers: they are data in the page, shown as text and never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from maumau.game import Deal, Rules
from maumau.game.action import SEATS
from maumau.game.cards import NAMES, SUITS, list_names
from maumau.game.record import event_lines, replay_stages

STATIC: Final = Path(__file__).with_name("static")  # modules and styles that pages and the replay file share


class Note(msgspec.Struct, frozen=True):
    """A bot's remark: after how many events, from which seat."""

    event: int
    seat: int
    text: str


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a deal stands: `open` are the events since the last stage, `seen` the same as each seat sees them.

    `event` is how many lines of events the record has until here; notes are numbered so, too.
    `legal` are the actions of each seat that must decide now, by its number.
    """

    line: int
    event: int
    open: list[str]
    seen: list[list[str]]
    hands: list[list[str]]
    top: str | None
    stock: int
    to_act: list[int]
    asks: str
    legal: dict[int, list[str]]
    wish: str | None = None
    owed: int = 0
    skips: int = 0
    direction: int = 1
    out: list[int] = []


class Blame(msgspec.Struct, frozen=True):
    """How a seat lost the deal by its own doing: the stage of it, what it was, titled texts about it."""

    seat: int
    stage: int
    words: str
    parts: list[tuple[str, str]]


class Told(msgspec.Struct, frozen=True):
    """A deal as the page tells it: `names` by seat, empty where nobody has one; `logs` by seat.

    With a `blame` the page opens where it happened, seen from that seat.
    """

    title: str
    rules: str
    options: dict[str, Any]
    names: list[str]
    stages: list[Stage]
    places: list[int]
    points: list[int]
    notes: list[Note] = []
    logs: list[str] = []
    error: str = ""
    blame: Blame | None = None


def tell_deal(title: str, deals: Sequence[tuple[Deal, int]], error: str = "") -> Told:
    """A deal from its stages: each a deal as it stood, and the record's line."""
    last = deals[-1][0]
    found, seen = [], 0
    for deal, line in deals:
        found.append(_stage(deal, line, seen))
        seen = len(deal.log)
    over = last.over
    return Told(
        title,
        last.rules.name,
        last.rules.chosen,
        [""] * last.seats,
        found,
        last.places if over else [],
        last.points if over else [],
        error=error,
    )


def tell_record(title: str, text: str, own: Rules | None = None) -> Told:
    """A deal from its record, of a variant of one's `own` too; BadRecord says which line cannot be read."""
    return tell_deal(title, [(d.copy(), line) for d, line in replay_stages(text, own=own)])


def blame_seat(deal: Told, seat: int, words: str, parts: list[tuple[str, str]]) -> Blame:
    """How this seat has lost the deal, and where in it."""
    event = f"forfeit {SEATS[seat]} "
    lost = [number for number, stage in enumerate(deal.stages) if stage.open[:1] and event in stage.open[0]]
    return Blame(seat, (lost or [len(deal.stages) - 1])[0], words, parts)


def _stage(d: Deal, line: int, start: int) -> Stage:
    return Stage(
        line,
        event_lines(d)[-1],
        d.events[start:],
        [d.seen(seat, start) for seat in range(d.seats)],
        [list_names(hand) for hand in d.hands],
        NAMES[d.top] if d.top >= 0 else None,
        d.stock.bit_count(),
        list(d.to_act),
        "" if d.over else d.asks,
        {seat: [str(action) for action in d.legal(seat)] for seat in d.to_act},
        SUITS[d.wish] if d.wish >= 0 else None,
        d.owed,
        d.skips,
        d.direction,
        d.out[:],
    )
