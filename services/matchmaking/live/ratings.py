"""Ratings of live play: of each account's name for a program, from independent deals.

They cannot be bought with accounts that lose on purpose: a pair whose score is far from what both have
against others counts less (`maumau.contest.statistics.robust`), a game between two names counts once both
are known from games with house bots, and of the games of two names on one day only the first few do.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from maumau.contest.ladder import leaderboard
from maumau.contest.ladder.played import Played
from maumau.contest.statistics.rating import Duel
from services.matchmaking.store import LiveGames
from services.matchmaking.store.live_tables.live import Name
from services.shared.base.auth import HOUSE

PROVISIONAL = 50  # games before which a rating is provisional
KNOWN = 10  # games with house bots before which a name's games with others do not count, if any


class Rated(NamedTuple):
    """A line of the ratings: a name and its rating; place 0 and no rating if none of its games counts yet."""

    place: int
    name: Name
    account_name: str
    elo: float
    low: float
    high: float
    games: int
    house_games: int

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL or (self.name.account_id != HOUSE and self.house_games < KNOWN)


class PoolRatings(NamedTuple):
    """The ratings of a pool, best first, those without one at the end; games: number of rated games."""

    games: int
    lines: list[Rated]


def pool_of(rules_hash: str, seats: int) -> str:
    """Return the key of a pool: games that are rated together."""
    return f"{rules_hash}:{seats}"


class Ratings:
    """Ratings, recomputed after each rated game. Safe for threads: concurrent results are equal."""

    def __init__(self, games: LiveGames) -> None:
        self.games = games
        self._known: dict[str, PoolRatings] = {}

    def compute_table(self, pool: str) -> PoolRatings:
        """Return the ratings of a pool."""
        known, count = self._known.get(pool), self.games.count_rated(pool)
        if known is None or known.games != count:
            known = self._known[pool] = self._make_table(pool)
        return known

    def find_elo(self, pool: str, name: Name) -> float:
        """Return the rating of a name; 0, the scale's mean, if it has not played."""
        return next((line.elo for line in self.compute_table(pool).lines if line.name == name), 0.0)

    def _make_table(self, pool: str) -> PoolRatings:
        field = self.games.sum_field(pool)
        everybody = range(len(field.names))
        anchors = [number for number in everybody if field.names[number].account_id == HOUSE]
        known = count_house_games(field.duels, anchors)
        played = Played(leave_out_unknown(field.duels, anchors))
        lines, _ = leaderboard.rank_players(len(everybody), played, everybody, anchors)
        fresh = sorted({*everybody} - {one.player for one in lines})
        return PoolRatings(
            field.total,
            [
                Rated(
                    line.place,
                    field.names[line.player],
                    field.accounts[field.names[line.player].account_id],
                    line.elo,
                    line.low,
                    line.high,
                    field.games[line.player],
                    known[line.player],
                )
                for line in (*lines, *(leaderboard.RankedLine(0, player) for player in fresh))
            ],
        )


def count_house_games(duels: Sequence[Duel], anchors: Collection[int]) -> Counter[int]:
    """Return each player's number of games with house bots, which are the anchors."""
    found = Counter[int]()
    for one in duels:
        for mine, other in ((one.first, one.second), (one.second, one.first)):
            found[mine] += one.sums.sets if other in anchors else 0
    return found


def leave_out_unknown(duels: Sequence[Duel], anchors: Collection[int]) -> list[Duel]:
    """Return the games with house bots, and those between names that are known from such games.

    If no house bot has played, no name can be known: then all games count, and all ratings are provisional.
    """
    games = count_house_games(duels, anchors)
    known = {*anchors, *(name for name, count in games.items() if count >= KNOWN)}
    if not anchors:
        return list(duels)
    return [one for one in duels if {one.first, one.second} <= known or {one.first, one.second} & {*anchors}]
