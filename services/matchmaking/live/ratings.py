"""The ratings of live play: of each account's name for a program, from independent deals."""

from typing import NamedTuple

from maumau.contest import leaderboard
from maumau.contest.played import Played
from services.matchmaking.store import LiveGames
from services.matchmaking.store.live import Name

PROVISIONAL = 50  # games before which a rating is
HOUSE = "house"  # the account of the house bots, which hold the scale


class Rated(NamedTuple):
    """A name's line."""

    place: int
    name: Name
    account_name: str
    elo: float
    low: float
    high: float
    games: int

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL


class Table(NamedTuple):
    """Best first; games: rated ones of all."""

    games: int
    lines: list[Rated]


def pool_of(rules_hash: str, seats: int) -> str:
    """What is rated together."""
    return f"{rules_hash}:{seats}"


class Ratings:
    """Made anew when a rated game has come. Threads may share it: two at once make the same."""

    def __init__(self, games: LiveGames) -> None:
        self.games = games
        self._known: dict[str, Table] = {}

    def table(self, pool: str) -> Table:
        """That of a pool."""
        known, count = self._known.get(pool), self.games.count_rated(pool)
        if known is None or known.games != count:
            known = self._known[pool] = self._make(pool)
        return known

    def elo(self, pool: str, name: Name) -> float:
        """That of a name; 0, the scale's mean, if it has not played."""
        return next((line.elo for line in self.table(pool).lines if line.name == name), 0.0)

    def _make(self, pool: str) -> Table:
        field = self.games.field(pool)
        everybody = range(len(field.names))
        anchors = [number for number in everybody if field.names[number].account_id == HOUSE]
        lines, _ = (
            leaderboard.rank(len(field.names), Played(field.duels), everybody, anchors)
            if everybody
            else ([], None)
        )
        return Table(
            field.total,
            [
                Rated(
                    line.place, field.names[line.player], field.accounts[field.names[line.player].account_id],
                    line.elo, line.low, line.high, field.games[line.player],
                )
                for line in lines
            ],
        )  # fmt: skip
