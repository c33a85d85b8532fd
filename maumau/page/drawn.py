"""A deal as the table draws it: bots with their marks, and each event in words. For page and file."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from maumau.game.notation.action import SEATS
from maumau.page.mark import make_mark
from maumau.page.page import PageDeal
from maumau.page.words import tell_event
from maumau.protocol.words import clean_text

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


class DrawnPlayer(msgspec.Struct, frozen=True):
    """A bot at a seat with its colour and mark; no name, no mark."""

    name: str
    hue: int = 0
    path: str = ""


class Drawn(PageDeal, frozen=True, kw_only=True):
    """words: each event in each language; players: by seat."""

    players: list[DrawnPlayer]
    words: dict[str, dict[str, str]]


def draw_deal(deal: PageDeal, languages: Iterable[str]) -> Drawn:
    """Return the deal with its words; characters that control or cannot be shown are removed from names."""
    names = [clean_text(name) for name in deal.names]
    players = [DrawnPlayer(name, *make_mark(name)) if name else DrawnPlayer("") for name in names]
    called = [_isolate(name) or SEATS[seat] for seat, name in enumerate(names)]
    events = {event for stage in deal.stages for seen in (stage.open, *stage.seen) for event in seen}
    words = {one: {event: tell_event(event, called, one) for event in sorted(events)} for one in languages}
    told = {field: getattr(deal, field) for field in PageDeal.__struct_fields__}
    return Drawn(**told, players=players, words=words)


def _isolate(name: str) -> str:
    """Isolate a right-to-left name, so that it does not affect the order of the sentence around it."""
    return name if name.isascii() else f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
