"""The choice of deals for an onlooker: those of one running match after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from maumau.client.answer import LiveDeal, Match
from maumau.errors import MaumauError
from maumau.screen.board import Board

if TYPE_CHECKING:
    from maumau.client.arena import Arena

POLL = 0.3  # seconds between looks for a match that is being played
IDLE = 3  # seconds without a deal, until another match is looked for


def onlook(
    link: Arena, name: str, board: Board, wait: Callable[[float], bool]
) -> Iterator[tuple[Match, LiveDeal | None]]:
    """Yield the deals of one match of a tournament's board after another, until `wait(seconds)` is true.

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
            continue  # the tournament's own watch reports errors


def _at_a_table(link: Arena, name: str, playing: Iterable[Match]) -> Match | None:
    """Return the first of these matches that is being played by a worker."""
    for match in playing:
        if any(block.state == "claimed" for block in link.match(name, match.label).blocks):
            return match
    return None
