"""Queue of blocks and their leases. Times are ms since 1970, given by the caller."""

from collections.abc import Collection
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

from maumau.contest.score import choose_mode
from maumau.contest.seed import deal_seeds
from maumau.contest.whole_game import StageRules
from maumau.errors import StaleFence, UnknownBlock
from services.shared.base.auth import OWN
from services.shared.store.connect import Database
from services.shared.store.notice_table import new_notice
from services.tournament.domain.event import Event, encode_event
from services.tournament.domain.isolation import IsolatedSeating, read_isolated
from services.tournament.domain.notice import name_kinds
from services.tournament.domain.stage_rules import find_rules
from services.tournament.domain.turn import Share, Turns
from services.tournament.models import (
    Block,
    Contest,
    Job,
    JobSeat,
    Lack,
    Outbox,
    Tournament,
    TournamentNotice,
)
from services.tournament.store.blocks.drop import drop_block
from services.tournament.store.blocks.worker import note_failure

LONGEST_REST = 60_000  # ms; every rest is shorter: a longer one means that the clock was set back since


class HeldBlock(NamedTuple):
    """A block as it was read; the fields are columns of its table."""

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
    isolated: str = ""


HELD = tuple(col(getattr(Block, name)) for name in HeldBlock._fields)


class BlockClaim(NamedTuple):
    """A block with its job, contest and seats by position. seating: the one ordered, None for all."""

    block: HeldBlock
    job: Job
    contest: Contest
    seats: list[JobSeat]
    seating: int | None = None

    @property
    def size(self) -> int:
        """The number of seats at its table: a contest may have tables of several sizes."""
        return len(self.seats)

    @property
    def score(self) -> str:
        """The mode in which its sets are scored."""
        return choose_mode(self.contest.score, self.size)

    @property
    def rules(self) -> StageRules:
        """The rules of its job: those of the stage."""
        return find_rules(self.contest, self.job.label)

    def list_numbers(self) -> range:
        """Return the numbers of its deal sets."""
        return range(self.block.first_set, self.block.first_set + self.block.sets)

    def list_seeds(self) -> list[str]:
        """Return the seeds of its deal sets, in order."""
        secret, root = self.contest.secret, self.contest.root
        numbers = self.isolated.sets if self.isolated else self.list_numbers()
        return deal_seeds(secret, root, self.job.label, numbers, self.job.seed_take)

    @property
    def isolated(self) -> IsolatedSeating | None:
        """The seating whose deals are played again alone; None if the block is not such a copy."""
        return read_isolated(self.block.isolated) if self.block.isolated else None

    @property
    def deal_ms(self) -> int:
        """The time for a deal in the worker's order, in ms."""
        return self.isolated.deal_ms if self.isolated else self.contest.deal_ms


class QueueLine(NamedTuple):
    """A running contest. waiting, playing: its blocks; since: when the first waiting one was queued, or 0.

    name: of the tournament, "" for other contests. place: of its next block in the queue, from 1; 0: none.
    """

    contest: Contest
    name: str
    waiting: int
    playing: int
    since: int
    place: int


class OwnMatch(NamedTuple):
    """A job with a program of an account, as names of bots with the numbers of their versions, by seat.

    waiting, playing: numbers of its blocks.
    """

    contest_id: str
    label: str
    bots: list[tuple[str, int]]
    waiting: int
    playing: int


class Queue:
    """Blocks that wait. turns: shared with claims. `house_only`: strangers' programs must wait."""

    def __init__(self, database: Database, turns: Turns, *, house_only: bool = False) -> None:
        self.database, self.turns, self.house_only = database, turns, house_only
        self._some_waiting = _count_some_waiting(house_only=house_only)

    def list_lines(self) -> list[QueueLine]:
        """Return the running contests: first the waiting ones, in the order in which they get workers."""
        theirs = col(Block.contest_id) == Contest.id
        waiting, playing = (_count_blocks(state, theirs) for state in ("queued", "claimed"))
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
            QueueLine(one, name or "", wait or 0, busy or 0, since or 0, places.get(one.id, 0))
            for one, name, wait, busy, since in found
        ]
        return sorted(lines, key=lambda line: (not line.place, line.place, line.contest.id))

    def list_matches(self, owners: Collection[str], most: int) -> list[OwnMatch]:
        """Return jobs with a program of these owners that are being played or wait, in this order."""
        own = exists().where(col(JobSeat.job_id) == Job.id, col(JobSeat.account_name).in_(owners))
        waiting, playing = (
            _count_blocks(state, col(Block.job_id) == Job.id) for state in ("queued", "claimed")
        )
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
            seats = select(col(JobSeat.job_id), col(JobSeat.bot_name), col(JobSeat.version))
            seats = seats.where(col(JobSeat.job_id).in_([one.id for one in found]))
            bots: dict[str, list[tuple[str, int]]] = {}
            for job_id, name, version in session.execute(seats.order_by(col(JobSeat.position))):
                bots.setdefault(job_id, []).append((name, version))
        return [OwnMatch(contest, label, bots[job], *counts) for job, contest, label, *counts in found]

    def count_booked(self) -> dict[str, int]:
        """Return the number of results of each running contest."""
        results = (col(Contest.booked) - col(Contest.linked)).label("results")
        both = select(col(Contest.id), results).where(col(Contest.state) == "running")
        with self.database.read() as session:
            return {row.id: row.results for row in session.execute(both)}

    def find_claim(self, block_id: str) -> BlockClaim:
        with self.database.read() as session:
            return claim_of(session, find_block(session, block_id))

    def give_back(self, block_id: str, fence: int, words: str, now: int, until: int, lacks: str = "") -> None:
        """End a lease. If words say what went wrong, the attempt counts and the block waits until `until`.

        lacks: the hash of the rules or program that this worker can never play; then no attempt counts.
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
                if lacks == find_rules(contest, job.label).order_hash:
                    lacks = contest.rules_hash
                session.merge(Lack(worker=block.worker, hash=lacks, words=words, stored_at=now))
            queue_again(session, block)

    def count_waiting(self, now: int, most: int) -> int:
        """Return the number of blocks that wait for a worker, counted up to `most`."""
        with self.database.read() as session:
            running = session.scalars(RUNNING).all()
            told = {"contests": running, "now": now, "most": most}
            return int(session.scalar(self._some_waiting, told)) if running else 0


def _count_some_waiting(*, house_only: bool) -> Any:
    """Count waiting blocks of given contests, up to a number.

    The contests are named so that blocks waiting in others, such as paused ones, are not scanned.
    """
    now, most = bindparam("now", type_=BigInteger), bindparam("most", type_=Integer)
    mine = col(Block.contest_id).in_(bindparam("contests", expanding=True))
    some = select(col(Block.id)).where(mine, *is_waiting(now, house_only=house_only)).limit(most)
    return select(func.count()).select_from(some.subquery())


def is_playable(*, house_only: bool, one_by_one: bool = False) -> ColumnElement[bool]:
    """Return True if its job and contest go on, and its programs may run here."""
    goes_on = belongs_to(("open",), ("running",), one_by_one=one_by_one)
    return and_(goes_on, ~_is_strange()) if house_only else goes_on


def is_waiting(now: Any, *, house_only: bool, one_by_one: bool = False) -> tuple[ColumnElement[bool], ...]:
    """Return the conditions under which a worker may have a block now. one_by_one: as with `belongs_to`."""
    rested = or_(col(Block.rests_until) <= now, col(Block.rests_until) > now + LONGEST_REST)
    playable = is_playable(house_only=house_only, one_by_one=one_by_one)
    return col(Block.state) == "queued", rested, playable


def belongs_to(
    jobs: tuple[str, ...], contests: tuple[str, ...], *, one_by_one: bool = False
) -> ColumnElement[bool]:
    """Return True if the block's job and its contest are in one of these states.

    one_by_one: evaluate it for each block in turn, for queries that need the first of many. PostgreSQL would
    otherwise join all of them and sort the rest; it does not flatten a subquery with an offset.
    """
    found = select(literal(1)).where(
        col(Job.id) == Block.job_id,
        col(Job.state).in_(jobs),
        col(Contest.id) == Block.contest_id,
        col(Contest.state).in_(contests),
    )
    return (found.offset(0) if one_by_one else found).correlate(Block).exists()


def check_fence(block: HeldBlock, first: int, fence: int, now: int) -> None:
    """Raise StaleFence early, before a report is examined, if it can only be refused.

    first: the fence of the block's first run.
    """
    if block.state in {"queued", "claimed", "void"} and first != fence:
        check_lease(block, fence, now)


def _count_blocks(state: str, which: ColumnElement[bool]) -> Any:
    """Count these blocks in this state; covered by an index."""
    return select(func.count()).select_from(Block).where(which, col(Block.state) == state).scalar_subquery()


def _is_strange() -> ColumnElement[bool]:
    """Return True if a program of the block's job is not of one of the arena's own accounts."""
    return exists().where(col(JobSeat.job_id) == Block.job_id, col(JobSeat.account_name).not_in(OWN))


def find_block(session: Session, block_id: str) -> Block:
    return _one_block(session, block_id, BLOCK)


def lock_block(session: Session, block_id: str) -> Block:
    """Return a block as it stands now, locked."""
    return _one_block(session, block_id, LOCKED_BLOCK)


def _one_block(session: Session, block_id: str, query: Any) -> Block:
    if (block := session.scalars(query, {"block": block_id}).one_or_none()) is None:
        raise UnknownBlock(f"There is no block {block_id!r}.", thing=block_id)
    return cast("Block", block)


def claim_of(session: Session, block: Block) -> BlockClaim:
    rows = session.execute(WHAT_FOR, {"job": block.job_id}).all()
    held = HeldBlock(*(getattr(block, name) for name in HeldBlock._fields))
    claim = BlockClaim(held, rows[0][0], rows[0][1], [seat for _, _, seat in rows])
    return claim._replace(seating=claim.isolated.seating) if claim.isolated else claim


def lock_contest(session: Session, block_id: str) -> Contest:
    """Return the contest of a block, locked. Lock order: tournament, contest, job, block, worker.

    The lock makes a contest's chain grow by one booking at a time.
    """
    contest: Contest | None = session.scalars(LOCKED_CONTEST, {"block": block_id}).one_or_none()
    if contest is None:
        raise UnknownBlock(f"There is no block {block_id!r}.", thing=block_id)
    return contest


def queue_again(session: Session, block: Block) -> bool:
    """Queue a locked block again; drop it and return False if its job has ended meanwhile.

    Because of the lock, its job ends either before it is read here, or after this is committed.
    """
    if session.get_one(Job, block.job_id).state == "over":
        drop_block(session, block)
        return False
    block.state = "queued"
    return True


def note_change(contest: Contest, *jobs: Job) -> int:
    """Count a change of a locked contest and mark its jobs, so that boards read them again.

    Return the change's number, for other jobs that it concerns. Readers who see it see the jobs changed.
    """
    contest.changes += 1
    for job in jobs:
        job.changed = contest.changes
    return contest.changes


def is_dropped(block: Any, fence: int, job: str, contest: str) -> bool:
    """Return True if the holder of this fence need not go on. job, contest: their current states."""
    if block.fence != fence or block.state not in {"claimed", "dropped"}:
        return False
    return "over" in {job, contest} or block.state == "dropped"


def check_lease(block: Any, fence: int, now: int) -> None:
    """Raise StaleFence unless the lease of this fence still holds."""
    if block.fence != fence:
        raise StaleFence
    if block.state != "claimed" or block.lease_until < now:
        raise StaleFence("The lease has run out; the block goes to another worker.")


def outbox(contest_id: str, events: list[Event], now: int) -> list[Outbox | TournamentNotice]:
    """Return the rows of events for watchers, and of the notices for webhooks."""
    told = [Outbox(contest_id=contest_id, event=encode_event(event), created_at=now) for event in events]
    return [*told, *(_notice(contest_id, one, kind) for one in events for kind in name_kinds(one))]


def _notice(contest_id: str, event: Event, kind: str) -> TournamentNotice:
    return new_notice(TournamentNotice, kind, event.at, {"words": event.words}, contest=contest_id)


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
