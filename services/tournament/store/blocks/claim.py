"""Claims: the choice of the next contest, and of a block of it that this worker may have.

Workers that ask at the same time are served in one transaction. The cost of a claim depends on the numbers
of running contests and blocks being played, not on those waiting. Times are ms since 1970, by the caller.
"""

from collections.abc import Sequence
from functools import cache
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

from services.shared.base.batcher import Batcher
from services.shared.base.worker_name import host_prefix, machine_prefix
from services.shared.store.connect import Database
from services.tournament.domain.machine import Machines, choose_seating
from services.tournament.domain.turn import Share, Turns
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
from services.tournament.store.blocks.queue import HELD, LONGEST_REST, BlockClaim, HeldBlock, is_waiting
from services.tournament.store.blocks.seating import find_seatings
from services.tournament.store.blocks.worker import (
    Caller,
    failed_at,
    is_of_host,
    note_callers,
    prefix_of_machine,
    present,
)

LEFT_TO_OTHERS = 60_000  # ms for which a worker that played a first run, or a seating, leaves the next
MOST_CONTESTS = 500  # contests whose terms are kept in memory
ASKER, HOST_PREFIX, MACHINE_PREFIX = (
    bindparam(name, type_=String) for name in ("asker", "host_prefix", "machine_prefix")
)
NOW, UNTIL, MEMORY = (bindparam(name, type_=BigInteger) for name in ("now", "until", "memory"))
"""Parameters of the statements: building a statement for each block costs more than running it."""


class Asker(NamedTuple):
    """A worker that asks for a block. memory: MiB for all of its programs, 0 if not stated."""

    worker: str
    memory: int = 0

    @property
    def host_prefix(self) -> str:
        """The common prefix of all names of its host, once the end mark is appended to a name."""
        return host_prefix(self.worker)

    @property
    def machine_prefix(self) -> str:
        """The common prefix of all workers on its machine: `host-1/`, or `HOST-` of HOST-PID."""
        return machine_prefix(self.worker)


class Asked(NamedTuple):
    """A request for a block: the worker, the time, and the end of the lease."""

    asker: Asker
    now: int
    until: int


class Running(NamedTuple):
    """A contest that runs, with its share of the workers. memory: MiB for the programs of a table."""

    share: Share
    rules_hash: str
    memory: int


class Claims:
    """Claims of blocks. `house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, turns: Turns, *, house_only: bool = False) -> None:
        self.database, self.turns = database, turns
        self._running = _list_running()
        self._next = _take_first(col(Block.contest_id), house_only=house_only, lacks=False)
        self._next_playable = _take_first(col(Block.contest_id), house_only=house_only, lacks=True)
        self._named = _take_first(col(Block.id), house_only=house_only, lacks=True)
        self._contests: dict[str, Contest] = {}
        self._machines = Machines()
        self._batcher = Batcher(self._claim_blocks)

    def claim_next(self, asker: Asker, now: int, until: int) -> BlockClaim | None:
        """Claim the next block that this worker can play; None if there is none."""
        return self._batcher(Asked(asker, now, until))

    def claim_block(self, block_id: str, asker: Asker, now: int, until: int) -> BlockClaim | None:
        """Claim this block; None if it is not available, or not to this worker."""
        with self.database.write() as session:
            connection = session.connection()
            asked = Asked(asker, now, until)
            caller = note_callers(connection, {asker.worker: now}, {asker.worker: asker.memory})[asker.worker]
            if caller.distrusted:
                return None
            self._machines.note_worker(*asker, caller.lacks, now)
            block = _take_block(connection, self._named, block_id, asked)
            return self._with_terms(session, [asked], [block])[0]

    def _claim_blocks(self, asked: Sequence[Asked]) -> list[BlockClaim | None]:
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
        """Claim a block of the contest whose turn it is, and update `running` accordingly."""
        if caller.distrusted:
            return None
        self._machines.note_worker(*asked.asker, caller.lacks, asked.now)
        shares = [_share_for(one, asked.asker, caller) for one in running.values()]
        statement = self._next_playable if caller.lacks else self._next
        for contest_id in self.turns.order_claims(shares):
            if block := _take_block(connection, statement, contest_id, asked):
                self.turns.note_service(contest_id, running)
                share = running[contest_id].share
                more = share._replace(claimed=share.claimed + 1)
                running[contest_id] = running[contest_id]._replace(share=more)
                return block
        return None

    def _with_terms(
        self, session: Session, asked: Sequence[Asked], taken: Sequence[HeldBlock | None]
    ) -> list[BlockClaim | None]:
        """Return the claims with jobs and seats, which are read, and contests, which are mostly cached."""
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
            block and BlockClaim(block, jobs[block.job_id], contests[block.contest_id], seats[block.job_id])
            for block in taken
        ]
        return [
            claim and self._with_seating(claim, one, there.get(claim.block.id, set()))
            for one, claim in zip(asked, found, strict=True)
        ]

    def _with_seating(self, claim: BlockClaim, asked: Asked, there: set[int]) -> BlockClaim:
        """Choose the seating of a claim; an audit is played as a whole. there: seatings already played."""
        contest = claim.contest
        if claim.isolated:
            return claim._replace(seating=claim.isolated.seating)
        if contest.purpose == "audit":
            return claim
        hashes = (contest.rules_hash, *(seat.sha256 for seat in claim.seats))
        memory = claim.size * contest.memory
        other = self._machines.has_other(asked.asker.worker, hashes, memory, asked.now)
        return claim._replace(seating=choose_seating(claim.size, there, has_other=other))

    def _contests_of(self, session: Session, ids: set[str]) -> dict[str, Contest]:
        """Return contests by id. Their terms do not change while they run; their counts may be outdated."""
        known = self._contests
        if new := ids - known.keys():
            found = {one.id: one for one in session.scalars(CONTESTS, {"contests": sorted(new)})}
            kept = known if len(known) < MOST_CONTESTS else {one: known[one] for one in ids & known.keys()}
            self._contests = known = kept | found
        return known


def _take_block(connection: Connection, statement: Any, key: str, asked: Asked) -> HeldBlock | None:
    """Claim the first block with this key for the caller."""
    asker = {
        "asker": asked.asker.worker,
        "memory": asked.asker.memory,
        "host_prefix": asked.asker.host_prefix,
        "machine_prefix": asked.asker.machine_prefix,
    }
    told = {"key": key, "now": asked.now, "until": asked.until, **asker}
    row = connection.execute(statement, told).one_or_none()
    return HeldBlock(*row) if row else None


def _share_for(one: Running, asker: Asker, caller: Caller) -> Share:
    """Return a contest's share for this worker; it does not wait if the worker cannot play there."""
    fits = one.rules_hash not in caller.lacks and (not asker.memory or one.memory <= asker.memory)
    return one.share if fits else one.share._replace(waits=False)


def _list_running() -> Any:
    """Select the running contests, and whether a block of each waits."""
    queued = select(col(Block.id)).where(col(Block.contest_id) == Contest.id, col(Block.state) == "queued")
    claimed = select(func.count()).select_from(Block)
    claimed = claimed.where(col(Block.contest_id) == Contest.id, col(Block.state) == "claimed")
    share = col(Contest.purpose), col(Contest.author), claimed.scalar_subquery(), queued.exists()
    memory = col(Contest.seats) * col(Contest.memory)
    running = select(col(Contest.id), *share, col(Contest.rules_hash), memory)
    return running.where(col(Contest.state) == "running")


@cache
def _take_first(key: Any, *, house_only: bool, lacks: bool) -> Any:
    """Return a statement that claims the first queued block with a key that this worker may have.

    lacks: check for rules and programs that this worker cannot play.
    """
    mine = [
        _has_memory(MEMORY),
        ~_left_to_others(NOW),
        ~_is_barred(),
        *([~_lacks_rules(ASKER)] if lacks else ()),
    ]
    waiting = is_waiting(NOW, house_only=house_only, one_by_one=True)
    first = select(col(Block.id)).where(key == bindparam("key"), *waiting, *mine)
    first = first.order_by(col(Block.number), col(Block.id)).limit(1).correlate(None)
    first = first.with_for_update(skip_locked=True, of=Block)
    values = {"claimed_at": NOW, "progress_at": NOW, "lease_until": UNTIL, "deals_done": 0, "worker": ASKER}
    counts = {"fence": Block.fence + 1, "attempts": Block.attempts + 1}
    taken = update(Block).where(col(Block.id) == first.scalar_subquery(), col(Block.state) == "queued")
    return taken.values(state="claimed", excused=False, **values, **counts).returning(*HELD)


def _left_to_others(now: Any) -> ColumnElement[bool]:
    """Return True if another able worker shall play the block.

    That is another host, or else another worker, if this one failed at it or played its first run lately; or
    another machine without a seating of it, if this one played one lately.
    """
    can = ~_lacks_rules(col(Worker.name)).correlate(Block, Worker), _has_memory(col(Worker.memory), Worker)
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


def _is_barred() -> ColumnElement[bool]:
    """Return True if the worker is barred from the block: players of a block are barred from its audit."""
    barred = col(Block.barred)
    return or_(*(func.replace(barred, "\n" + one + "\n", "") != barred for one in (ASKER, HOST_PREFIX)))


def _has_memory(memory: Any, *of: Any) -> ColumnElement[bool]:
    """Return True if the memory suffices, or is not stated. memory: a value, or a column of one in `of`."""
    needed = select(col(Contest.seats) * col(Contest.memory)).where(col(Contest.id) == Block.contest_id)
    return or_(memory == 0, memory >= needed.correlate(Block, *of).scalar_subquery())


def _lacks_rules(worker: Any) -> Exists:
    """Return True if this worker cannot play the block's rules, or a program of its job."""
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
