"""A clock that a service's replicas agree on within a beat, whatever their database's clock did before."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import BigInteger
from sqlmodel import Field, Session, SQLModel

from services.shared.base.clock import HOUR, Clock, SteadyClock, monotonic
from services.shared.store.connect import Database

T = TypeVar("T")

ROW = 1
SET_BACK = HOUR  # ms; a clock that was set back further while no replica ran is followed at once


class BeatRow(SQLModel):
    """The columns of the single row; each service subclasses it as a table of its own.

    at: the latest time that a replica has told, in ms since 1970. era: number of times that it was set back.
    """

    id: int = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger)
    era: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class Beat(NamedTuple):
    """Times at a beat, in ms since 1970: a replica's own, the last one told by any, and the agreed one."""

    own: int
    last: int
    now: int


class CommonClock(SteadyClock):
    """The time that all replicas agree on; call `beat` before it counts, and then every few seconds.

    A replica counts by itself, and whichever is ahead is followed by the others at their next beat: one that
    starts after the database's clock was set forward brings the new time with it. A clock that was set back
    is waited for, unless it was by more than SET_BACK. model: the service's table, a BeatRow.
    """

    def __init__(self, database: Database, model: type[Any], counter: Clock = monotonic) -> None:
        super().__init__(database.now(), counter)
        self.database, self.model = database, model
        self._era: int | None = None  # None before the first beat

    def beat(self, react: Callable[[Session, Beat], T]) -> T:
        """Agree with the other replicas; return what `react` returns, called in the same transaction."""
        self.follow(self.database.now())
        with self.database.write() as session:
            row = session.get_one(self.model, ROW, with_for_update=True)
            own, last = self(), row.at
            if self._era is None and last > own + SET_BACK:
                row.era += 1
                now = own
            elif self._era is None or self._era == row.era:
                now = max(own, last)
            else:
                now = last
            row.at, era = now, row.era
            answer = react(session, Beat(own, last, now))
        self._era = era
        self.move(now - own)
        return answer

    def agree(self) -> None:
        """Agree with the other replicas."""
        self.beat(lambda _session, _beat: None)
