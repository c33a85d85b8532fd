"""Blocks handed out: whose turn it is, and which of its blocks this worker may have.

Workers that ask at the same time are served in one transaction. What a claim costs depends on how many
contests run and how many blocks are played, not on how many wait. Times are ms since 1970, by the caller.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Exists,
    String,
    and_,
    bindparam,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlmodel import Session, col

from services.shared.batcher import Batcher
from services.shared.connect import Database
from services.shared.worker_name import host_prefix, machine_prefix
from services.tournament.machine import Machines, choose_seating
from services.tournament.models import (
    Block,
    Contest,
    Failure,
    FirstRun,
    Job,
    JobSeat,
    Lack,
    PlayedSeating,
    Worker,
)
from services.tournament.store.queue import HELD, LONGEST_REST, Claim, HeldBlock, is_waiting
from services.tournament.store.seating import find_seatings
from services.tournament.store.worker import (
    Caller,
    failed_at,
    is_of_host,
    note_callers,
    prefix_of_machine,
    present,
)
from services.tournament.turn import Share, Turns

LEFT_TO_OTHERS = 60_000  # ms that whoever played a first run, or a seating, leaves what is next to others
MOST_CONTESTS = 500  # whose terms are kept in memory
ASKER, HOST_PREFIX, MACHINE_PREFIX = (
    bindparam(name, type_=String) for name in ("asker", "host_prefix", "machine_prefix")
)
NOW, UNTIL, MEMORY = (bindparam(name, type_=BigInteger) for name in ("now", "until", "memory"))
"""In place of values in the statements of every block: to put one together costs more than to ask it."""


class Asker(NamedTuple):
    """A worker that asks for a block. memory: MiB for all of its programs, 0 if it does not say."""

    worker: str
    memory: int = 0

    @property
    def host_prefix(self) -> str:
        """With which the names of all of its host begin once an end is added to them."""
        return host_prefix(self.worker)

    @property
    def machine_prefix(self) -> str:
        """With which the names of all that run beside it begin: `host-1/`, or `HOST-` of HOST-PID."""
        return machine_prefix(self.worker)


class Asked(NamedTuple):
    """Who asks, when, and until when the block would be his."""

    asker: Asker
    now: int
    until: int


class Running(NamedTuple):
    """A contest that runs, with its share of the workers. memory: MiB for the programs of a table."""

    share: Share
    rules_hash: str
    memory: int


class Claims:
    """`house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, turns: Turns, *, house_only: bool = False) -> None:
        self.database, self.turns = database, turns
        self._running = _list_running()
        self._next = _take_first(col(Block.contest_id), house_only=house_only, lacks=False)
        self._next_playable = _take_first(col(Block.contest_id), house_only=house_only, lacks=True)
        self._named = _take_first(col(Block.id), house_only=house_only, lacks=True)
        self._contests: dict[str, Contest] = {}
        self._machines = Machines()
        self._batcher = Batcher(self._claim)

    def claim(self, asker: Asker, now: int, until: int) -> Claim | None:
        """The block whose turn it is, of those that this worker can play; None if there is none."""
        return self._batcher(Asked(asker, now, until))

    def claim_block(self, block_id: str, asker: Asker, now: int, until: int) -> Claim | None:
        """This block and none other; None if it is not to be had, or not by this worker."""
        with self.database.write() as session:
            connection = session.connection()
            asked = Asked(asker, now, until)
            caller = note_callers(connection, {asker.worker: now}, {asker.worker: asker.memory})[asker.worker]
            if caller.distrusted:
                return None
            self._machines.note(*asker, caller.lacks, now)
            block = _take(connection, self._named, block_id, asked)
            return self._with_terms(session, [asked], [block])[0]

    def _claim(self, asked: Sequence[Asked]) -> list[Claim | None]:
        with self.database.write() as session:
            connection = session.connection()
            heard = {one.asker.worker: one.now for one in asked}
            callers = note_callers(connection, heard, dict(one.asker for one in asked))
            running = {
                contest_id: Running(Share(contest_id, *share), rules_hash, memory)
                for contest_id, *share, rules_hash, memory in connection.execute(self._running)
            }
            taken = [self._take_next(connection, one, callers[one.asker.worker], running) for one in asked]
            return self._with_terms(session, asked, taken)

    def _take_next(
        self, connection: Connection, asked: Asked, caller: Caller, running: dict[str, Running]
    ) -> HeldBlock | None:
        """`running` is what stands after it."""
        if caller.distrusted:
            return None
        self._machines.note(*asked.asker, caller.lacks, asked.now)
        shares = [_share_for(one, asked.asker, caller) for one in running.values()]
        statement = self._next_playable if caller.lacks else self._next
        for contest_id in self.turns.order(shares):
            if block := _take(connection, statement, contest_id, asked):
                self.turns.serve(contest_id, running)
                share = running[contest_id].share
                more = share._replace(claimed=share.claimed + 1)
                running[contest_id] = running[contest_id]._replace(share=more)
                return block
        return None

    def _with_terms(
        self, session: Session, asked: Sequence[Asked], taken: Sequence[HeldBlock | None]
    ) -> list[Claim | None]:
        """With the jobs and their seats, which are read, and the contests, which are mostly known."""
        blocks = [block for block in taken if block]
        if not blocks:
            return [None] * len(taken)
        wanted = {"jobs": sorted({block.job_id for block in blocks})}
        jobs = {job.id: job for job in session.scalars(JOBS_BY_ID, wanted)}
        seats: dict[str, list[JobSeat]] = {}
        for seat in session.scalars(SEATS_BY_JOB, wanted):
            seats.setdefault(seat.job_id, []).append(seat)
        contests = self._contests_of(session, {block.contest_id for block in blocks})
        there = find_seatings(session, {block.id for block in blocks})
        found = [
            block and Claim(block, jobs[block.job_id], contests[block.contest_id], seats[block.job_id])
            for block in taken
        ]
        return [
            claim and self._with_seating(claim, one, there.get(claim.block.id, set()))
            for one, claim in zip(asked, found, strict=True)
        ]

    def _with_seating(self, claim: Claim, asked: Asked, there: set[int]) -> Claim:
        """An audit is of what one worker is to play as a whole. there: the seatings that were played."""
        contest = claim.contest
        if contest.purpose == "audit":
            return claim
        hashes = (contest.rules_hash, *(seat.sha256 for seat in claim.seats))
        memory = contest.seats * contest.memory
        other = self._machines.has_other(asked.asker.worker, hashes, memory, asked.now)
        return claim._replace(seating=choose_seating(contest.seats, there, has_other=other))

    def _contests_of(self, session: Session, ids: set[str]) -> dict[str, Contest]:
        """By id. What a contest is about does not change while it runs; its counts are as they were once."""
        known = self._contests
        if new := ids - known.keys():
            found = {one.id: one for one in session.scalars(CONTESTS, {"contests": sorted(new)})}
            kept = known if len(known) < MOST_CONTESTS else {one: known[one] for one in ids & known.keys()}
            self._contests = known = kept | found
        return known


def _take(connection: Connection, statement: Any, key: str, asked: Asked) -> HeldBlock | None:
    """The first block that has this key, taken by who asks."""
    asker = {
        "asker": asked.asker.worker, "memory": asked.asker.memory, "host_prefix": asked.asker.host_prefix,
        "machine_prefix": asked.asker.machine_prefix,
    }  # fmt: skip
    told = {"key": key, "now": asked.now, "until": asked.until, **asker}
    row = connection.execute(statement, told).one_or_none()
    return HeldBlock(*row) if row else None


def _share_for(one: Running, asker: Asker, caller: Caller) -> Share:
    """Nothing of a contest waits for a worker that cannot play there."""
    fits = one.rules_hash not in caller.lacks and (not asker.memory or one.memory <= asker.memory)
    return one.share if fits else one.share._replace(waits=False)


def _list_running() -> Any:
    """The contests that run, and whether one waits with a block."""
    queued = select(col(Block.id)).where(col(Block.contest_id) == Contest.id, col(Block.state) == "queued")
    claimed = select(func.count()).select_from(Block)
    claimed = claimed.where(col(Block.contest_id) == Contest.id, col(Block.state) == "claimed")
    share = col(Contest.purpose), col(Contest.author), claimed.scalar_subquery(), queued.exists()
    memory = col(Contest.seats) * col(Contest.memory)
    running = select(col(Contest.id), *share, col(Contest.rules_hash), memory)
    return running.where(col(Contest.state) == "running")


def _take_first(key: Any, *, house_only: bool, lacks: bool) -> Any:
    """Takes the first of the blocks with a key that is queued and that this worker may have.

    lacks: it may be that this worker cannot play the rules, or a program.
    """
    mine = [_has_memory(MEMORY), ~_left_to_others(NOW), ~_barred(), *([~_lacks(ASKER)] if lacks else ())]
    waiting = is_waiting(NOW, house_only=house_only, one_by_one=True)
    first = select(col(Block.id)).where(key == bindparam("key"), *waiting, *mine)
    first = first.order_by(col(Block.number), col(Block.id)).limit(1).correlate(None)
    first = first.with_for_update(skip_locked=True, of=Block)
    values = {"claimed_at": NOW, "progress_at": NOW, "lease_until": UNTIL, "deals_done": 0, "worker": ASKER}
    counts = {"fence": Block.fence + 1, "attempts": Block.attempts + 1}
    taken = update(Block).where(col(Block.id) == first.scalar_subquery(), col(Block.state) == "queued")
    return taken.values(state="claimed", excused=False, **values, **counts).returning(*HELD)


def _left_to_others(now: Any) -> ColumnElement[bool]:
    """Another host, or else another worker, shall play it if one is there that can: this one failed at it, or
    played its first run lately. Or another machine: this one played a seating lately, and that one none yet.
    """
    can = ~_lacks(col(Worker.name)).correlate(Block, Worker), _has_memory(col(Worker.memory), Worker)
    able = present(now).where(*can)
    others = able.where(col(Worker.name) != ASKER)
    other_hosts = able.where(~is_of_host(Worker.name, HOST_PREFIX))
    failed = failed_at(Block.id, Block.forgiven)
    fresh = ~failed.where(col(Failure.worker) == col(Worker.name)).correlate(Block, Worker)
    mine = and_(failed.where(col(Failure.worker) == ASKER), others.where(fresh))
    first = exists().where(col(FirstRun.block_id) == Block.id, is_of_host(FirstRun.worker, HOST_PREFIX))
    played = exists().where(col(PlayedSeating.block_id) == Block.id)
    played_here = played.where(prefix_of_machine(PlayedSeating.worker) == MACHINE_PREFIX)
    played_there = played.where(prefix_of_machine(PlayedSeating.worker) == prefix_of_machine(Worker.name))
    other_machines = able.where(
        prefix_of_machine(Worker.name) != MACHINE_PREFIX, ~played_there.correlate(Block, Worker)
    )
    lately = col(Block.rests_until).between(now - LEFT_TO_OTHERS + 1, now + LONGEST_REST)
    return and_(
        col(Block.state) == "queued",
        or_(
            and_(failed.where(is_of_host(Failure.worker, HOST_PREFIX)), or_(other_hosts.where(fresh), mine)),
            and_(first, lately, other_hosts),
            and_(played_here, lately, other_machines),
        ),
    )


def _barred() -> ColumnElement[bool]:
    """An audit is for others than those who played the block."""
    barred = col(Block.barred)
    return or_(*(func.replace(barred, "\n" + one + "\n", "") != barred for one in (ASKER, HOST_PREFIX)))


def _has_memory(memory: Any, *of: Any) -> ColumnElement[bool]:
    """Enough for the block's programs, or it is not said. memory: a value, or a column of a table in `of`."""
    needed = select(col(Contest.seats) * col(Contest.memory)).where(col(Contest.id) == Block.contest_id)
    return or_(memory == 0, memory >= needed.correlate(Block, *of).scalar_subquery())


def _lacks(worker: Any) -> Exists:
    """This worker cannot play the block's rules, or a program of its job."""
    needed = col(JobSeat.job_id) == Block.job_id, col(Contest.id) == Block.contest_id
    hashes = col(JobSeat.sha256), col(Contest.rules_hash)
    return exists().where(*needed, col(Lack.worker) == worker, col(Lack.hash).in_(hashes))


JOBS_BY_ID = select(Job).where(col(Job.id).in_(bindparam("jobs", expanding=True)))
SEATS_BY_JOB = (  # not joined: PostgreSQL reads all seats for a join with a list of jobs
    select(JobSeat)
    .where(col(JobSeat.job_id).in_(bindparam("jobs", expanding=True)))
    .order_by(col(JobSeat.job_id), col(JobSeat.position))
)
CONTESTS = select(Contest).where(col(Contest.id).in_(bindparam("contests", expanding=True)))
