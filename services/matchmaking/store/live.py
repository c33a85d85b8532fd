"""Live games that have ended, and the sums from which their ratings are made. Times are ms since 1970."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import case, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import col

from maumau.contest.rating import Duel
from maumau.contest.sequential import Sums
from maumau.errors import UnknownGame
from services.matchmaking.models import LiveGame, LivePlayer
from services.shared.connect import Database

WON = 2  # what a better place is worth against another seat; 1 an equal one


class Name(NamedTuple):
    """Who is rated: an account's name for a program."""

    account_id: str
    bot_name: str


class Field(NamedTuple):
    """All who were rated in a pool, sorted, and what they have played: numbers are places in `names`."""

    names: list[Name]
    accounts: dict[str, str]  # their names by id
    duels: list[Duel]
    games: list[int]  # rated games of each
    total: int


class LiveGames:
    """Games by the ids of their tables."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def book(self, game: LiveGame, players: Sequence[LivePlayer]) -> bool:
        """Keeps a game; False if it is kept already."""
        try:
            with self.database.write() as session:
                if session.get(LiveGame, game.id):
                    return False
                session.add(game)
                session.flush()
                session.add_all(players)
        except IntegrityError:  # another replica was quicker
            self.find(game.id)
            return False
        return True

    def find(self, game_id: str) -> tuple[LiveGame, list[LivePlayer]]:
        with self.database.read() as session:
            game = session.get(LiveGame, game_id)
            if game is None:
                raise UnknownGame
            mine = select(LivePlayer).where(col(LivePlayer.game_id) == game_id).order_by(col(LivePlayer.seat))
            return game, list(session.scalars(mine))

    def games(
        self, bot_name: str, account_name: str, before: str, most: int
    ) -> list[tuple[LiveGame, list[LivePlayer]]]:
        """Newest first, those before this id; of a name, of an account, or all."""
        wanted = select(LiveGame)
        if before:
            wanted = wanted.where(col(LiveGame.id) < before)
        if bot_name or account_name:
            mine = select(col(LivePlayer.game_id))
            if bot_name:
                mine = mine.where(col(LivePlayer.bot_name) == bot_name)
            if account_name:
                mine = mine.where(col(LivePlayer.account_name) == account_name)
            wanted = wanted.where(col(LiveGame.id).in_(mine))
        with self.database.read() as session:
            found = list(session.scalars(wanted.order_by(col(LiveGame.id).desc()).limit(most)))
            ids = [game.id for game in found]
            rows = select(LivePlayer).where(col(LivePlayer.game_id).in_(ids)).order_by(col(LivePlayer.seat))
            players = list(session.scalars(rows))
        return [(game, [one for one in players if one.game_id == game.id]) for game in found]

    def count_rated(self, pool: str) -> int:
        """Differs whenever the ratings of the pool may differ."""
        with self.database.read() as session:
            mine = col(LiveGame.pool) == pool, col(LiveGame.rated)
            return session.scalar(select(func.count()).select_from(LiveGame).where(*mine)) or 0

    def field(self, pool: str) -> Field:
        """Sums of whole numbers over names in their own order: neither order nor repetition of the results
        can be seen in a rating.
        """
        rated = select(col(LiveGame.id)).where(col(LiveGame.pool) == pool, col(LiveGame.rated))
        with self.database.read() as session:
            played = (
                select(
                    col(LivePlayer.account_id), col(LivePlayer.bot_name),
                    func.max(col(LivePlayer.account_name)), func.count(),
                )
                .where(col(LivePlayer.game_id).in_(rated))
                .group_by(col(LivePlayer.account_id), col(LivePlayer.bot_name))
            )  # fmt: skip
            rows = sorted(tuple(row) for row in session.execute(played))
            names = [Name(row[0], row[1]) for row in rows]
            numbers = {name: number for number, name in enumerate(names)}
            total = session.scalar(select(func.count()).select_from(rated.subquery())) or 0
            duels = [
                Duel(
                    numbers[Name(row[0], row[1])],
                    numbers[Name(row[2], row[3])],
                    Sums(WON, *map(int, row[4:])),
                )
                for row in session.execute(_by_pair(pool))
            ]
        accounts = {row[0]: row[2] for row in rows}
        return Field(names, accounts, sorted(duels), [int(row[3]) for row in rows], total)


def _by_pair(pool: str) -> Any:
    """Two names, how often they met, and the sum and the squares of what the first one scored.

    A pair is named in one order alone: that of the names.
    """
    one, other = aliased(LivePlayer), aliased(LivePlayer)
    score = case((col(one.place) < col(other.place), WON), (col(one.place) == col(other.place), 1), else_=0)
    first, second = (col(one.account_id), col(one.bot_name)), (col(other.account_id), col(other.bot_name))
    ahead = or_(first[0] < second[0], (first[0] == second[0]) & (first[1] < second[1]))
    lines = select(*first, *second, func.count(), func.sum(score), func.sum(score * score))
    lines = lines.select_from(one).join(other, col(one.game_id) == col(other.game_id)).where(ahead)
    rated = select(col(LiveGame.id)).where(col(LiveGame.pool) == pool, col(LiveGame.rated))
    return lines.where(col(one.game_id).in_(rated)).group_by(*first, *second)
