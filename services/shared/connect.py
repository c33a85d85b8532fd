"""Databases, with sessions that read or write."""

import errno
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event, make_url, text
from sqlalchemy.exc import DataError, InvalidatePoolError, OperationalError
from sqlmodel import Session, create_engine

from maumau.errors import BadRequest, DatabaseUnavailable, DiskFull, RequestUnderWay
from services.shared import clock, log
from services.shared.change import Change, unmarked

BUSY, POLL = 30.0, 0.02
"""Seconds that one waits for who has a SQLite file locked, and between tries where SQLite itself does not."""
POOL = 16  # connections kept, and as many more at need: a thread each
IDLE = 2.0  # seconds that a connection may rest before it is asked whether it still stands
LOCK = 0x6D61756D6175  # "maumau", among PostgreSQL's advisory locks
MARK = text("INSERT INTO change (id, at) VALUES (:id, :at) ON CONFLICT DO NOTHING")

logger = log.get(__name__)


class Turnstile:
    """Lets one thread through at a time, in the order in which they come: SQLite's own lock is not fair."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._busy = False

    def __len__(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._lock:
            if not self._busy:
                self._busy = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()  # released by whoever goes out before

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._busy = False


class Database:
    """One service's tables: a SQLite file, or a schema of its own on PostgreSQL.

    Threads may share it, forked processes may not.
    """

    def __init__(self, url: str, schema: str) -> None:
        self.url, self.schema = make_url(url), schema
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = self._sqlite() if self.sqlite else self._postgresql()
        snapshot = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        self._reader = self.engine if self.sqlite else self.engine.execution_options(**snapshot)
        self._writer = self.engine.execution_options(writes=True)
        self._turn: AbstractContextManager[None] = Turnstile() if self.sqlite else nullcontext()
        self._rehearsing = threading.local()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session on one consistent state that changes nothing."""
        with plain_errors(), self._session(self._reader) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that is committed at the end of the block and rolled back if it raises.

        On SQLite it is alone from its first statement. Call nothing that waits inside it. The first one
        of a change that is made once commits its mark; RequestUnderWay if another replica has made it.
        """
        if self._rehearsal is not None:
            with plain_errors(), self._session(self._writer) as session, session.begin():
                yield session
            return
        change = unmarked()
        with self._turn, plain_errors(), self._session(self._writer) as session, session.begin():
            yield session
            if change and not _mark(session, change):
                raise RequestUnderWay
        if change:
            change.is_marked = True

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """What this thread writes inside, it reads inside; nobody else does, and at the end it is undone.

        Everybody else who writes to the same rows waits, on SQLite whoever writes: what takes long comes
        afterwards.
        """
        with self._turn, plain_errors(), self._writer.connect() as connection:
            self._rehearsing.connection = connection
            try:
                with connection.begin() as transaction:
                    yield
                    transaction.rollback()
            finally:
                self._rehearsing.connection = None

    @property
    def _rehearsal(self) -> Connection | None:
        """The connection on which this thread rehearses, if it does."""
        return getattr(self._rehearsing, "connection", None)

    def _session(self, engine: Engine) -> Session:
        bind = self._rehearsal if self._rehearsal is not None else engine
        return Session(bind, expire_on_commit=False, join_transaction_mode="create_savepoint")

    def alone(self, connection: Connection) -> None:
        """Keeps other replicas out until the transaction ends; on SQLite a writing one is alone anyway."""
        if not self.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})

    def now(self) -> int:
        """The database's clock, in ms since 1970; a SQLite file has that of its machine."""
        if self.sqlite:
            return clock.now()
        with plain_errors(), self.engine.connect() as connection:
            told = connection.execute(text("SELECT extract(epoch FROM clock_timestamp()) * 1000"))
            return int(told.scalar_one())

    def check(self) -> None:
        """Raises DatabaseUnavailable unless its tables can be read."""
        if self.sqlite and not Path(str(self.engine.url.database)).exists():
            raise DatabaseUnavailable(f"{self.engine.url.database} is gone.")
        with plain_errors(), self.engine.connect() as connection:
            connection.execute(text("SELECT version_num FROM alembic_version"))

    def close(self) -> None:
        self.engine.dispose()

    def _sqlite(self) -> Engine:
        if self.url.database:
            Path(self.url.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(self.url, connect_args={"timeout": BUSY, "check_same_thread": False})
        event.listen(engine, "connect", _on_sqlite_connect)
        event.listen(engine, "begin", _on_sqlite_begin)
        return engine

    def _postgresql(self) -> Engine:
        options = {"options": f"-csearch_path={self.schema} -ctimezone=UTC"}
        engine = create_engine(self.url, connect_args=options, pool_size=POOL, max_overflow=POOL)
        _ask_after_rest(engine)
        return engine


def _ask_after_rest(engine: Engine) -> None:
    """A connection that rested is asked whether it still stands, one in use is not: that takes a round trip.

    Where one fell, all are made anew.
    """

    def note_use(_connection: Any, record: Any) -> None:
        record.info["used"] = time.monotonic()

    def ask(connection: Any, record: Any, _proxy: Any) -> None:
        if time.monotonic() - record.info.get("used", time.monotonic()) < IDLE:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.dbapi.Error as err:  # type: ignore[union-attr]
            raise InvalidatePoolError from err

    event.listen(engine, "checkin", note_use)
    event.listen(engine, "checkout", ask)


def _mark(session: Session, change: Change) -> bool:
    """False if it was marked before."""
    return session.connection().execute(MARK, {"id": change.id, "at": change.at}).rowcount == 1


def _on_sqlite_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself; _on_sqlite_begin does
    set_busy_timeout(connection, BUSY)  # before all that may have to wait
    _write_ahead(connection)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def set_busy_timeout(connection: Any, seconds: float) -> None:
    """For a SQLite connection of the driver's."""
    connection.execute(f"PRAGMA busy_timeout={round(seconds * 1000)}")


def _write_ahead(connection: Any) -> None:
    """The change to WAL, which a file needs once: of many that try it together one does it.

    SQLite waits for nobody there, whatever the timeout: two that read already would wait for each other.
    """
    last = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as err:
            if "locked" not in str(err) or time.monotonic() > last:
                raise
            time.sleep(POLL)
        else:
            return


def _on_sqlite_begin(connection: Connection) -> None:
    """A transaction that will write takes the lock at once: taken later it fails in spite of the timeout."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turns a database that does not answer, or has no room, into our own errors."""
    try:
        yield
    except DataError as err:  # PostgreSQL stores no NUL, for one
        raise BadRequest(f"A text or number of the request cannot be stored: {err.orig}") from err
    except OperationalError as err:
        logger.warning("database error", words=str(err.orig))
        if "disk is full" in str(err.orig) or "No space left" in str(err.orig):
            raise DiskFull from err
        raise DatabaseUnavailable from err


def is_disk_full(err: OSError) -> bool:
    return err.errno in (errno.ENOSPC, errno.EDQUOT)
