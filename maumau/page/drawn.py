"""A deal as the table draws it: bots with their marks, and each event in words. For page and file."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from maumau.bot.words import clean_text
from maumau.game.action import SEATS
from maumau.page.mark import make_mark
from maumau.page.page import Told
from maumau.page.words import tell_event

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"


class Player(msgspec.Struct, frozen=True):
    """A bot at a seat with its colour and mark; no name, no mark."""

    name: str
    hue: int = 0
    path: str = ""


class Drawn(Told, frozen=True, kw_only=True):
    """words: what each event is in each language; players: by seat."""

    players: list[Player]
    words: dict[str, dict[str, str]]


def draw_deal(deal: Told, languages: Iterable[str]) -> Drawn:
    """The deal with its words; names lose what would turn the direction of writing or cannot be shown."""
    names = [clean_text(name) for name in deal.names]
    players = [Player(name, *make_mark(name)) if name else Player("") for name in names]
    called = [_isolate(name) or SEATS[seat] for seat, name in enumerate(names)]
    events = {event for stage in deal.stages for seen in (stage.open, *stage.seen) for event in seen}
    words = {one: {event: tell_event(event, called, one) for event in sorted(events)} for one in languages}
    told = {field: getattr(deal, field) for field in Told.__struct_fields__}
    return Drawn(**told, players=players, words=words)


def _isolate(name: str) -> str:
    """A name from right to left leaves the order of the sentence around it as it is."""
    return name if name.isascii() else f"{FIRST_STRONG_ISOLATE}{name}{POP_ISOLATE}"
