"""The deals of a set of whole games, as pages and the terminal show them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from maumau.client.answer import DealResult, SetResult
from maumau.errors import BadRecord
from maumau.game.resume import GAME, count_events, resume, split_deals
from maumau.game.ruleset.rules import Rules

RESULT: Final = re.compile(r"(?m)^result places ([\d ]+) points ([-\d ]+)$")


class PlayedGame(Struct, frozen=True):
    """A game in one seating. deals: as single ones.

    scores: totals or lives after each deal, by entrant; none if the variant is not known.
    """

    seating: int
    deals: tuple[DealResult, ...]
    scores: tuple[tuple[int, ...], ...]


def list_games(found: SetResult, own: Rules | None = None) -> list[PlayedGame]:
    """Return the games of a set, in the order of their seatings; none if it has single deals.

    own: a custom variant that its records may name.
    """
    return [
        PlayedGame(seating, _split_game(game), _count_scores(game, own))
        for seating, game in enumerate(found.deals)
        if game.record.startswith(GAME)
    ]


def pick_round(found: SetResult, games: Sequence[PlayedGame], number: int) -> SetResult:
    """Return this deal, from 0, of each seating whose game has one."""
    return replace(found, deals=tuple(game.deals[number] for game in games if number < len(game.deals)))


def _split_game(game: DealResult) -> tuple[DealResult, ...]:
    texts = split_deals(game.record)
    ends = list(accumulate(map(count_events, texts)))
    return tuple(
        _make_deal(game, text, start, end) for text, start, end in zip(texts, [0, *ends], ends, strict=False)
    )


def _make_deal(game: DealResult, text: str, start: int, end: int) -> DealResult:
    """Return a deal of a game whose events are those from `start` on up to `end`."""
    result = RESULT.search(text)
    places, points = (tuple(map(int, part.split())) for part in (result.groups() if result else ("", "")))
    notes = tuple(replace(note, event=note.event - start) for note in game.notes if start < note.event <= end)
    return DealResult(game.entrants, places, points, text, (), notes)


def _count_scores(game: DealResult, own: Rules | None) -> tuple[tuple[int, ...], ...]:
    """Return the score after each deal, by entrant; none if the record's variant is not known here."""
    seats = [game.entrants.index(entrant) for entrant in range(len(game.entrants))]
    try:
        played = resume(game.record, own)
    except BadRecord:
        return ()
    return tuple(tuple(score[seat] for seat in seats) for score in played.scores)
