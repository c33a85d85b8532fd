"""A deal's record with its notes: each event is followed by those made with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from maumau.client.answer import SetResult
    from maumau.client.game_deals import PlayedGame
    from maumau.game import Rules

CARDS = ("deal ", "up ", "cut ", "stock", "rest ")  # prefixes of a record's lines before its events


class ShownNote(Protocol):
    """A program's remark; `event` counts the events up to the one it belongs to."""

    @property
    def event(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def text(self) -> str: ...


def told(record: str, notes: Sequence[ShownNote], names: Sequence[str]) -> Iterator[str]:
    """Yield the record's lines and the notes of the programs, whose names are by seat."""
    lines = record.splitlines()
    cards = max(number for number, line in enumerate(lines) if line.startswith(CARDS))
    for number, line in enumerate(lines, start=-cards):
        yield line
        for note in notes:
            if note.event == number:
                yield f"    {names[note.seat]}: {' '.join(note.text.split())}"


def tell_set(found: SetResult, names: Sequence[str], own: Rules | None = None) -> Iterator[str]:
    """Yield for each deal of a set the seats, and its record with notes. names: of the entrants.

    own: a custom variant that the records may name.
    """
    from maumau.client.game_deals import list_games
    from maumau.game.notation.action import SEATS

    if games := list_games(found, own):
        yield from _tell_games(found.number, games, names)
        return
    for seating, deal in enumerate(found.deals):
        players = [names[entrant] for entrant in deal.entrants]
        at = ", ".join(f"{seat} {player}" for seat, player in zip(SEATS, players, strict=False))
        yield f"{chr(10) * bool(seating)}set {found.number}, seating {seating}: {at}"
        yield from told(deal.record, deal.notes, players)


def _tell_games(number: int, games: Sequence[PlayedGame], names: Sequence[str]) -> Iterator[str]:
    """Yield for each deal of each game the seats, its record with notes, and the score after it."""
    from maumau.game.notation.action import SEATS

    for game in games:
        for at, deal in enumerate(game.deals):
            score = game.scores[at] if game.scores else ()
            players = [names[entrant] for entrant in deal.entrants]
            seated = ", ".join(f"{seat} {player}" for seat, player in zip(SEATS, players, strict=False))
            place = f"set {number}, seating {game.seating}, deal {at}"
            yield f"{chr(10) * bool(game.seating + at)}{place}: {seated}"
            yield from told(deal.record, deal.notes, players)
            if score:
                yield "score " + ", ".join(
                    f"{name} {count}" for name, count in zip(names, score, strict=True)
                )
