"""The table of answers to a service's changes; `Database.write` writes the marks."""

from asyncio import to_thread
from typing import Any

from sqlalchemy import BigInteger, LargeBinary, update
from sqlmodel import Field, SQLModel, col

from maumau.errors import RequestUnderWay
from services.shared.store.action_table import forget
from services.shared.store.change import Change
from services.shared.store.connect import Database

LARGEST = 256 << 10  # bytes of an answer that is stored


class ChangeRow(SQLModel):
    """The columns of the table `change`. answer: None if none is stored (yet)."""

    id: str = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger, index=True)
    answer: bytes | None = Field(default=None, sa_type=LargeBinary)


class ChangeTable:
    """The stored changes of one service. model: its table, a ChangeRow."""

    def __init__(self, database: Database, model: type[Any]) -> None:
        self.database, self.model = database, model

    async def begin(self, change: Change) -> bytes | None:
        """Return the answer if the change was made before; raise RequestUnderWay if it has none (yet)."""
        return await to_thread(self._find, change.id)

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Store the answer of a change that had effects, unless it is secret."""
        if change.is_marked and not secret and answer is not None and len(answer) <= LARGEST:
            await to_thread(self._keep, change.id, answer)

    def prune(self, before: int, most: int) -> int:
        """Delete changes before a time, and all but the newest `most`; return their number."""
        return forget(self.database, self.model, before, most)

    def _find(self, change_id: str) -> bytes | None:
        with self.database.read() as session:
            row = session.get(self.model, change_id)
        if row is None:
            return None
        if row.answer is None:
            raise RequestUnderWay
        return bytes(row.answer)

    def _keep(self, change_id: str, answer: bytes) -> None:
        with self.database.write() as session:
            session.execute(update(self.model).where(col(self.model.id) == change_id).values(answer=answer))
