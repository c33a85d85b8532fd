"""Blocks and their leases: who may play what, for how long. Times are ms since 1970, given by the caller."""

from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import BigInteger, ColumnElement, String, and_, bindparam, exists, func, or_, select, update
from sqlmodel import Session, col

from maumau.contest.chain import Booking, add_link
from maumau.contest.score import BlockSums
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
    Lack,
    Outbox,
    Tournament,
    Worker,
)
from services.tournament.pack import write_sums
from services.tournament.store.worker import failed_at, lacks, mark_done, mark_seen, note_failure, present
from services.tournament.turn import Share, Turns

LEFT_TO_OTHERS = 60_000  # ms that the worker of a first run leaves the second to others
LONGEST_REST = 60_000  # ms; no block is told to rest as long: where one does, the clock was set back since
ASKER = bindparam("asker", type_=String)
NOW, UNTIL, MEMORY = (bindparam(name, type_=BigInteger) for name in ("now", "until", "memory"))
"""In place of values in the statements of every block: to put one together costs more than to ask it."""


class Claim(NamedTuple):
    """A block with what it belongs to; seats by position."""

    block: Block
    job: Job
    contest: Contest
    seats: list[JobSeat]


class Asker(NamedTuple):
    """A worker that asks for a block. memory: MiB for all of its programs, 0 if it does not say."""

    worker: str
    memory: int = 0


class Line(NamedTuple):
    """A contest that runs. waiting, playing: its blocks; since: when the first that waits was queued, or 0.

    name: of the tournament, "" for other contests. booked: its results. place: of its next block, from 1.
    """

    contest: Contest
    name: str
    waiting: int
    playing: int
    since: int
    place: int


class OwnMatch(NamedTuple):
    """A job with a program of an account. waiting, playing: its blocks."""

    contest_id: str
    label: str
    bots: list[str]
    waiting: int
    playing: int


class Queue:
    """The leases. `house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, *, house_only: bool = False) -> None:
        self.database, self.house_only = database, house_only
        self.turns = Turns()
        playable = belongs(("open",), ("running",))
        self.playable = and_(playable, ~_strange()) if house_only else playable
        self._shares, self._taken = _list_shares(), _take_block()
        self._next, self._named = self._first(col(Block.contest_id)), self._first(col(Block.id))

    def claim(self, asker: Asker, now: int, until: int) -> Claim | None:
        """The block whose turn it is, of those that this worker can play; None if there is none.

        What this costs depends on how many contests run and how many blocks are played, not on how many wait.
        """
        with self.database.write() as session:
            if not mark_seen(session, asker.worker, now):
                return None
            told = {"asker": asker.worker, "memory": asker.memory}
            shares = [Share(*row) for row in session.execute(self._shares, told)]
            running = {share.contest_id for share in shares}
            for contest_id in self.turns.order(shares):
                if block := self._take(session, self._next, contest_id, asker, now, until):
                    self.turns.serve(contest_id, running)
                    return _claim(session, block)
            return None

    def lines(self) -> list[Line]:
        """The contests that run: first those that wait, in the order in which they get the next workers."""
        theirs = col(Block.contest_id) == Contest.id
        waiting, playing = (_count(state, theirs) for state in ("queued", "claimed"))
        queued = select(col(Block.queued_at)).where(theirs, col(Block.state) == "queued")
        since = queued.order_by(col(Block.number), col(Block.id)).limit(1).scalar_subquery()
        rows = select(Contest, col(Tournament.name), waiting, playing, since)
        rows = rows.outerjoin(Tournament, col(Tournament.id) == col(Contest.id))
        with self.database.read() as session:
            found = session.execute(rows.where(col(Contest.state) == "running")).all()
        shares = [
            Share(one.id, one.purpose, one.author, busy or 0, bool(wait)) for one, _, wait, busy, _ in found
        ]
        places = {
            contest_id: place for place, contest_id in enumerate(self.turns.look_ahead(shares), start=1)
        }
        lines = [
            Line(one, name or "", wait or 0, busy or 0, since or 0, places.get(one.id, 0))
            for one, name, wait, busy, since in found
        ]
        return sorted(lines, key=lambda line: (not line.place, line.place, line.contest.id))

    def matches(self, account: str, most: int) -> list[OwnMatch]:
        """Jobs with a program of this account that wait or are being played, these first."""
        own = exists().where(col(JobSeat.job_id) == Job.id, col(JobSeat.account_name) == account)
        waiting, playing = (_count(state, col(Block.job_id) == Job.id) for state in ("queued", "claimed"))
        under_way = col(Block.job_id) == Job.id, col(Block.state).in_(("queued", "claimed"))
        jobs = select(col(Job.id), col(Job.contest_id), col(Job.label), waiting, playing)
        jobs = jobs.join(Contest, col(Contest.id) == col(Job.contest_id)).where(
            col(Contest.state) == "running",
            col(Contest.purpose) != "audit",
            col(Job.state) == "open",
            own,
            exists().where(*under_way),
        )
        jobs = jobs.order_by(playing == 0, col(Job.contest_id), col(Job.id)).limit(most)
        with self.database.read() as session:
            found = session.execute(jobs).all()
            seats = select(col(JobSeat.job_id), col(JobSeat.bot_name)).order_by(col(JobSeat.position))
            names: dict[str, list[str]] = {}
            for job_id, name in session.execute(
                seats.where(col(JobSeat.job_id).in_([one.id for one in found]))
            ):
                names.setdefault(job_id, []).append(name)
        return [OwnMatch(contest, label, names[job], *counts) for job, contest, label, *counts in found]

    def booked(self) -> dict[str, int]:
        """How many results each contest that runs has."""
        both = select(col(Contest.id), col(Contest.booked)).where(col(Contest.state) == "running")
        with self.database.read() as session:
            return {row.id: row.booked for row in session.execute(both)}

    def claim_block(self, block_id: str, asker: Asker, now: int, until: int) -> Claim | None:
        """This block and none other; None if it is not to be had, or not by this worker."""
        with self.database.write() as session:
            if not mark_seen(session, asker.worker, now):
                return None
            block = self._take(session, self._named, block_id, asker, now, until)
            return _claim(session, block) if block else None

    def _take(
        self, session: Session, first: Any, key: str, asker: Asker, now: int, until: int
    ) -> Block | None:
        """The first block that has this key, taken by who asks."""
        told = {"asker": asker.worker, "now": now}
        block_id = session.scalar(first, {"key": key, **told})
        taken = {"block": block_id, "until": until, **told}
        return session.execute(self._taken, taken).scalar_one_or_none() if block_id else None

    def _first(self, key: Any) -> Any:
        """The first of the blocks with a key that is queued and that this worker may have."""
        mine = ~_lacks_program(ASKER), ~_left_to_others(ASKER, NOW), ~_barred(ASKER)
        first = select(col(Block.id)).where(key == bindparam("key"), *self._waiting(NOW), *mine)
        first = first.order_by(col(Block.number), col(Block.id)).limit(1)
        return first.with_for_update(skip_locked=True, of=Block)

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

    def give_back(self, block_id: str, fence: int, words: str, now: int, until: int, lacks: str = "") -> None:
        """Ends a lease. With words of what went wrong the attempt counts, and the block waits to `until`.

        lacks: the hash of the rules or of the program that this worker cannot play at all; no attempt counts.
        """
        with self.database.write() as session:
            claim = _claim(session, lock_block(session, block_id))
            block = claim.block
            if _dropped(claim, fence):
                block.state = "dropped"
                return
            _hold(block, fence, now)
            if words and not lacks:
                block.rests_until = until
                note_failure(session, block, words, now)
            else:
                block.attempts -= 1
            if lacks:
                session.merge(Lack(worker=block.worker, hash=lacks, words=words, stored_at=now))
            queue_again(block)

    def find_reported(self, block_id: str) -> tuple[Claim, int]:
        """And the fence of the block's first run, if that was kept, or 0."""
        with self.database.read() as session:
            first = session.scalar(FIRST_FENCE, {"block": block_id}) or 0
            return _claim(session, find_block(session, block_id)), first

    def put_off(self, run: FirstRun, events: list[Event], now: int, until: int) -> bool:
        """Keeps a block's first run, in which a program ran out of time; the second waits to `until`.

        False if this report was kept before.
        """
        with self.database.write() as session:
            _locked = lock_contest(session, run.block_id)
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
        self, result: BlockResult, sums: BlockSums | None, fence: int, faults: list[Fault],
        events: list[Event], now: int,
    ) -> bool:  # fmt: skip
        """Stores a result with the block's state and sums, its link of the contest's chain and its events.

        sums: None where there are more than two seats, which nobody judges. False if this report was stored
        before.
        """
        with self.database.write() as session:
            _locked = lock_contest(session, result.block_id)
            claim = _claim(session, lock_block(session, result.block_id))
            block = claim.block
            if block.state == "done" and block.fence == fence:
                return False
            if block.state == "dropped" and block.fence == fence:
                raise BlockDropped
            _hold(block, fence, now)
            block.state, block.sums = "done", write_sums(sums) if sums else ""
            mark_done(session, block.worker, now)
            told = _link(claim, result)
            session.add_all([result, *faults])
            session.add_all(outbox(claim.contest.id, [_tell(event, told) for event in events], now))
            return True

    def count_waiting(self, now: int, most: int) -> int:
        """How many blocks wait for a worker, counted up to `most`."""
        some = select(col(Block.id)).where(*self._waiting(now)).limit(most).subquery()
        with self.database.read() as session:
            return session.scalar(select(func.count()).select_from(some)) or 0

    def _waiting(self, now: Any) -> tuple[ColumnElement[bool], ...]:
        rested = or_(col(Block.rests_until) <= now, col(Block.rests_until) > now + LONGEST_REST)
        return col(Block.state) == "queued", rested, self.playable

    def census(self) -> tuple[dict[str, int], int]:
        """How many blocks are in each state, and since when the oldest has been queued (0: none is)."""
        with self.database.read() as session:
            counts = session.execute(select(col(Block.state), func.count()).group_by(col(Block.state)))
            oldest = select(func.min(col(Block.queued_at))).where(col(Block.state) == "queued", self.playable)
            return {row[0]: row[1] for row in counts}, session.scalar(oldest) or 0


def _left_to_others(worker: Any, now: Any) -> ColumnElement[bool]:
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


def _barred(worker: Any) -> ColumnElement[bool]:
    """An audit is for others than those who played the block."""
    without = func.replace(col(Block.barred), "\n" + worker + "\n", "")
    return without != col(Block.barred)


def belongs(jobs: tuple[str, ...], contests: tuple[str, ...]) -> ColumnElement[bool]:
    """The block's job and its contest are in one of these states."""
    return exists().where(
        col(Job.id) == Block.job_id,
        col(Job.state).in_(jobs),
        col(Contest.id) == Block.contest_id,
        col(Contest.state).in_(contests),
    )


def check_fence(block: Block, first: int, fence: int, now: int) -> None:
    """Raises StaleFence early, before a report is looked at, if it can only be refused.

    first: the fence of the block's first run.
    """
    if block.state in {"queued", "claimed", "void"} and first != fence:
        _hold(block, fence, now)


def _take_block() -> Any:
    values = {"claimed_at": NOW, "progress_at": NOW, "lease_until": UNTIL, "deals_done": 0}
    taken = update(Block).where(col(Block.id) == bindparam("block"), col(Block.state) == "queued")
    taken = taken.values(
        state="claimed", fence=Block.fence + 1, attempts=Block.attempts + 1, worker=ASKER, excused=False,
        **values,
    )  # fmt: skip
    return taken.returning(Block).execution_options(synchronize_session=False)


def _list_shares() -> Any:
    """The contests that run, and whether one waits with a block that this worker may be able to play."""
    theirs = select(col(Block.id)).where(col(Block.contest_id) == Contest.id)
    queued = theirs.where(col(Block.state) == "queued").exists()
    claimed = select(func.count()).select_from(Block)
    claimed = claimed.where(col(Block.contest_id) == Contest.id, col(Block.state) == "claimed")
    fits = ~lacks(ASKER, (col(Contest.rules_hash),))
    fits = and_(fits, or_(MEMORY == 0, col(Contest.seats) * col(Contest.memory) <= MEMORY))
    columns = col(Contest.id), col(Contest.purpose), col(Contest.author)
    running = select(*columns, claimed.scalar_subquery(), and_(queued, fits))
    return running.where(col(Contest.state) == "running")


def _count(state: str, which: ColumnElement[bool]) -> Any:
    """How many of these blocks are in this state; an index has it."""
    return select(func.count()).select_from(Block).where(which, col(Block.state) == state).scalar_subquery()


def _lacks_program(worker: Any) -> ColumnElement[bool]:
    """This worker cannot play a program of the block's job."""
    mine = col(Lack.worker) == worker, col(Lack.hash) == col(JobSeat.sha256)
    return exists().where(col(JobSeat.job_id) == Block.job_id, *mine)


def _strange() -> ColumnElement[bool]:
    """A program of the block's job is not of one of the arena's own accounts."""
    return exists().where(col(JobSeat.job_id) == Block.job_id, col(JobSeat.account_name).not_in(OWN))


def find_block(session: Session, block_id: str) -> Block:
    return _one_block(session, block_id, BLOCK)


def lock_block(session: Session, block_id: str) -> Block:
    """As it stands now, and nobody else changes it."""
    return _one_block(session, block_id, LOCKED_BLOCK)


def _one_block(session: Session, block_id: str, query: Any) -> Block:
    if (block := session.scalars(query, {"block": block_id}).one_or_none()) is None:
        raise UnknownBlock(f"There is no block {block_id!r}.", thing=block_id)
    return cast("Block", block)


def _claim(session: Session, block: Block) -> Claim:
    rows = session.execute(WHAT_FOR, {"job": block.job_id}).all()
    return Claim(block, rows[0][0], rows[0][1], [seat for _, _, seat in rows])


def lock_contest(session: Session, block_id: str) -> Contest:
    """That of a block. Locks in one order: tournament, contest, job, block, worker.

    A contest's chain grows by one booking after the other.
    """
    contest: Contest | None = session.scalars(LOCKED_CONTEST, {"block": block_id}).one_or_none()
    if contest is None:
        raise UnknownBlock(f"There is no block {block_id!r}.", thing=block_id)
    return contest


def queue_again(block: Block) -> None:
    """It waits for a worker."""
    block.state = "queued"


def note_change(contest: Contest, *jobs: Job) -> None:
    """Boards read these jobs again. The contest is locked, so that who sees its number sees the jobs."""
    contest.changes += 1
    for job in jobs:
        job.changed = contest.changes


def _link(claim: Claim, result: BlockResult) -> str:
    """Adds a result to the contest's chain; what watchers are told of it."""
    contest, job = claim.contest, claim.job
    booking = Booking(job.label, job.take, claim.block.number, result.digest)
    contest.booked += 1
    note_change(contest, job)
    job.started_at = min(job.started_at or claim.block.claimed_at, claim.block.claimed_at)
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


BLOCK = select(Block).where(col(Block.id) == bindparam("block"))
LOCKED_BLOCK = BLOCK.with_for_update().execution_options(populate_existing=True)
LOCKED_CONTEST = (
    select(Contest)
    .join(Block, col(Block.contest_id) == col(Contest.id))
    .where(col(Block.id) == bindparam("block"))
    .with_for_update(of=Contest, key_share=True)
)
FIRST_FENCE = select(col(FirstRun.fence)).where(col(FirstRun.block_id) == bindparam("block"))
WHAT_FOR = (
    select(Job, Contest, JobSeat)
    .join(Contest, col(Contest.id) == col(Job.contest_id))
    .join(JobSeat, col(JobSeat.job_id) == col(Job.id))
    .where(col(Job.id) == bindparam("job"))
    .order_by(col(JobSeat.position))
)


def count_rows(result: object) -> int:
    return int(getattr(result, "rowcount", 0))
