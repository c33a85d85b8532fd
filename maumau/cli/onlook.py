"""Which deals an onlooker of a tournament is shown: those of one match after another that is being played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from maumau.answer import LiveDeal, Match
from maumau.cli.board import Board
from maumau.errors import MaumauError

if TYPE_CHECKING:
    from maumau.client import Arena

POLL = 0.3  # seconds between looks for a match that is being played
IDLE = 3  # seconds without a deal, until another match is looked for


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
