"""Workers: which there are, how they do, and what they failed at. Times are ms since 1970, by the caller."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, case, exists, func, select, text, update
from sqlmodel import Session, col

from services.shared.connect import Database
from services.shared.page import number_of
from services.shared.worker_name import NAME_END, host_of, host_prefix
from services.tournament.models import Block, Failure, Lack, Worker

PRESENT = 60_000  # ms since a worker was last heard of in which it counts as one that is there
FRESH = 5_000  # ms in which it is not written again that a worker was heard of
SHOWN = 24 * 3_600_000  # and in which it is listed

UPSERT = """
INSERT INTO worker (name, seen_at, in_row, failing_since, suspended_at, distrusted_at, words)
VALUES (:name, :now, 0, 0, 0, 0, '')
ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
"""
SEEN = text(UPSERT)
WELL = text(f"{UPSERT}, in_row = 0, failing_since = 0, suspended_at = 0, words = ''")
MEMORY = text("UPDATE worker SET memory = :memory WHERE name = :name")
DISTRUSTED = text("SELECT distrusted_at FROM worker WHERE name = :name")


_SUSPENDED_AT = case((col(Worker.suspended_at) > 0, col(Worker.suspended_at)))
CENSUS = select(func.count(), func.count(_SUSPENDED_AT), func.min(_SUSPENDED_AT), func.max(_SUSPENDED_AT))
CENSUS = CENSUS.where(col(Worker.seen_at) > bindparam("since"))


LAST_HEARD = select(func.max(col(Worker.seen_at))).where(col(Worker.suspended_at) == 0)


class Crew(NamedTuple):
    """The workers that are there. present: how many claim blocks; suspended: how many do not, because they
    failed their own test.

    suspended_since: when the first of those was suspended, 0 if none is. missing_since: since when no worker
    is present, 0 if one is. Both are ms since 1970.
    """

    present: int
    suspended: int
    suspended_since: int
    missing_since: int


class Workers:
    """What workers say of themselves, and what is shown of them."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def report(self, name: str, unfit: str, now: int) -> None:
        """A worker that failed several times in a row has tested itself. unfit: what it found, or nothing.

        What it failed at in this row is its own failure if it is unfit: it counts against no block.
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

    def distrust(self, name: str, words: str, now: int) -> None:
        """It reported deals that were not played so: it is given no more, whatever it says of itself.

        With the token of a host none of its workers is, nor one that it names later.
        """
        host = host_of(name)
        begins = col(Worker.name).startswith(host, autoescape=True) if host else col(Worker.name) == name
        theirs = select(Worker).where(
            begins, is_of_host(Worker.name, host_prefix(name))
        )  # the index, exactly
        theirs = theirs.order_by(col(Worker.name))
        with self.database.write() as session:
            for worker in session.scalars(theirs.with_for_update()):
                worker.distrusted_at = worker.suspended_at = now
                worker.words = words

    def heard(self, now: int, after: str = "") -> list[Worker]:
        """Those heard of within a day, the latest first; after "TIME NAME" of the last one already shown.

        The words of one that is fit say what it cannot play, if there is anything.
        """
        lately = select(Worker).where(col(Worker.seen_at) > now - SHOWN)
        if after:
            at, _, name = after.partition(" ")
            seen_at, last = col(Worker.seen_at), number_of(at) or 0
            lately = lately.where((seen_at < last) | ((seen_at == last) & (col(Worker.name) > name)))
        with self.database.read() as session:
            found = list(session.scalars(lately.order_by(col(Worker.seen_at).desc(), col(Worker.name))))
            both = select(col(Lack.worker), func.min(col(Lack.words))).group_by(col(Lack.worker))
            words = {row[0]: row[1] for row in session.execute(both)}
        for one in found:
            one.words = one.words or words.get(one.name, "")
        return found

    def census(self, now: int) -> tuple[int, int]:
        """How many are there, and how many of those claim nothing because they failed their own test."""
        with self.database.read() as session:
            there, suspended, _, _ = session.execute(CENSUS, {"since": now - PRESENT}).one()
            return there - suspended, suspended

    def count_crew(self, now: int) -> Crew:
        """The same, and since when it is so."""
        with self.database.read() as session:
            there, suspended, first, last = session.execute(CENSUS, {"since": now - PRESENT}).one()
            heard = session.scalar(LAST_HEARD) or 0
        present = there - suspended
        return Crew(present, suspended, first or 0, 0 if present else max(heard + PRESENT, last or 0))

    def lacking(self, now: int) -> dict[str, str]:
        """Hashes of rules and programs that no worker there can play, and why in words."""
        both = select(col(Lack.hash), func.min(col(Lack.words))).join(
            Worker, col(Worker.name) == col(Lack.worker)
        )
        with self.database.read() as session:
            here = count_present(session, now)
            all_of_them = both.where(*is_present(now)).group_by(col(Lack.hash)).having(func.count() >= here)
            return {row[0]: row[1] for row in session.execute(all_of_them)}


def present(now: Any) -> Any:
    """There is a worker that claims."""
    return exists().where(*is_present(now))


def count_present(session: Session, now: int) -> int:
    return session.scalar(select(func.count()).select_from(Worker).where(*is_present(now))) or 0


def is_present(now: Any) -> tuple[Any, ...]:
    return col(Worker.seen_at) > now - PRESENT, col(Worker.suspended_at) == 0


def is_of_host(worker: Any, prefix: Any) -> ColumnElement[bool]:
    """Whether the name is one of a host, of which the `host_prefix` is given."""
    begins: ColumnElement[bool] = func.substr(col(worker) + NAME_END, 1, func.length(prefix)) == prefix
    return begins


def prefix_of_machine(worker: Any) -> ColumnElement[str]:
    """`machine_prefix` of a column of workers' names."""
    name: Any = col(worker)
    rest = func.ltrim(name, func.replace(name, "/", ""))  # from the first slash on
    until_dash = func.rtrim(name, func.replace(name, "-", ""))  # up to the last dash
    return case(
        (rest != "", func.substr(name, 1, func.length(name) - func.length(rest) + 1)),
        (until_dash.in_(("", "-")), name + "-"),
        else_=until_dash,
    )


def failed_at(block_id: Any, forgiven: Any) -> Any:
    """Somebody failed at this block, fit or not."""
    return exists().where(col(Failure.block_id) == block_id, col(Failure.fence) > forgiven)


class Caller(NamedTuple):
    """A worker that asks. lacks: the hashes of rules and programs that it cannot play."""

    distrusted: bool
    lacks: frozenset[str]


CALLERS = (
    select(
        col(Worker.name), col(Worker.seen_at), col(Worker.distrusted_at), col(Worker.memory), col(Lack.hash)
    )
    .outerjoin(Lack, col(Lack.worker) == col(Worker.name))
    .where(col(Worker.name).in_(bindparam("names", expanding=True)))
)


def note_callers(
    connection: Connection, heard: Mapping[str, int], memory: Mapping[str, int] | None = None
) -> dict[str, Caller]:
    """Workers that were heard of, each with when; by name. Written in one order, which locks them in one.

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
    """A new worker with the token of a host of which nothing is believed."""
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
    """A clock that was set back is a reason to write, too."""
    return abs(now - seen_at) < FRESH


def is_calm(row: Any, now: int) -> bool:
    """Nothing of a worker changes by another result. row: its columns, None where it is unknown."""
    known = row.seen_at is not None and _is_fresh(row.seen_at, now)
    return known and not (row.in_row or row.suspended_at or row.words)


def check_trust(session: Session, name: str) -> bool:
    """Whether what this worker reports may be booked."""
    return not session.scalar(DISTRUSTED, {"name": name})


def mark_done(session: Session, name: str, now: int) -> None:
    """It brought a result: whatever it failed at before, it works."""
    session.execute(WELL, {"name": name, "now": now})


def note_done(connection: Connection, workers: Mapping[str, int]) -> None:
    """The same of several, each with when."""
    if workers:
        connection.execute(WELL, [{"name": name, "now": workers[name]} for name in sorted(workers)])


def note_failure(session: Session, block: Block, words: str, now: int) -> None:
    """The claim that a block is under came to nothing."""
    block.words = words
    worker = session.get(Worker, block.worker, with_for_update=True) or Worker(name=block.worker)
    worker.in_row, worker.failing_since = worker.in_row + 1, worker.failing_since or now
    failure = Failure(
        block_id=block.id, fence=block.fence, contest_id=block.contest_id, worker=block.worker,
        stored_at=now, in_row=worker.in_row, unfit=worker.suspended_at > 0,
    )  # fmt: skip
    session.add_all([worker, failure])
