"""The table in which a service keeps what admins ask of it."""

from typing import Any

from sqlalchemy import BigInteger, select
from sqlmodel import Field, SQLModel, col

from services.shared.action import Action
from services.shared.connect import Database


class ActionRow(SQLModel):
    """The columns of the table; a service makes it one of its own."""

    id: str = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger)
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

    def before(self, action_id: str, most: int) -> list[Action]:
        """The newest, or those older than this one; newest first."""
        query = select(self.model).order_by(col(self.model.id).desc()).limit(most)
        if action_id:
            query = query.where(col(self.model.id) < action_id)
        with self.database.read() as session:
            return [Action(**row.model_dump()) for row in session.scalars(query)]
