"""The table in which a service keeps what admins ask of it."""

from typing import Any

from sqlalchemy import BigInteger, delete, select
from sqlmodel import Field, SQLModel, col

from services.shared.action import Action
from services.shared.connect import Database


class ActionRow(SQLModel):
    """The columns of the table; a service makes it one of its own."""

    id: str = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger, index=True)
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str


class ActionTable:
    """The actions of one service. model: its table, an ActionRow."""

    def __init__(self, database: Database, model: type[Any]) -> None:
        self.database, self.model = database, model

    def add(self, action: Action) -> None:
        with self.database.write() as session:
            session.add(self.model(**action._asdict()))

    def prune(self, before: int, most: int) -> int:
        """Forgets those of before then, and of the others all but the newest so many; how many."""
        return forget(self.database, self.model, before, most)

    def before(self, action_id: str, most: int) -> list[Action]:
        """The newest, or those older than this one; newest first."""
        query = select(self.model).order_by(col(self.model.id).desc()).limit(most)
        if action_id:
            query = query.where(col(self.model.id) < action_id)
        with self.database.read() as session:
            return [Action(**row.model_dump()) for row in session.scalars(query)]


def forget(database: Database, model: type[Any], before: int, most: int) -> int:
    """Deletes the rows of before then (`at`), and of the others all but the newest so many; how many."""
    at = col(model.at)
    with database.write() as session:
        beyond = session.scalars(select(at).order_by(at.desc()).offset(most).limit(1)).first()
        oldest = before if beyond is None else max(before, beyond + 1)
        return int(session.exec(delete(model).where(at < oldest)).rowcount)
