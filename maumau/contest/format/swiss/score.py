"""Scores of a Swiss stage: points, Buchholz and Sonneborn-Berger, and whom everybody met in each round.

All are whole numbers: points and Buchholz in halves, Sonneborn-Berger in quarters. Buchholz: the sum of the
opponents' points. Sonneborn-Berger: the same sum, each opponent's points times the result against it. A round
without play that gave a point (a bye, a walkover) counts as one against an opponent with one's own points, as
in FIDE's handbook, C.07; so does a walkover lost, with nothing for Sonneborn-Berger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

BYE: Final = 0
"""The opponent of an entrant with a bye."""
WIN, LEVEL, LOSS = 2, 1, 0
"""Results of a match in half points."""


class SwissMeeting(NamedTuple):
    """A match of a round. winner: None while it is open and if it is level. is_walkover: won without play."""

    label: str
    first: int
    second: int
    is_decided: bool = False
    winner: int | None = None
    is_walkover: bool = False


class PlayedRound(NamedTuple):
    """The matches of a round and its byes."""

    meetings: Sequence[SwissMeeting]
    byes: Sequence[int] = ()


class Game(NamedTuple):
    """An entrant's part of a round. opponent: `BYE` for a bye. result: in half points, None while open."""

    opponent: int
    result: int | None
    label: str = ""
    is_walkover: bool = False


class ScoreLine(NamedTuple):
    """The scores of an entrant. games: one for each round, None where it was not paired."""

    entrant: int
    points: int = 0
    buchholz: int = 0
    sonneborn_berger: int = 0
    games: tuple[Game | None, ...] = ()

    @property
    def scores(self) -> tuple[int, int, int]:
        """The scores by which lines are ordered, highest first."""
        return self.points, self.buchholz, self.sonneborn_berger


def score_rounds(entrants: Sequence[int], rounds: Sequence[PlayedRound]) -> dict[int, ScoreLine]:
    """Return the line of each entrant, in the order of `entrants`."""
    found = [_list_games(one) for one in rounds]
    games = {entrant: tuple(one.get(entrant) for one in found) for entrant in entrants}
    points = {entrant: sum(one.result or 0 for one in mine if one) for entrant, mine in games.items()}
    return {entrant: _score_entrant(entrant, mine, points) for entrant, mine in games.items()}


def _list_games(one: PlayedRound) -> dict[int, Game]:
    """Return the game of each entrant in a round."""
    games = {entrant: Game(BYE, WIN) for entrant in one.byes}
    for meeting in one.meetings:
        label, first, second, is_decided, winner, is_walkover = meeting
        for entrant, other in ((first, second), (second, first)):
            result = LEVEL if winner is None else WIN if winner == entrant else LOSS
            games[entrant] = Game(other, result if is_decided else None, label, is_walkover)
    return games


def _score_entrant(entrant: int, games: tuple[Game | None, ...], points: Mapping[int, int]) -> ScoreLine:
    buchholz = berger = 0
    for game in games:
        if game and game.result is not None:
            is_played = game.opponent != BYE and not game.is_walkover
            strength = points[game.opponent] if is_played else points[entrant]
            buchholz += strength
            berger += strength * game.result
    return ScoreLine(entrant, points[entrant], buchholz, berger, games)
