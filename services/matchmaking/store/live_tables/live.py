"""Live games that have ended, and the sums for their ratings. Times are ms since 1970."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import case, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import aliased
from sqlmodel import col

from maumau.contest.statistics.rating import Duel
from maumau.contest.statistics.sequential import Sums
from maumau.errors import UnknownGame
from services.matchmaking.models import LiveGame, LivePlayer
from services.shared.base.clock import DAY
from services.shared.store.connect import Database

GAMES_A_DAY = 10  # games of a pair that count
WON = 2  # value of a better place against another seat; an equal one is worth 1


class Name(NamedTuple):
    """A rated name: an account's name for a program."""

    account_id: str
    bot_name: str


class Field(NamedTuple):
    """The rated names of a pool, sorted, and their duels: numbers are indices into `names`."""

    names: list[Name]
    accounts: dict[str, str]  # their names by id
    duels: list[Duel]
    games: list[int]  # rated games of each
    total: int


class LiveGames:
    """Live games, by the ids of their tables."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def store_game(self, game: LiveGame, players: Sequence[LivePlayer]) -> bool:
        """Store a game; return False if it is stored already."""
        try:
            with self.database.write() as session:
                if session.get(LiveGame, game.id):
                    return False
                session.add(game)
                session.flush()
                session.add_all(players)
        except IntegrityError:  # another replica was faster
            self.find_game(game.id)
            return False
        return True

    def find_game(self, game_id: str) -> tuple[LiveGame, list[LivePlayer]]:
        with self.database.read() as session:
            game = session.get(LiveGame, game_id)
            if game is None:
                raise UnknownGame
            mine = select(LivePlayer).where(col(LivePlayer.game_id) == game_id).order_by(col(LivePlayer.seat))
            return game, list(session.scalars(mine))

    def list_games(
        self, bot_name: str, account_name: str, before: str, most: int
    ) -> list[tuple[LiveGame, list[LivePlayer]]]:
        """Return games before this id, newest first; of a bot's name, of an account, or all."""
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
        """Return a number that differs whenever the ratings of the pool may differ."""
        with self.database.read() as session:
            mine = col(LiveGame.pool) == pool, col(LiveGame.rated)
            return session.scalar(select(func.count()).select_from(LiveGame).where(*mine)) or 0

    def sum_field(self, pool: str) -> Field:
        """Return the sums of a pool, as integers over sorted names.

        So neither the order nor a repetition of results affects a rating.
        """
        rated = select(col(LiveGame.id)).where(col(LiveGame.pool) == pool, col(LiveGame.rated))
        with self.database.read() as session:
            played = (
                select(
                    col(LivePlayer.account_id),
                    col(LivePlayer.bot_name),
                    func.max(col(LivePlayer.account_name)),
                    func.count(),
                )
                .where(col(LivePlayer.game_id).in_(rated))
                .group_by(col(LivePlayer.account_id), col(LivePlayer.bot_name))
            )
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
    """Select two names, the number of their games, and sum and squares of the first one's scores.

    Each pair is listed once, in the order of the names. Of its games on one day, by the UTC time at which
    the table was made, the first GAMES_A_DAY count.
    """
    one, other = aliased(LivePlayer), aliased(LivePlayer)
    score = case((col(one.place) < col(other.place), WON), (col(one.place) == col(other.place), 1), else_=0)
    first, second = (col(one.account_id), col(one.bot_name)), (col(other.account_id), col(other.bot_name))
    ahead = or_(first[0] < second[0], (first[0] == second[0]) & (first[1] < second[1]))
    day = col(LiveGame.made_at) - col(LiveGame.made_at) % DAY
    turn = func.row_number().over(
        partition_by=(*first, *second, day), order_by=(col(LiveGame.made_at), col(LiveGame.id))
    )
    names: list[Any] = [each.label(f"name{number}") for number, each in enumerate((*first, *second))]
    games = select(*names, score.label("score"), turn.label("turn")).select_from(one)
    games = games.join(other, col(one.game_id) == col(other.game_id)).where(ahead)
    games = games.join(LiveGame, col(LiveGame.id) == col(one.game_id))
    each = games.where(col(LiveGame.pool) == pool, col(LiveGame.rated)).subquery()
    pair = [each.c[f"name{number}"] for number in range(len(names))]
    sums = func.count(), func.sum(each.c.score), func.sum(each.c.score * each.c.score)
    return select(*pair, *sums).where(each.c.turn <= GAMES_A_DAY).group_by(*pair)
