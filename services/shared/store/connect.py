"""Databases, with sessions for reading or writing."""

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
from services.shared.base import clock, log
from services.shared.store.change import Change, unmarked

BUSY, POLL = 30.0, 0.02
"""Seconds to wait for a locked SQLite file, and between tries where SQLite itself does not wait."""
POOL = 16  # connections kept, and as many more on demand: one per thread
IDLE = 2.0  # seconds of rest after which a connection is tested before use
LOCK = 0x6D61756D6175  # "maumau", among PostgreSQL's advisory locks
NOW = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
"""PostgreSQL's clock in ms since 1970."""
MARK = "INSERT INTO change (id, at) VALUES (:id, {now}) ON CONFLICT DO NOTHING"

logger = log.get(__name__)


class Turnstile:
    """A fair lock: threads acquire it in order of arrival. SQLite's own lock is not fair."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._busy = False

    def __len__(self) -> int:
        """Return the number of waiting threads."""
        return len(self._waiting)

    def __enter__(self) -> None:
        with self._lock:
            if not self._busy:
                self._busy = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        mine.acquire()  # released by the previous holder

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._busy = False


class Database:
    """One service's tables: a SQLite file, or a schema of its own on PostgreSQL.

    It is safe for threads, but not for forked processes.
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
        """Yield a session for reading from one consistent snapshot."""
        with plain_errors(), self._session(self._reader) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Yield a session that is committed at the end of the block, or rolled back if the block raises.

        On SQLite it excludes other writers from its first statement: do not wait inside the block. Within a
        change that is made once, the first session commits its mark: no second one may be open meanwhile.
        Raise RequestUnderWay if another replica has made the change.
        """
        if self._rehearsal is not None:
            with plain_errors(), self._session(self._writer) as session, session.begin():
                yield session
            return
        change = unmarked()
        with self._turn, plain_errors(), self._session(self._writer) as session, session.begin():
            yield session
            if change and not self._mark(session, change):
                raise RequestUnderWay
        if change:
            change.is_marked = True

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Run this thread's sessions in one transaction that is rolled back at the end.

        Other writers of these rows wait meanwhile, on SQLite all writers: do slow work after the
        block.
        """
        with self._turn, plain_errors(), self._writer.connect() as connection:
            self._rehearsing.connection = connection
            try:
                with connection.begin() as transaction:
                    yield
                    transaction.rollback()
            finally:
                self._rehearsing.connection = None

    def _mark(self, session: Session, change: Change) -> bool:
        """Insert the change's mark; return False if it exists."""
        now = str(clock.now()) if self.sqlite else NOW
        return session.connection().execute(text(MARK.format(now=now)), {"id": change.id}).rowcount == 1

    @property
    def _rehearsal(self) -> Connection | None:
        """The connection of this thread's rehearsal, None outside of one."""
        return getattr(self._rehearsing, "connection", None)

    def _session(self, engine: Engine) -> Session:
        bind = self._rehearsal if self._rehearsal is not None else engine
        return Session(bind, expire_on_commit=False, join_transaction_mode="create_savepoint")

    def alone(self, connection: Connection) -> None:
        """Keep other replicas out until the transaction ends; on SQLite a writer excludes others anyway."""
        if not self.sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})

    def now(self) -> int:
        """Return the database's clock in ms since 1970; for a SQLite file that is the machine's."""
        if self.sqlite:
            return clock.now()
        with plain_errors(), self.engine.connect() as connection:
            return int(connection.execute(text(f"SELECT {NOW}")).scalar_one())

    def check(self) -> None:
        """Raise DatabaseUnavailable unless its tables can be read."""
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
    """Test a connection after a rest before it is used; others are not tested, to save a round trip.

    If one is broken, the whole pool is made anew.
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


def _on_sqlite_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins no transactions; _on_sqlite_begin does
    set_busy_timeout(connection, BUSY)  # before all statements that may have to wait
    _write_ahead(connection)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def set_busy_timeout(connection: Any, seconds: float) -> None:
    """Set the timeout of a SQLite connection of the driver."""
    connection.execute(f"PRAGMA busy_timeout={round(seconds * 1000)}")


def _write_ahead(connection: Any) -> None:
    """Change the file to WAL, which is needed once: of concurrent tries one succeeds.

    SQLite does not wait here, whatever the timeout: two readers would wait for each other.
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
    """Begin a transaction; a writer takes the lock at once, as a later upgrade fails without waiting."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Translate errors of a database that is unavailable or full into our own."""
    try:
        yield
    except DataError as err:  # PostgreSQL does not store NUL, for example
        raise BadRequest(f"A text or number of the request cannot be stored: {err.orig}") from err
    except OperationalError as err:
        logger.warning("database error", words=str(err.orig))
        if "disk is full" in str(err.orig) or "No space left" in str(err.orig):
            raise DiskFull from err
        raise DatabaseUnavailable from err


def is_disk_full(err: OSError) -> bool:
    return err.errno in (errno.ENOSPC, errno.EDQUOT)
