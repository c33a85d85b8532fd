"""The table of a service's actions."""

from typing import Any

from sqlalchemy import BigInteger, delete, select
from sqlmodel import Field, SQLModel, col

from services.shared.store.action import LoggedAction
from services.shared.store.connect import Database


class ActionRow(SQLModel):
    """The columns of the table; each service subclasses it as a table of its own."""

    id: str = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger, index=True)
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str


class ActionTable:
    """The stored actions of one service. model: its table, an ActionRow."""

    def __init__(self, database: Database, model: type[Any]) -> None:
        self.database, self.model = database, model

    def add(self, action: LoggedAction) -> None:
        with self.database.write() as session:
            session.add(self.model(**action._asdict()))

    def prune(self, before: int, most: int) -> int:
        """Delete actions before a time, and all but the newest `most`; return their number."""
        return forget(self.database, self.model, before, most)

    def before(self, action_id: str, most: int) -> list[LoggedAction]:
        """Return the newest actions, or those older than this one; newest first."""
        query = select(self.model).order_by(col(self.model.id).desc()).limit(most)
        if action_id:
            query = query.where(col(self.model.id) < action_id)
        with self.database.read() as session:
            return [LoggedAction(**row.model_dump()) for row in session.scalars(query)]


def forget(database: Database, model: type[Any], before: int, most: int) -> int:
    """Delete the rows before a time (`at`), and all but the newest `most`; return their number."""
    at = col(model.at)
    with database.write() as session:
        beyond = session.scalars(select(at).order_by(at.desc()).offset(most).limit(1)).first()
        oldest = before if beyond is None else max(before, beyond + 1)
        return int(session.exec(delete(model).where(at < oldest)).rowcount)
