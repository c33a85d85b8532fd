"""A clock that a service's replicas agree on within a beat, whatever their database's clock did before."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import BigInteger
from sqlmodel import Field, Session, SQLModel

from services.shared.base.clock import HOUR, Clock, SteadyClock, monotonic
from services.shared.store.connect import Database

T = TypeVar("T")

ROW = 1
AHEAD = 10_000  # ms; a database's clock that is further ahead is followed at once, as after a host's sleep
SET_BACK = HOUR  # ms; a clock that was set back further before a replica started is followed at once


class BeatRow(SQLModel):
    """The columns of the single row; each service subclasses it as a table of its own.

    at: the latest time that a replica has told, in ms since 1970. era: number of times that it was set back.
    """

    id: int = Field(primary_key=True)
    at: int = Field(sa_type=BigInteger)
    era: int = Field(default=0, sa_column_kwargs={"server_default": "0"})


class Beat(NamedTuple):
    """Times in ms since 1970: a replica's own, the last one that any replica has told, the agreed one."""

    own: int
    last: int
    now: int

    @property
    def apart(self) -> int:
        """The greatest difference between them: the time since the last beat, or a jump."""
        return max(self) - min(self)

    @property
    def is_set_back(self) -> bool:
        return self.now < max(self)


class CommonClock(SteadyClock):
    """The time that all replicas agree on; call `beat` before it counts, and then every few seconds.

    A replica counts by itself and follows the database's clock: forwards at once, backwards slowly, for no
    lease may end earlier than it was said to. Whichever replica is ahead is followed by the others at their
    next beat. Time goes back only if a replica starts when the clock has been set back by more than SET_BACK.
    model: the service's table, a BeatRow.
    """

    def __init__(self, database: Database, model: type[Any], counter: Clock = monotonic) -> None:
        super().__init__(database.now(), counter)
        self.database, self.model = database, model
        self._era: int | None = None  # None before the first beat

    def beat(self, react: Callable[[Session, Beat], T]) -> T:
        """Agree with the other replicas; return what `react` returns, called in the same transaction."""
        read = self.database.now()
        self.follow(read)
        with self.database.write() as session:
            row = session.get_one(self.model, ROW, with_for_update=True)
            before, last = self(), row.at
            own = before
            told = read if read - own > AHEAD else own
            if self._era is None and last > told + SET_BACK:
                row.era += 1
                now = told
            elif self._era is None:
                own = now = max(told, last)  # it has no time of its own yet
            elif self._era == row.era:
                now = max(told, last)
            else:
                now = last
            row.at, era = now, row.era
            answer = react(session, Beat(own, last, now))
        self._era = era
        self.shift_time(now - before)
        return answer

    def agree(self) -> None:
        """Agree with the other replicas."""
        self.beat(lambda _session, _beat: None)
