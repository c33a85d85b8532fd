"""Authors: accounts and teams that own bots."""

from typing import NamedTuple

from sqlalchemy import func
from sqlmodel import col, select

from services.registry.models import Account, Bot, Team
from services.registry.store.search import contains
from services.shared.store.connect import Database


class ListedAuthor(NamedTuple):
    """An account or team, and the number of its bots that are not retired."""

    name: str
    team: bool
    bots: int


class Authors:
    """Authors in the database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_authors(self, part: str, name: str, after: str, most: int) -> list[ListedAuthor]:
        """Return the authors after a name, by name: whose names contain a part, or the one of `name`."""
        plays = select(Bot.id).where(Bot.account_id == Account.id, col(Bot.retired_at).is_(None)).exists()
        query = select(Account.id, Account.name).where(plays, Account.name > after)
        query = query.where(contains(col(Account.name), part))
        if name:
            query = query.where(Account.name == name)
        with self.database.read() as session:
            found = dict(session.exec(query.order_by(Account.name).limit(most)).all())
            teams = session.exec(select(Team.account_id).where(col(Team.account_id).in_(found))).all()
            mine = col(Bot.account_id).in_(found), col(Bot.retired_at).is_(None)
            counts = select(Bot.account_id, func.count()).where(*mine).group_by(col(Bot.account_id))
            bots = dict(session.exec(counts).all())
        return [ListedAuthor(one, key in teams, bots.get(key, 0)) for key, one in found.items()]
