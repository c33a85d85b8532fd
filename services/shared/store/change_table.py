"""The table of answers to a service's changes; `Database.write` writes the marks."""

import asyncio
from asyncio import to_thread
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy import BigInteger, LargeBinary, or_, update
from sqlmodel import Field, SQLModel, col

from maumau.errors import AnswerLost, RequestUnderWay
from services.shared.store.action_table import forget
from services.shared.store.change import HELD, Change
from services.shared.store.connect import Database

LARGEST = 256 << 10  # bytes of an answer that is stored


class ChangeRow(SQLModel):
    """The columns of the table `change`, with times by the database's clock.

    at: when the mark was written. answer: None if none is stored (yet). held_until: until when the change
    counts as being made; None: HELD ms from its mark on.
    """

    id: str = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger, index=True)
    answer: bytes | None = Field(default=None, sa_type=LargeBinary)
    held_until: int | None = Field(default=None, sa_type=BigInteger)


class ChangeTable:
    """The stored changes of one service. model: its table, a ChangeRow."""

    def __init__(self, database: Database, model: type[Any]) -> None:
        self.database, self.model = database, model
        self._renewing = ThreadPoolExecutor(1, "renewals")  # that wait for no other work

    async def begin(self, change: Change) -> bytes | None:
        """Return the answer if the change was made before, None if it was not.

        Raise RequestUnderWay while it is being made, and AnswerLost if its answer is not stored.
        """
        return await to_thread(self._find, change.id)

    look_again = begin

    async def renew(self, change: Change) -> None:
        """Prolong the mark, if there is one."""
        if change.is_marked:
            await asyncio.get_running_loop().run_in_executor(self._renewing, self._prolong, change.id)

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Record that a change that had effects is over, with its answer unless it is secret or too long."""
        if change.is_marked:
            is_stored = answer is not None and not secret and len(answer) <= LARGEST
            await to_thread(self._write, change.id, answer=answer if is_stored else None, held_until=0)

    def prune(self, before: int, most: int) -> int:
        """Delete changes before a time, and all but the newest `most`; return their number."""
        return forget(self.database, self.model, before, most)

    def _find(self, change_id: str) -> bytes | None:
        with self.database.read() as session:
            row = session.get(self.model, change_id)
        if row is None:
            return None
        if row.answer is not None:
            return bytes(row.answer)
        now, until = self.database.now(), row.at + HELD if row.held_until is None else row.held_until
        if now < until <= now + HELD:  # else it ended, or was written before the clock was set back
            raise RequestUnderWay
        raise AnswerLost

    def _prolong(self, change_id: str) -> None:
        """Renew the mark, unless the change is over by now."""
        is_held = or_(col(self.model.held_until).is_(None), col(self.model.held_until) > 0)
        self._write(change_id, is_held, held_until=self.database.now() + HELD)

    def _write(self, change_id: str, *conditions: Any, **values: object) -> None:
        mine = update(self.model).where(col(self.model.id) == change_id, *conditions)
        with self.database.write() as session:
            session.execute(mine.values(**values))
