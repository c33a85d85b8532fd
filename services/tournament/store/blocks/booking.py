"""Booking of results: each once, with its block's state and sums, its link in the chain and its events.

Reports that arrive at the same time are booked in one transaction, in order of arrival. Times are
ms since 1970, given by the caller.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import BigInteger, Connection, bindparam, case, insert, select, update
from sqlmodel import Session, col

from maumau.contest.export.chain import Booking, add_link
from maumau.errors import BadReport, BlockDropped, MaumauError, UnknownBlock
from services.shared.base.batcher import Batcher
from services.shared.store.connect import Database
from services.tournament.domain.event import Event, encode_event
from services.tournament.models import (
    Block,
    BlockFault,
    BlockResult,
    Contest,
    FirstRun,
    Job,
    Outbox,
    PlayedSeating,
    Worker,
)
from services.tournament.store.blocks.drop import DELETE_SEATINGS
from services.tournament.store.blocks.queue import (
    BlockClaim,
    check_lease,
    claim_of,
    find_block,
    lock_block,
    lock_contest,
    outbox,
    queue_again,
)
from services.tournament.store.blocks.worker import check_trust, is_calm, mark_done, note_done

DISTRUSTED = "This worker reported deals that were not played so; it books nothing more."


class BookedResult(NamedTuple):
    """A row of the results, without the fields that depend on those before it."""

    block_id: str
    scores: bytes
    records: bytes
    measured: bytes
    digest: str
    stored_at: int
    decisions: int = 0


class CheckedReport(NamedTuple):
    """A report to be booked for a claim under its fence. sums: "" of jobs at more than two seats.

    joined: put together from seatings played by themselves; otherwise any that were kept are discarded.
    settled: parts come from the block's first run, whose sets are no longer needed.
    """

    claim: BlockClaim
    fence: int
    result: BookedResult
    sums: str
    faults: Sequence[BlockFault]
    events: Sequence[Event]
    now: int
    joined: bool = False
    settled: bool = False


class Chain(NamedTuple):
    """The head of a contest's chain and its counters."""

    root: str
    chain: str
    booked: int
    changes: int

    def add(self, booking: Booking) -> "Chain":
        link = add_link(self.chain or self.root, booking)
        return Chain(self.root, link, self.booked + 1, self.changes + 1)


class JobChange(NamedTuple):
    """A transaction's change of a job. started_at: when the first of the booked blocks was claimed."""

    changes: int
    started_at: int


class Lease(NamedTuple):
    """The lease of a block for booking; calm, distrusted_at: of its worker."""

    id: str
    number: int
    state: str
    fence: int
    lease_until: int
    worker: str
    claimed_at: int
    distrusted_at: int
    calm: bool


@dataclass
class Batch:
    """The writes of a transaction, in order of arrival."""

    chains: dict[str, Chain]
    leases: dict[str, Lease]
    results: list[dict[str, Any]] = field(default_factory=list)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    seatings: dict[bool, list[dict[str, Any]]] = field(default_factory=lambda: {True: [], False: []})
    settled: list[dict[str, Any]] = field(default_factory=list)
    jobs: dict[str, JobChange] = field(default_factory=dict)
    workers: dict[str, int] = field(default_factory=dict)
    faults: list[BlockFault] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def add(self, report: CheckedReport) -> bool:
        """Add a report's writes; return False if it was booked before. Raise if it may not be booked."""
        claim = report.claim
        if (lease := self.leases.get(claim.block.id)) is None:
            raise UnknownBlock(f"There is no block {claim.block.id!r}.", thing=claim.block.id)
        if lease.state == "done" and lease.fence == report.fence:
            return False
        if lease.state == "dropped" and lease.fence == report.fence:
            raise BlockDropped
        check_lease(lease, report.fence, report.now)
        if lease.distrusted_at:
            raise BadReport(DISTRUSTED)
        self.leases[lease.id] = lease._replace(state="done")
        self._link_report(report, lease)
        self.blocks.append({"block": lease.id, "done": report.sums})
        self.seatings[report.joined].append({"played": lease.id})
        if report.settled:
            self.settled.append({"settled": lease.id})
        self.faults += report.faults
        if not lease.calm:
            self.workers[lease.worker] = report.now
        return True

    def _link_report(self, report: CheckedReport, lease: Lease) -> None:
        contest_id, job = report.claim.contest.id, report.claim.job
        booking = Booking(job.label, job.take, lease.number, report.result.digest)
        chain = self.chains[contest_id] = self.chains[contest_id].add(booking)
        self.results.append({**report.result._asdict(), "booking": chain.booked, "chain": chain.chain})
        before = self.jobs.get(job.id, JobChange(0, lease.claimed_at))
        self.jobs[job.id] = JobChange(chain.changes, min(before.started_at, lease.claimed_at))
        told = f"{chain.booked} {chain.chain}"
        for event in report.events:
            said = msgspec.structs.replace(event, chain=told) if event.kind == "block_done" else event
            self.events.append(
                {"contest_id": contest_id, "event": encode_event(said), "created_at": report.now}
            )

    def write(self, session: Session, connection: Connection) -> None:
        """Write everything, locking in a fixed order: tournament, contest, job, block, worker."""
        touched = [one["contest_id"] for one in self.events]
        chains = [
            {"contest": key, "booked_now": one.booked, "changed": one.changes, "link": one.chain}
            for key, one in self.chains.items()
            if key in touched
        ]
        _execute_rows(connection, CHAINED, chains)
        jobs = [
            {"job": key, "count": one.changes, "began": one.started_at}
            for key, one in sorted(self.jobs.items())
        ]
        _execute_rows(connection, CHANGED, jobs)
        _execute_rows(connection, DONE, self.blocks)
        _execute_rows(connection, SHRINK, self.seatings[True])
        _execute_rows(connection, DELETE_SEATINGS, self.seatings[False])
        _execute_rows(connection, EMPTY_FIRST_RUN, self.settled)
        _execute_rows(connection, insert(BlockResult), self.results)
        _execute_rows(connection, insert(Outbox), self.events)
        note_done(connection, self.workers)
        session.add_all(self.faults)


class Bookings:
    """Bookings of blocks' results."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._batcher = Batcher(self._book_reports)

    def find_claim(self, block_id: str) -> tuple[BlockClaim, int]:
        """Return a block's claim, and the fence of its first run, or 0 if none was kept."""
        with self.database.read() as session:
            first = session.scalar(FIRST_FENCE, {"block": block_id}) or 0
            return claim_of(session, find_block(session, block_id)), first

    def first_fence(self, block_id: str) -> int:
        """Return the fence of a block's first run, or 0 if none was kept."""
        with self.database.read() as session:
            return session.scalar(FIRST_FENCE, {"block": block_id}) or 0

    def first_run(self, block_id: str) -> FirstRun | None:
        """Return a block's first run with its sets; None without sets, or if a player of it is distrusted."""
        with self.database.read() as session:
            run = session.get(FirstRun, block_id)
            if run is None or not run.sets:
                return None
            players = run.players.strip("\n").split("\n")
            return run if all(check_trust(session, name) for name in players) else None

    def put_off(self, run: FirstRun, events: list[Event], now: int, until: int) -> bool:
        """Keep a block's first run, which has provisional faults, and queue the second.

        The second waits until `until` and starts without any seatings.

        Return False if this report was kept before. Raise BlockDropped if the second run is not needed.
        """
        with self.database.write() as session:
            contest = lock_contest(session, run.block_id)
            block, first = lock_block(session, run.block_id), session.get(FirstRun, run.block_id)
            if first and first.fence == run.fence:
                return False
            if block.state == "dropped" and block.fence == run.fence:
                raise BlockDropped
            check_lease(block, run.fence, now)
            if not check_trust(session, block.worker):
                raise BadReport(DISTRUSTED)
            mark_done(session, block.worker, now)
            if is_needed := queue_again(session, block):
                block.attempts, block.queued_at, block.rests_until = block.attempts - 1, now, until
                session.execute(DELETE_SEATINGS, {"played": run.block_id})
                session.add_all([run, *outbox(contest.id, events, now)])
        if not is_needed:
            raise BlockDropped
        return True

    def book_report(self, report: CheckedReport) -> bool:
        """Book a report; return False if it was booked before."""
        return self._batcher(report)

    def _book_reports(self, reports: Sequence[CheckedReport]) -> list[bool | Exception]:
        with self.database.write() as session:
            connection = session.connection()
            batch = _lock_blocks(connection, reports)
            answers = [_add_report(batch, report) for report in reports]
            batch.write(session, connection)
            return answers


def _add_report(batch: Batch, report: CheckedReport) -> bool | Exception:
    try:
        return batch.add(report)
    except MaumauError as err:
        return err


def _lock_blocks(connection: Connection, reports: Iterable[CheckedReport]) -> Batch:
    """Lock the contests and blocks of these reports, so that a chain grows by one booking at a time."""
    contests = sorted({one.claim.contest.id for one in reports})
    blocks = sorted({one.claim.block.id for one in reports})
    chains = {key: Chain(*row) for key, *row in connection.execute(LOCKED_CHAINS, {"contests": contests})}
    now = max(one.now for one in reports)
    rows = connection.execute(LOCKED_LEASES, {"blocks": blocks})
    leases = {row.id: Lease(*row[:7], row.distrusted_at or 0, calm=is_calm(row, now)) for row in rows}
    return Batch(chains, leases)


def _execute_rows(connection: Connection, statement: Any, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statement, rows)


LOCKED_CHAINS = (
    select(*(col(getattr(Contest, name)) for name in ("id", *Chain._fields)))
    .where(col(Contest.id).in_(bindparam("contests", expanding=True)))
    .order_by(col(Contest.id))
    .with_for_update(of=Contest, key_share=True)
)
LOCKED_LEASES = (
    select(
        *(col(getattr(Block, name)) for name in Lease._fields[:7]),
        *(col(getattr(Worker, name)) for name in ("distrusted_at", "seen_at", "in_row", "suspended_at")),
        col(Worker.words),
    )
    .outerjoin(Worker, col(Worker.name) == col(Block.worker))
    .where(col(Block.id).in_(bindparam("blocks", expanding=True)))
    .order_by(col(Block.id))
    .with_for_update(of=Block)
)
CHAINED = (
    update(Contest)
    .where(col(Contest.id) == bindparam("contest"))
    .values(booked=bindparam("booked_now"), changes=bindparam("changed"), chain=bindparam("link"))
)
BEGAN = bindparam("began", type_=BigInteger)
FIRST = case((col(Job.started_at).between(1, BEGAN), col(Job.started_at)), else_=BEGAN)
CHANGED = (
    update(Job).where(col(Job.id) == bindparam("job")).values(changed=bindparam("count"), started_at=FIRST)
)
DONE = update(Block).where(col(Block.id) == bindparam("block")).values(state="done", sums=bindparam("done"))
MINE = col(PlayedSeating.block_id) == bindparam("played")
SHRINK = update(PlayedSeating).where(MINE).values(sets=b"", measured=b"")
"""Of joined seatings only the players are kept."""
EMPTY_FIRST_RUN = update(FirstRun).where(col(FirstRun.block_id) == bindparam("settled")).values(sets=None)
FIRST_FENCE = select(col(FirstRun.fence)).where(col(FirstRun.block_id) == bindparam("block"))
