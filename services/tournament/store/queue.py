"""Blocks and their leases: who may play what, for how long. Times are ms since 1970, given by the caller."""

from typing import Any, NamedTuple, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    and_,
    bindparam,
    exists,
    func,
    literal,
    or_,
    select,
)
from sqlmodel import Session, col

from maumau.contest.seed import deal_seeds
from maumau.errors import StaleFence, UnknownBlock
from services.shared.auth import OWN
from services.shared.connect import Database
from services.tournament.event import Event, encode
from services.tournament.models import Block, Contest, Job, JobSeat, Lack, Outbox, Tournament
from services.tournament.store.drop import drop_block
from services.tournament.store.worker import note_failure
from services.tournament.turn import Share, Turns

LONGEST_REST = 60_000  # ms; no block is told to rest as long: where one does, the clock was set back since


class HeldBlock(NamedTuple):
    """A block as it was when it was read; the columns of its table."""

    id: str
    job_id: str
    contest_id: str
    number: int
    first_set: int
    sets: int
    state: str
    fence: int
    worker: str
    deals_done: int
    lease_until: int


HELD = tuple(col(getattr(Block, name)) for name in HeldBlock._fields)


class Claim(NamedTuple):
    """A block with what it belongs to; seats by position. seating: the one that is ordered, None for all."""

    block: HeldBlock
    job: Job
    contest: Contest
    seats: list[JobSeat]
    seating: int | None = None

    def numbers(self) -> range:
        """The numbers of its deal sets."""
        return range(self.block.first_set, self.block.first_set + self.block.sets)

    def seeds(self) -> list[str]:
        """The seeds of its deal sets, in order."""
        secret, root = self.contest.secret, self.contest.root
        return deal_seeds(secret, root, self.job.label, self.numbers(), self.job.seed_take)


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
    """What waits. turns: as claims have them. `house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, turns: Turns, *, house_only: bool = False) -> None:
        self.database, self.turns, self.house_only = database, turns, house_only
        self._some_waiting = _count_some_waiting(house_only=house_only)

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

    def find(self, block_id: str) -> Claim:
        with self.database.read() as session:
            return claim_of(session, find_block(session, block_id))

    def give_back(self, block_id: str, fence: int, words: str, now: int, until: int, lacks: str = "") -> None:
        """Ends a lease. With words of what went wrong the attempt counts, and the block waits to `until`.

        lacks: the hash of the rules or of the program that this worker cannot play at all; no attempt counts.
        """
        with self.database.write() as session:
            block = lock_block(session, block_id)
            job, contest = session.get_one(Job, block.job_id), session.get_one(Contest, block.contest_id)
            if is_dropped(block, fence, job.state, contest.state):
                drop_block(session, block)
                return
            check_lease(block, fence, now)
            if words and not lacks:
                block.rests_until = until
                note_failure(session, block, words, now)
            else:
                block.attempts -= 1
            if lacks:
                session.merge(Lack(worker=block.worker, hash=lacks, words=words, stored_at=now))
            queue_again(session, block)

    def count_waiting(self, now: int, most: int) -> int:
        """How many blocks wait for a worker, counted up to `most`."""
        with self.database.read() as session:
            running = session.scalars(RUNNING).all()
            told = {"contests": running, "now": now, "most": most}
            return int(session.scalar(self._some_waiting, told)) if running else 0


def _count_some_waiting(*, house_only: bool) -> Any:
    """How many blocks of these contests wait, counted up to a number. The contests are named, so that what
    waits in others, such as paused ones, is not gone through.
    """
    now, most = bindparam("now", type_=BigInteger), bindparam("most", type_=Integer)
    mine = col(Block.contest_id).in_(bindparam("contests", expanding=True))
    some = select(col(Block.id)).where(mine, *is_waiting(now, house_only=house_only)).limit(most)
    return select(func.count()).select_from(some.subquery())


def is_playable(*, house_only: bool, one_by_one: bool = False) -> ColumnElement[bool]:
    """Its job and its contest go on, and its programs may run here."""
    goes_on = belongs(("open",), ("running",), one_by_one=one_by_one)
    return and_(goes_on, ~_strange()) if house_only else goes_on


def is_waiting(now: Any, *, house_only: bool, one_by_one: bool = False) -> tuple[ColumnElement[bool], ...]:
    """A worker may have it now. one_by_one: as with `belongs`."""
    rested = or_(col(Block.rests_until) <= now, col(Block.rests_until) > now + LONGEST_REST)
    playable = is_playable(house_only=house_only, one_by_one=one_by_one)
    return col(Block.state) == "queued", rested, playable


def belongs(
    jobs: tuple[str, ...], contests: tuple[str, ...], *, one_by_one: bool = False
) -> ColumnElement[bool]:
    """The block's job and its contest are in one of these states.

    one_by_one: it is asked of each block as it comes, for who needs the first of many. PostgreSQL would join
    all of them first and sort what is left; it does not look into a subquery with an offset.
    """
    found = select(literal(1)).where(
        col(Job.id) == Block.job_id,
        col(Job.state).in_(jobs),
        col(Contest.id) == Block.contest_id,
        col(Contest.state).in_(contests),
    )
    return (found.offset(0) if one_by_one else found).correlate(Block).exists()


def check_fence(block: HeldBlock, first: int, fence: int, now: int) -> None:
    """Raises StaleFence early, before a report is looked at, if it can only be refused.

    first: the fence of the block's first run.
    """
    if block.state in {"queued", "claimed", "void"} and first != fence:
        check_lease(block, fence, now)


def _count(state: str, which: ColumnElement[bool]) -> Any:
    """How many of these blocks are in this state; an index has it."""
    return select(func.count()).select_from(Block).where(which, col(Block.state) == state).scalar_subquery()


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


def claim_of(session: Session, block: Block) -> Claim:
    rows = session.execute(WHAT_FOR, {"job": block.job_id}).all()
    held = HeldBlock(*(getattr(block, name) for name in HeldBlock._fields))
    return Claim(held, rows[0][0], rows[0][1], [seat for _, _, seat in rows])


def lock_contest(session: Session, block_id: str) -> Contest:
    """That of a block. Locks in one order: tournament, contest, job, block, worker.

    A contest's chain grows by one booking after the other.
    """
    contest: Contest | None = session.scalars(LOCKED_CONTEST, {"block": block_id}).one_or_none()
    if contest is None:
        raise UnknownBlock(f"There is no block {block_id!r}.", thing=block_id)
    return contest


def queue_again(session: Session, block: Block) -> bool:
    """It waits for a worker; False if its job has ended meanwhile, and then it is dropped.

    It is locked, so that its job ends either before it is looked at here, or after this is committed.
    """
    if session.get_one(Job, block.job_id).state == "over":
        drop_block(session, block)
        return False
    block.state = "queued"
    return True


def note_change(contest: Contest, *jobs: Job) -> int:
    """Boards read these jobs again. The contest is locked, so that who sees its number sees the jobs.

    The change's number, for other jobs that it is about.
    """
    contest.changes += 1
    for job in jobs:
        job.changed = contest.changes
    return contest.changes


def is_dropped(block: Any, fence: int, job: str, contest: str) -> bool:
    """The holder of this fence need not go on. job, contest: the states they are in now."""
    if block.fence != fence or block.state not in {"claimed", "dropped"}:
        return False
    return "over" in {job, contest} or block.state == "dropped"


def check_lease(block: Any, fence: int, now: int) -> None:
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
WHAT_FOR = (
    select(Job, Contest, JobSeat)
    .join(Contest, col(Contest.id) == col(Job.contest_id))
    .join(JobSeat, col(JobSeat.job_id) == col(Job.id))
    .where(col(Job.id) == bindparam("job"))
    .order_by(col(JobSeat.position))
)
RUNNING = select(col(Contest.id)).where(col(Contest.state) == "running")
