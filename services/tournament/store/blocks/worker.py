"""Workers: presence, health and failures. Times are ms since 1970, given by the caller."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, case, exists, func, or_, select, text, update
from sqlmodel import Session, col

from services.shared.base.page import number_of
from services.shared.base.worker_name import NAME_END, host_of, host_prefix
from services.shared.store.connect import Database
from services.tournament.models import Block, Failure, Lack, Worker

PRESENT = 60_000  # ms after a worker's last call during which it counts as present
FRESH = 5_000  # ms during which another call of a worker is not written again
SHOWN = 24 * 3_600_000  # ms after its last call during which it is listed

UPSERT = """
INSERT INTO worker (name, seen_at, in_row, failing_since, suspended_at, distrusted_at, words)
VALUES (:name, :now, 0, 0, 0, 0, '')
ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, ended_at = 0
"""
SEEN = text(UPSERT)
WELL = text(f"{UPSERT}, in_row = 0, failing_since = 0, suspended_at = 0, words = ''")
MEMORY = text("UPDATE worker SET memory = :memory WHERE name = :name")
DISTRUSTED = text("SELECT distrusted_at FROM worker WHERE name = :name")


_SUSPENDED_AT = case((col(Worker.suspended_at) > 0, col(Worker.suspended_at)))
CENSUS = select(func.count(), func.count(_SUSPENDED_AT), func.min(_SUSPENDED_AT), func.max(_SUSPENDED_AT))
CENSUS = CENSUS.where(col(Worker.seen_at) > bindparam("since"), col(Worker.ended_at) == 0)

_HAS_ENDED = col(Worker.ended_at) > 0
_ABSENT_SINCE = case((_HAS_ENDED, col(Worker.ended_at)), else_=col(Worker.seen_at) + PRESENT)
_LATEST = (
    select(_ABSENT_SINCE.label("absent_since")).where(col(Worker.suspended_at) == 0)
    .order_by(col(Worker.seen_at).desc()).limit(1000).subquery()
)  # fmt: skip
LAST_PRESENT = select(func.max(_LATEST.c.absent_since))
"""Time at which the last worker was present, from the most recently seen ones: no other was present later."""


class Crew(NamedTuple):
    """The workers that are present.

    present: how many claim blocks; suspended: how many do not, because they failed their self-test.

    suspended_since: when the first of those was suspended, 0 if none is. missing_since: time since which no
    worker is present, 0 if one is. Both are ms since 1970.
    """

    present: int
    suspended: int
    suspended_since: int
    missing_since: int


class Workers:
    """Reports of workers on themselves, and lists of them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def record_presence(self, name: str, now: int) -> None:
        """Record that a worker is present."""
        with self.database.write() as session:
            note_callers(session.connection(), {name: now})

    def record_end(self, name: str, now: int) -> None:
        """Record that a worker ends: it is neither present nor silent from now on."""
        with self.database.write() as session:
            note_callers(session.connection(), {name: now})
            session.execute(update(Worker).where(col(Worker.name) == name).values(seen_at=now, ended_at=now))

    def record_self_test(self, name: str, unfit: str, now: int) -> None:
        """Record the self-test of a worker that failed several times in a row. unfit: its finding, or "".

        Failures of a worker that proves unfit are its own: they count against no block.
        """
        with self.database.write() as session:
            note_callers(session.connection(), {name: now})
            worker = session.get_one(Worker, name, with_for_update=True)
            if worker.distrusted_at:
                return
            worker.words = unfit
            if not unfit:
                worker.suspended_at = worker.in_row = worker.failing_since = 0
                return
            worker.suspended_at = worker.suspended_at or now
            if worker.failing_since:
                row = col(Failure.worker) == name, col(Failure.stored_at) >= worker.failing_since
                session.execute(update(Failure).where(*row).values(unfit=True))

    def distrust_worker(self, name: str, words: str, now: int) -> None:
        """Distrust a worker that reported deals that were not played so: it gets no more blocks.

        If its token is of a host, this holds for all its workers, including ones named later.
        """
        host = host_of(name)
        begins = col(Worker.name).startswith(host, autoescape=True) if host else col(Worker.name) == name
        theirs = select(Worker).where(
            begins, is_of_host(Worker.name, host_prefix(name))
        )  # the index serves the prefix, this condition is exact
        theirs = theirs.order_by(col(Worker.name))
        with self.database.write() as session:
            for worker in session.scalars(theirs.with_for_update()):
                worker.distrusted_at = worker.suspended_at = now
                worker.words = words

    def list_heard(self, now: int, after: str = "") -> list[Worker]:
        """Return workers heard of within a day, latest first; after "TIME NAME" of the last one shown.

        Those that said that they end are left out, unless they are distrusted. For a fit worker, words say
        what it cannot play, if anything.
        """
        lately = select(Worker).where(col(Worker.seen_at) > now - SHOWN)
        lately = lately.where(or_(~_HAS_ENDED, col(Worker.distrusted_at) > 0))
        if after:
            at, _, name = after.partition(" ")
            seen_at, last = col(Worker.seen_at), number_of(at) or 0
            lately = lately.where((seen_at < last) | ((seen_at == last) & (col(Worker.name) > name)))
        with self.database.read() as session:
            found = list(session.scalars(lately.order_by(col(Worker.seen_at).desc(), col(Worker.name))))
            both = select(col(Lack.worker), func.min(col(Lack.words))).group_by(col(Lack.worker))
            theirs = both.where(col(Lack.worker).in_([one.name for one in found]))
            words = {row[0]: row[1] for row in session.execute(theirs)}
        for one in found:
            one.words = one.words or words.get(one.name, "")
        return found

    def count_present(self, now: int) -> tuple[int, int]:
        """Return the number of workers present, and of those suspended for failing their self-test."""
        with self.database.read() as session:
            there, suspended, _, _ = session.execute(CENSUS, {"since": now - PRESENT}).one()
            return there - suspended, suspended

    def count_crew(self, now: int) -> Crew:
        """Return these counts with the times since which they hold."""
        with self.database.read() as session:
            there, suspended, first, last = session.execute(CENSUS, {"since": now - PRESENT}).one()
            since = session.scalar(LAST_PRESENT) or PRESENT
        present = there - suspended
        return Crew(present, suspended, first or 0, 0 if present else max(since, last or 0))

    def list_lacking(self, now: int) -> dict[str, str]:
        """Return hashes of rules and programs that no present worker can play, with the reason."""
        both = select(col(Lack.hash), func.min(col(Lack.words))).join(
            Worker, col(Worker.name) == col(Lack.worker)
        )
        with self.database.read() as session:
            here = count_present(session, now)
            all_of_them = both.where(*is_present(now)).group_by(col(Lack.hash)).having(func.count() >= here)
            return {row[0]: row[1] for row in session.execute(all_of_them)}


def present(now: Any) -> Any:
    """Return True if a worker that may claim is present."""
    return exists().where(*is_present(now))


def count_present(session: Session, now: int) -> int:
    return session.scalar(select(func.count()).select_from(Worker).where(*is_present(now))) or 0


def is_present(now: Any) -> tuple[Any, ...]:
    return col(Worker.seen_at) > now - PRESENT, col(Worker.suspended_at) == 0, ~_HAS_ENDED


def is_of_host(worker: Any, prefix: Any) -> ColumnElement[bool]:
    """Return True if the worker belongs to the host with this `host_prefix`."""
    begins: ColumnElement[bool] = func.substr(col(worker) + NAME_END, 1, func.length(prefix)) == prefix
    return begins


def prefix_of_machine(worker: Any) -> ColumnElement[str]:
    """Return the `machine_prefix` of a column of workers' names."""
    name: Any = col(worker)
    rest = func.ltrim(name, func.replace(name, "/", ""))  # from the first slash on
    until_dash = func.rtrim(name, func.replace(name, "-", ""))  # up to the last dash
    return case(
        (rest != "", func.substr(name, 1, func.length(name) - func.length(rest) + 1)),
        (until_dash.in_(("", "-")), name + "-"),
        else_=until_dash,
    )


def failed_at(block_id: Any, forgiven: Any) -> Any:
    """Return True if any worker failed at this block, fit or not."""
    return exists().where(col(Failure.block_id) == block_id, col(Failure.fence) > forgiven)


class Caller(NamedTuple):
    """A worker that calls. lacks: the hashes of rules and programs that it cannot play."""

    distrusted: bool
    lacks: frozenset[str]


CALLERS = (
    select(
        col(Worker.name),
        case((_HAS_ENDED, 0), else_=col(Worker.seen_at)),
        col(Worker.distrusted_at),
        col(Worker.memory),
        col(Lack.hash),
    )
    .outerjoin(Lack, col(Lack.worker) == col(Worker.name))
    .where(col(Worker.name).in_(bindparam("names", expanding=True)))
)


def note_callers(
    connection: Connection, heard: Mapping[str, int], memory: Mapping[str, int] | None = None
) -> dict[str, Caller]:
    """Record the calls of workers, each with its time; return them by name. Rows are locked in one order.

    memory: of those that ask for blocks.
    """
    known: dict[str, int] = {}
    seen: dict[str, int] = {}
    distrusted: set[str] = set()
    lacks: dict[str, set[str]] = {name: set() for name in heard}
    for name, seen_at, distrusted_at, mib, lack in connection.execute(CALLERS, {"names": sorted(heard)}):
        seen[name], known[name] = seen_at, mib
        if distrusted_at:
            distrusted.add(name)
        if lack:
            lacks[name].add(lack)
    late = [name for name, now in sorted(heard.items()) if not _is_fresh(seen.get(name, 0), now)]
    if late:
        connection.execute(SEEN, [{"name": name, "now": heard[name]} for name in late])
    asked = sorted((memory or {}).items())
    if other := [{"name": name, "memory": mib} for name, mib in asked if known.get(name, 0) != mib]:
        connection.execute(MEMORY, other)
    for name in late:
        if name not in seen and _inherits_distrust(connection, name):
            distrusted.add(name)
    return {name: Caller(name in distrusted, frozenset(lacks[name])) for name in heard}


def _inherits_distrust(connection: Connection, name: str) -> bool:
    """Return True if a new worker's host is distrusted, and mark the worker likewise."""
    names = "distrusted_at", "suspended_at", "words"
    columns = (col(getattr(Worker, one)) for one in names)
    theirs = is_of_host(Worker.name, host_prefix(name)), col(Worker.distrusted_at) > 0
    if (row := connection.execute(select(*columns).where(*theirs).limit(1)).first()) is None:
        return False
    connection.execute(
        update(Worker).where(col(Worker.name) == name).values(dict(zip(names, row, strict=True)))
    )
    return True


def _is_fresh(seen_at: int, now: int) -> bool:
    """Return True if the last call was written lately; after a clock is set back, write again."""
    return abs(now - seen_at) < FRESH


def is_calm(row: Any, now: int) -> bool:
    """Return True if a result changes nothing about its worker. row: its columns, None if unknown."""
    known = row.seen_at is not None and _is_fresh(row.seen_at, now)
    return known and not (row.in_row or row.suspended_at or row.words)


def check_trust(session: Session, name: str) -> bool:
    """Return True if reports of this worker may be booked."""
    return not session.scalar(DISTRUSTED, {"name": name})


def mark_done(session: Session, name: str, now: int) -> None:
    """Record a result of a worker, which clears its failures and its suspension."""
    session.execute(WELL, {"name": name, "now": now})


def note_done(connection: Connection, workers: Mapping[str, int]) -> None:
    """Record results of several workers, each with its time, as `mark_done` does."""
    if workers:
        connection.execute(WELL, [{"name": name, "now": workers[name]} for name in sorted(workers)])


def note_failure(session: Session, block: Block, words: str, now: int) -> None:
    """Record that the current claim of a block failed."""
    block.words = words
    worker = session.get(Worker, block.worker, with_for_update=True) or Worker(name=block.worker)
    worker.in_row, worker.failing_since = worker.in_row + 1, worker.failing_since or now
    failure = Failure(
        block_id=block.id,
        fence=block.fence,
        contest_id=block.contest_id,
        worker=block.worker,
        stored_at=now,
        in_row=worker.in_row,
        unfit=worker.suspended_at > 0,
    )
    session.add_all([worker, failure])
