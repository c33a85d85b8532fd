"""A replay's data: every stage of every deal, as each seat has seen it, with notes and logs.

Names, notes and logs are untrusted: they are data in the page, shown as text and never as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from maumau.game import Deal, Rules
from maumau.game.notation.action import SEATS
from maumau.game.notation.cards import NAMES, SUITS, list_names
from maumau.game.record import event_lines
from maumau.game.replay import replay_stages

STATIC: Final = Path(__file__).with_name("static")  # modules and styles that pages and the replay file share


class PageNote(msgspec.Struct, frozen=True):
    """A bot's remark: the number of events before it, and its seat."""

    event: int
    seat: int
    text: str


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a deal: `open` are the events since the last stage, `seen` those as each seat sees them.

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
    """A seat's own fault that lost the deal: its stage, its description, titled texts about it."""

    seat: int
    stage: int
    words: str
    parts: list[tuple[str, str]]


class PageDeal(msgspec.Struct, frozen=True):
    """A deal for the page: `names` by seat, empty where there is none; `logs` by seat.

    With a `blame` the page opens where it happened, seen from that seat.
    """

    title: str
    rules: str
    options: dict[str, Any]
    names: list[str]
    stages: list[Stage]
    places: list[int]
    points: list[int]
    notes: list[PageNote] = []
    logs: list[str] = []
    error: str = ""
    blame: Blame | None = None


def tell_deal(title: str, deals: Sequence[tuple[Deal, int]], error: str = "") -> PageDeal:
    """Return a deal from its stages: each a state of the deal, and the record's line."""
    last = deals[-1][0]
    found, seen = [], 0
    for deal, line in deals:
        found.append(_stage(deal, line, seen))
        seen = len(deal.log)
    over = last.over
    return PageDeal(
        title,
        last.rules.name,
        last.rules.chosen,
        [""] * last.seats,
        found,
        last.places if over else [],
        last.points if over else [],
        error=error,
    )


def tell_record(title: str, text: str, own: Rules | None = None) -> PageDeal:
    """Return a deal from its record, also of a custom variant (`own`); raise BadRecord with the bad line."""
    return tell_deal(title, [(d.copy(), line) for d, line in replay_stages(text, own=own)])


def blame_seat(deal: PageDeal, seat: int, words: str, parts: list[tuple[str, str]]) -> Blame:
    """Return the blame of a seat that has lost the deal, with the stage of the fault."""
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
