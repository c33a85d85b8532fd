"""Blocks and their leases: who may play what, for how long. Times are ms since 1970, given by the caller."""

from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update
from sqlmodel import Session, col

from maumau.contest.chain import Booking, add_link
from maumau.errors import BlockDropped, NoProgress, StaleFence, UnknownBlock
from services.shared.auth import OWN
from services.shared.connect import Database
from services.tournament.event import Event, encode
from services.tournament.models import (
    Block,
    BlockResult,
    Contest,
    Failure,
    Fault,
    FirstRun,
    Job,
    JobSeat,
    Outbox,
    Worker,
)
from services.tournament.store.worker import failed_at, mark_done, mark_seen, note_failure, present

LEFT_TO_OTHERS = 60_000  # ms that the worker of a first run leaves the second to others
LONGEST_REST = 60_000  # ms; no block is told to rest as long: where one does, the clock was set back since


class Claim(NamedTuple):
    """A block with what it belongs to; seats by position."""

    block: Block
    job: Job
    contest: Contest
    seats: list[JobSeat]


class Queue:
    """The leases. `house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, *, house_only: bool = False) -> None:
        self.database = database
        playable = belongs(("open",), ("running",))
        self.playable = and_(playable, ~_strange()) if house_only else playable

    def claim(self, block_id: str, worker: str, now: int, until: int) -> Claim | None:
        """Takes a queued block; None if there is nothing to take, or it is left to other workers."""
        left = _left_to_others(worker, now)
        taken = (
            update(Block)
            .where(col(Block.id) == block_id, *self._waiting(now), ~left)
            .values(
                state="claimed", fence=Block.fence + 1, attempts=Block.attempts + 1, worker=worker,
                claimed_at=now, progress_at=now, lease_until=until, deals_done=0, excused=False,
            )
            .returning(Block)
        )  # fmt: skip
        with self.database.write() as session:
            block = session.execute(taken).scalar_one_or_none()
            if block is None:  # whoever leaves it has used up the message: another one is sent
                session.execute(update(Block).where(col(Block.id) == block_id, left).values(woken_at=0))
            mark_seen(session, worker, now)
            return block and _claim(session, block)

    def find(self, block_id: str) -> Claim:
        with self.database.read() as session:
            return _claim(session, find_block(session, block_id))

    def renew(
        self, block_id: str, fence: int, deals: int, now: int, until: int, patience: int
    ) -> Claim | None:
        """Keeps the lease; None if the block is not needed any more, and then it is dropped.

        A worker that got on with nothing for `patience` ms keeps nothing.
        """
        with self.database.write() as session:
            claim = _claim(session, lock_block(session, block_id))
            block = claim.block
            if _dropped(claim, fence):
                block.state = "dropped"
                return None
            _hold(block, fence, now)
            mark_seen(session, block.worker, now)
            if deals > block.deals_done:
                block.deals_done, block.progress_at = deals, now
            elif now - block.progress_at > patience:
                raise NoProgress
            block.lease_until = until
            return claim

    def give_back(self, block_id: str, fence: int, words: str, now: int, until: int) -> None:
        """Ends a lease. With words of what went wrong the attempt counts, and the block waits to `until`."""
        with self.database.write() as session:
            claim = _claim(session, lock_block(session, block_id))
            block = claim.block
            if _dropped(claim, fence):
                block.state = "dropped"
                return
            _hold(block, fence, now)
            if words:
                block.rests_until = until
                note_failure(session, block, words, now)
            else:
                block.attempts -= 1
            queue_again(block)

    def check(self, block: Block, fence: int, now: int) -> None:
        """Raises StaleFence early, before a report is looked at, if it can only be refused."""
        with self.database.read() as session:
            first = session.get(FirstRun, block.id)
        if block.state in {"queued", "claimed", "void"} and not (first and first.fence == fence):
            _hold(block, fence, now)

    def is_second_run(self, block_id: str, fence: int) -> bool:
        """Whether this claim of a block came after its first run was kept."""
        earlier = col(FirstRun.block_id) == block_id, col(FirstRun.fence) < fence
        with self.database.read() as session:
            return session.scalar(select(col(FirstRun.fence)).where(*earlier)) is not None

    def put_off(self, run: FirstRun, events: list[Event], now: int, until: int) -> bool:
        """Keeps a block's first run, in which a program ran out of time; the second waits to `until`.

        False if this report was kept before.
        """
        with self.database.write() as session:
            lock_contest(session, run.block_id)
            claim = _claim(session, lock_block(session, run.block_id))
            block, first = claim.block, session.get(FirstRun, run.block_id)
            if first and first.fence == run.fence:
                return False
            if block.state == "dropped" and block.fence == run.fence:
                raise BlockDropped
            _hold(block, run.fence, now)
            queue_again(block)
            block.attempts, block.queued_at, block.rests_until = block.attempts - 1, now, until
            mark_done(session, block.worker, now)
            session.add_all([run, *outbox(claim.contest.id, events, now)])
            return True

    def book(
        self, result: BlockResult, fence: int, faults: list[Fault], events: list[Event], now: int
    ) -> bool:
        """Stores a result with the block's state, its link of the contest's chain and its events.

        False if this report was stored before.
        """
        with self.database.write() as session:
            lock_contest(session, result.block_id)
            claim = _claim(session, lock_block(session, result.block_id))
            block = claim.block
            if block.state == "done" and block.fence == fence:
                return False
            if block.state == "dropped" and block.fence == fence:
                raise BlockDropped
            _hold(block, fence, now)
            block.state = "done"
            mark_done(session, block.worker, now)
            told = _link(claim, result)
            session.add_all([result, *faults])
            session.add_all(outbox(claim.contest.id, [_tell(event, told) for event in events], now))
            return True

    def wake(self, before: int, now: int) -> list[str]:
        """Ids of blocks that wait for a worker and that no message names: they count as sent now.

        Those are blocks not sent since they were queued, and blocks last sent before `before`.
        The first blocks of all matches come before the second: they are the nearest to a decision.
        """
        due = select(col(Block.id)).where(col(Block.woken_at) < max(before, 1), *self._waiting(now))
        with self.database.write() as session:
            ordered = due.order_by(col(Block.number), col(Block.id)).with_for_update(skip_locked=True)
            ids = list(session.scalars(ordered))
            for start in range(0, len(ids), 500):
                some = update(Block).where(col(Block.id).in_(ids[start : start + 500]))
                session.execute(some.values(woken_at=now))
            return ids

    def waiting(self, now: int) -> int:
        """How many blocks wait for a worker: the broker should hold at least as many messages."""
        with self.database.read() as session:
            return session.scalar(select(func.count()).select_from(Block).where(*self._waiting(now))) or 0

    def _waiting(self, now: int) -> tuple[ColumnElement[bool], ...]:
        rested = or_(col(Block.rests_until) <= now, col(Block.rests_until) > now + LONGEST_REST)
        return col(Block.state) == "queued", rested, self.playable

    def forget(self, ids: list[str]) -> None:
        """These were not sent after all."""
        with self.database.write() as session:
            session.execute(update(Block).where(col(Block.id).in_(ids)).values(woken_at=0))

    def census(self) -> tuple[dict[str, int], int]:
        """How many blocks are in each state, and since when the oldest has been queued (0: none is)."""
        with self.database.read() as session:
            counts = session.execute(select(col(Block.state), func.count()).group_by(col(Block.state)))
            oldest = select(func.min(col(Block.queued_at))).where(col(Block.state) == "queued", self.playable)
            return {row[0]: row[1] for row in counts}, session.scalar(oldest) or 0


def _left_to_others(worker: str, now: int) -> ColumnElement[bool]:
    """Another worker shall play it if there is one: this one failed at it, or played its first run lately."""
    failed = failed_at(Block.id, Block.forgiven).where(col(Failure.worker) == worker)
    others = present(now).where(col(Worker.name) != worker)
    failed_too = failed_at(Block.id, Block.forgiven).where(col(Failure.worker) == col(Worker.name))
    first = exists().where(col(FirstRun.block_id) == Block.id, col(FirstRun.worker) == worker)
    lately = col(Block.rests_until).between(now - LEFT_TO_OTHERS + 1, now + LONGEST_REST)
    return and_(
        col(Block.state) == "queued",
        or_(and_(failed, others.where(~failed_too)), and_(first, lately, others)),
    )


def belongs(jobs: tuple[str, ...], contests: tuple[str, ...]) -> ColumnElement[bool]:
    """The block's job and its contest are in one of these states."""
    return exists().where(
        col(Job.id) == Block.job_id,
        col(Job.state).in_(jobs),
        col(Contest.id) == Block.contest_id,
        col(Contest.state).in_(contests),
    )


def _strange() -> ColumnElement[bool]:
    """A program of the block's job is not of one of the arena's own accounts."""
    return exists().where(col(JobSeat.job_id) == Block.job_id, col(JobSeat.account_name).not_in(OWN))


def find_block(session: Session, block_id: str) -> Block:
    return _one_block(session, block_id, select(Block).where(col(Block.id) == block_id))


def lock_block(session: Session, block_id: str) -> Block:
    """As it stands now, and nobody else changes it."""
    mine = select(Block).where(col(Block.id) == block_id).with_for_update()
    return _one_block(session, block_id, mine.execution_options(populate_existing=True))


def _one_block(session: Session, block_id: str, query: Any) -> Block:
    if (block := session.scalars(query).one_or_none()) is None:
        raise UnknownBlock(f"There is no block {block_id!r}.")
    return cast("Block", block)


def _claim(session: Session, block: Block) -> Claim:
    job, contest = session.get_one(Job, block.job_id), session.get_one(Contest, block.contest_id)
    seats = select(JobSeat).where(col(JobSeat.job_id) == job.id).order_by(col(JobSeat.position))
    return Claim(block, job, contest, list(session.scalars(seats)))


def lock_contest(session: Session, block_id: str) -> Contest:
    """That of a block. Locks in one order: tournament, contest, job, block, worker.

    A contest's chain grows by one booking after the other.
    """
    mine = (
        select(Contest).join(Block, col(Block.contest_id) == col(Contest.id)).where(col(Block.id) == block_id)
    )
    contest: Contest | None = session.scalars(mine.with_for_update(of=Contest, key_share=True)).one_or_none()
    if contest is None:
        raise UnknownBlock(f"There is no block {block_id!r}.")
    return contest


def queue_again(block: Block) -> None:
    """It waits for a worker, and for a message to one."""
    block.state, block.woken_at = "queued", 0


def _link(claim: Claim, result: BlockResult) -> str:
    """Adds a result to the contest's chain; what watchers are told of it."""
    contest, job = claim.contest, claim.job
    booking = Booking(job.label, job.take, claim.block.number, result.digest)
    contest.booked, contest.changes = contest.booked + 1, contest.changes + 1
    contest.chain = add_link(contest.chain or contest.root, booking)
    result.booking, result.chain = contest.booked, contest.chain
    return f"{contest.booked} {contest.chain}"


def _tell(event: Event, chain: str) -> Event:
    return msgspec.structs.replace(event, chain=chain) if event.kind == "block_done" else event


def _dropped(claim: Claim, fence: int) -> bool:
    """The holder of this fence need not go on."""
    if claim.block.fence != fence or claim.block.state not in {"claimed", "dropped"}:
        return False
    return "over" in {claim.job.state, claim.contest.state} or claim.block.state == "dropped"


def _hold(block: Block, fence: int, now: int) -> None:
    """Raises StaleFence unless the lease of this fence still holds."""
    if block.fence != fence:
        raise StaleFence
    if block.state != "claimed" or block.lease_until < now:
        raise StaleFence("The lease has run out; the block goes to another worker.")


def outbox(contest_id: str, events: list[Event], now: int) -> list[Outbox]:
    return [Outbox(contest_id=contest_id, event=encode(event), created_at=now) for event in events]


def count_rows(result: object) -> int:
    return int(getattr(result, "rowcount", 0))
