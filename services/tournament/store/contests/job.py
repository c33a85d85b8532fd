"""Contests for other services, and their jobs. Each change is one transaction; times are ms since 1970."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import exists, func, or_, select
from sqlmodel import Session, col

from maumau.contest.entrant import Entrant
from maumau.contest.export.chain import ChainJob as AskedJob
from maumau.contest.score import SetScore
from maumau.errors import UnknownContest, UnknownMatch, WrongState
from services.shared.base.ident import new_id
from services.shared.store.connect import Database
from services.tournament.domain.pack import unpack_scores
from services.tournament.models import Block, BlockFault, BlockResult, Contest, Job, JobSeat
from services.tournament.models.contest import ASKED_AND_OPEN
from services.tournament.store.blocks.drop import end_jobs
from services.tournament.store.blocks.queue import note_change
from services.tournament.store.blocks.reaper import void_words
from services.tournament.store.outcomes.first_run import list_put_off
from services.tournament.store.outcomes.job_link import link_end, link_jobs, list_asked, list_entrants

BATCH = 100  # results read at a time
UNFINISHED = ("queued", "claimed", "void")
TERMS = (
    "purpose",
    "author",
    "rules",
    "options",
    "rules_hash",
    "variant_toml",
    "seats",
    "score",
    "deal_ms",
    "memory",
)
"""Terms that two contests of one request share; their roots may be of different versions."""


class Seat(NamedTuple):
    """A program that plays. version: its number within the bot."""

    version_id: str
    sha256: str
    bot_name: str
    account_name: str
    built_sha256: str = ""
    built_platform: str = ""
    version: int = 0


class JobOrder(NamedTuple):
    """A job to create: programs by position, the number of sets, and the sets of a block."""

    label: str
    seats: tuple[Seat, ...]
    sets: int
    block: int


class Queued(NamedTuple):
    """The additions of an order of jobs. job_ids: new jobs by label; blocks: their number of blocks."""

    job_ids: dict[str, str]
    blocks: int


class Booked(NamedTuple):
    """A booked result. positions: by the entrants' numbers in the job.

    put_off: what happened to entrants for whose sake it was played a second time, by their numbers.
    """

    result: BlockResult
    label: str
    number: int
    scores: list[SetScore]
    faults: list[BlockFault]
    positions: dict[int, int]
    put_off: dict[int, str]


class JobNews(NamedTuple):
    """News for a follower. jobs: label, state, and why it is paused."""

    contest: Contest
    booked: list[Booked]
    jobs: list[tuple[str, str, str]]


class Jobs:
    """Contests other than tournaments, and their jobs."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def open_contest(self, contest: Contest) -> Contest:
        """Open a contest, or return the one that this request opened before.

        Raise WrongState if that one has other terms.
        """
        with self.database.write() as session:
            self.database.alone(session.connection())  # so that two calls do not both open it
            mine = select(Contest).where(col(Contest.request) == contest.request)
            known: Contest | None = session.scalars(mine.with_for_update()).one_or_none()
            if known is None:
                session.add(contest)
                session.flush()
                return contest
            if [getattr(known, name) for name in TERMS] != [getattr(contest, name) for name in TERMS]:
                raise WrongState(f"The request {contest.request!r} opened a contest of other terms.")
            return known

    def find_contest(self, contest_id: str) -> Contest:
        with self.database.read() as session:
            return _find_asked(session, contest_id)

    def find_job(self, contest_id: str, label: str) -> tuple[Contest, str]:
        """Return a contest and the id of its job of this label; raise UnknownMatch if there is none."""
        with self.database.read() as session:
            contest = _find_asked(session, contest_id)
            mine = select(col(Job.id)).where(col(Job.contest_id) == contest_id, col(Job.label) == label)
            job_id = session.scalars(mine).one_or_none()
        if job_id is None:
            raise UnknownMatch(f"The contest {contest_id} has no job {label[:40]!r}.", thing=label[:40])
        return contest, job_id

    def is_over(self, job_id: str) -> bool:
        """Return True if nothing of a job is played any more."""
        with self.database.read() as session:
            return session.scalars(select(col(Job.state)).where(col(Job.id) == job_id)).one() == "over"

    def create_jobs(self, contest_id: str, orders: Sequence[JobOrder], at: int) -> Queued:
        """Queue all jobs that do not exist yet."""
        with self.database.write() as session:
            contest = _find_asked(session, contest_id, lock=True)
            known = _find_known(session, contest_id, [order.label for order in orders])
            fresh = [order for order in orders if not _is_there(known, order)]
            if fresh and (contest.closed or contest.state == "over"):
                raise WrongState(f"The contest {contest_id} takes no more jobs.")
            numbers = _number_entrants(session, contest_id)
            known_numbers = set(numbers.values())
            jobs = [_add_job(session, contest_id, order, numbers) for order in fresh]
            session.flush()  # seats and blocks refer to jobs
            blocks = [
                block
                for job, order in zip(jobs, fresh, strict=True)
                for block in _add_parts(session, job, order, numbers, at)
            ]
            session.add_all(blocks)
            if jobs:
                note_change(contest, *jobs)
                entrants = _list_new(fresh, numbers, known_numbers)
                link_jobs(session, contest, entrants, _asked_jobs(fresh, numbers))
            return Queued({job.label: job.id for job in jobs}, len(blocks))

    def cancel_jobs(self, contest_id: str, labels: Sequence[str], *, only_unbegun: bool = False) -> list[str]:
        """End these jobs; return the labels of those that were not over.

        only_unbegun: only those of which no block was ever claimed.
        """
        with self.database.write() as session:
            contest = _find_asked(session, contest_id, lock=True)
            mine = select(Job).where(col(Job.contest_id) == contest_id, col(Job.label).in_(labels))
            jobs = session.scalars(mine.where(col(Job.state) != "over").with_for_update()).all()
            if only_unbegun:
                begun = _lock_begun(session, [job.id for job in jobs])
                jobs = [job for job in jobs if job.id not in begun]
            if jobs:
                end_jobs(session, [job.id for job in jobs])
                note_change(contest, *jobs)
            return [job.label for job in jobs]

    def close(self, contest_id: str) -> Contest:
        with self.database.write() as session:
            contest = _find_asked(session, contest_id, lock=True)
            if not contest.closed:
                contest.closed = True
                note_change(contest)
            return contest

    def settle_jobs(self, contest_id: str) -> bool:
        """End jobs that are played, and the contest after its last; return False if it is a tournament's."""
        with self.database.read() as session:
            contest = session.get(Contest, contest_id)
            if contest is None or not contest.request:
                return contest is not None and contest.purpose == "audit"  # ends by itself: blocks/audit.py
            if not (_list_played(session, contest_id) or _is_at_its_end(session, contest)):
                return True
        with self.database.write() as session:
            contest = _find_asked(session, contest_id, lock=True)
            jobs = _list_played(session, contest_id)
            for job in jobs:
                job.state = "over"
            session.flush()
            over = contest.state != "over" and _is_at_its_end(session, contest)
            if over:
                contest.state = "over"
            if jobs or over:
                note_change(contest, *jobs)
            if over:
                link_end(session, contest)
        return True

    def list_running(self) -> list[str]:
        """Return the contests that are not over."""
        mine = select(col(Contest.id)).where(ASKED_AND_OPEN)
        with self.database.read() as session:
            return list(session.scalars(mine))

    def list_entrants(self, contest_id: str) -> list[Entrant]:
        """All that were asked for in the contest, by their numbers."""
        with self.database.read() as session:
            return list_entrants(session, contest_id)

    def list_builds(self, contest_id: str) -> list[tuple[int, str, str]]:
        """Return for each built entrant its number, and the content hash and platform of its build."""
        seats = select(col(JobSeat.number), col(JobSeat.built_sha256), col(JobSeat.built_platform)).distinct()
        mine = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
        mine = mine.where(col(JobSeat.built_sha256) != "").order_by(col(JobSeat.number))
        with self.database.read() as session:
            return [tuple(row) for row in session.execute(mine)]

    def list_asked(self, contest_id: str) -> list[tuple[str, AskedJob]]:
        """Each job with its id; by label, shorter ones first."""
        with self.database.read() as session:
            return list_asked(session, contest_id)

    def seal_contest(self, contest_id: str) -> None:
        """End the chain of a contest that a replica of an earlier release ended."""
        with self.database.write() as session:
            link_end(session, _find_asked(session, contest_id, lock=True))

    def read_news(self, contest_id: str, after: int, changes: int) -> JobNews:
        """Return results after that booking, and jobs changed since the contest's count of changes was this.

        At first (`changes` is -1) these are the jobs of which no result tells how they stand: those that are
        paused, and those that ended before they began.
        """
        with self.database.read() as session:
            contest = _find_asked(session, contest_id)
            if contest.changes == changes:
                return JobNews(contest, [], [])
            return JobNews(
                contest, _list_booked(session, contest_id, after), _list_changed(session, contest_id, changes)
            )


def _find_asked(session: Session, contest_id: str, *, lock: bool = False) -> Contest:
    query = select(Contest).where(col(Contest.id) == contest_id, col(Contest.request) != "")
    found: Contest | None = session.scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise UnknownContest(f"There is no contest {contest_id!r} of jobs.", thing=contest_id)
    return found


def _find_known(
    session: Session, contest_id: str, labels: Sequence[str]
) -> dict[str, tuple[tuple[str, ...], int]]:
    """Return the versions and the number of sets of jobs that exist, by label."""
    mine = col(Job.contest_id) == contest_id, col(Job.label).in_(labels)
    seats = select(col(Job.label), col(JobSeat.version_id)).join(JobSeat, col(JobSeat.job_id) == col(Job.id))
    versions: dict[str, tuple[str, ...]] = {}
    for label, version_id in session.execute(seats.where(*mine).order_by(col(JobSeat.position))):
        versions[label] = (*versions.get(label, ()), version_id)
    sums = select(col(Job.label), func.sum(col(Block.sets))).join(Block, col(Block.job_id) == col(Job.id))
    sets = session.execute(sums.where(*mine).group_by(col(Job.label)))
    return {label: (versions[label], count) for label, count in sets}


def _is_there(known: dict[str, tuple[tuple[str, ...], int]], order: JobOrder) -> bool:
    wanted = tuple(seat.version_id for seat in order.seats), order.sets
    if known.get(order.label, wanted) != wanted:
        raise WrongState(f"There is a job {order.label} already, of other versions or sets.")
    return order.label in known


def _number_entrants(session: Session, contest_id: str) -> dict[str, int]:
    """Return the entrants' numbers in the contest, by version."""
    seats = select(col(JobSeat.version_id), func.min(col(JobSeat.number)))
    seats = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
    return {row[0]: row[1] for row in session.execute(seats.group_by(col(JobSeat.version_id)))}


def _add_job(session: Session, contest_id: str, order: JobOrder, numbers: dict[str, int]) -> Job:
    for seat in order.seats:
        numbers.setdefault(seat.version_id, len(numbers) + 1)
    job = Job(id=new_id("job"), contest_id=contest_id, label=order.label)
    session.add(job)
    return job


def _list_new(orders: Sequence[JobOrder], numbers: dict[str, int], known: Collection[int]) -> list[Entrant]:
    """Return the entrants of these orders that are not known, by number."""
    seats = {numbers[seat.version_id]: seat for order in orders for seat in order.seats}
    new = sorted(seats.keys() - set(known))
    return [Entrant(number, seats[number].bot_name, seats[number].sha256) for number in new]


def _asked_jobs(orders: Sequence[JobOrder], numbers: dict[str, int]) -> list[AskedJob]:
    return [
        AskedJob(order.label, tuple(numbers[seat.version_id] for seat in order.seats), order.sets)
        for order in orders
    ]


def _add_parts(session: Session, job: Job, order: JobOrder, numbers: dict[str, int], at: int) -> list[Block]:
    """Add the seats of a job; return its blocks."""
    session.add_all(
        JobSeat(job_id=job.id, position=position, number=numbers[seat.version_id], **seat._asdict())
        for position, seat in enumerate(order.seats)
    )
    return [
        Block(
            id=new_id("block"),
            job_id=job.id,
            contest_id=job.contest_id,
            number=number,
            first_set=first,
            sets=min(order.block, order.sets - first),
            queued_at=at,
        )
        for number, first in enumerate(range(0, order.sets, order.block))
    ]


def _list_played(session: Session, contest_id: str) -> list[Job]:
    """Return the jobs that have nothing left to play."""
    left = exists().where(col(Block.job_id) == col(Job.id), col(Block.state).in_(UNFINISHED))
    mine = select(Job).where(col(Job.contest_id) == contest_id, col(Job.state) == "open", ~left)
    return list(session.scalars(mine))


def _is_at_its_end(session: Session, contest: Contest) -> bool:
    """Return True if it takes no more jobs and nothing is being played: then its secret may be published."""
    if not contest.closed or contest.state == "over":
        return False
    mine = select(col(Job.id)).where(col(Job.contest_id) == contest.id, col(Job.state) != "over")
    held = select(col(Block.id)).where(col(Block.contest_id) == contest.id, col(Block.state) == "claimed")
    return not any(session.scalar(query.limit(1)) for query in (mine, held))


def _list_booked(session: Session, contest_id: str, after: int) -> list[Booked]:
    lines = select(BlockResult, col(Job.id), col(Job.label), col(Block.number))
    lines = lines.join(Block, col(Block.id) == col(BlockResult.block_id))
    lines = lines.join(Job, col(Job.id) == col(Block.job_id)).where(col(Block.contest_id) == contest_id)
    lines = lines.where(col(BlockResult.booking) > after).order_by(col(BlockResult.booking)).limit(BATCH)
    found = session.execute(lines).all()
    seats: dict[str, dict[int, int]] = {}
    theirs = col(JobSeat.job_id).in_({job_id for _, job_id, _, _ in found})
    for seat in session.scalars(select(JobSeat).where(theirs)):
        seats.setdefault(seat.job_id, {})[seat.number] = seat.position
    faults: dict[str, list[BlockFault]] = {}
    made = col(BlockFault.block_id).in_([result.block_id for result, _, _, _ in found])
    for fault in session.scalars(select(BlockFault).where(made).order_by(col(BlockFault.id))):
        faults.setdefault(fault.block_id, []).append(fault)
    put_off = list_put_off(session, [result.block_id for result, _, _, _ in found])
    return [
        Booked(
            result,
            label,
            number,
            unpack_scores(result.scores),
            faults.get(result.block_id, []),
            seats[job_id],
            put_off.get(result.block_id, {}),
        )
        for result, job_id, label, number in found
    ]


def _list_changed(session: Session, contest_id: str, changes: int) -> list[tuple[str, str, str]]:
    mine = select(Job).where(col(Job.contest_id) == contest_id)
    unheard = or_(col(Job.state) == "paused", col(Job.words) != "")
    mine = mine.where(col(Job.changed) > changes if changes >= 0 else unheard)
    jobs = session.scalars(mine.order_by(col(Job.id))).all()
    void = select(Block).where(
        col(Block.job_id).in_([job.id for job in jobs if job.state == "paused"]), col(Block.state) == "void"
    )
    words = {job.id: job.words for job in jobs if job.words}
    labels = {job.id: job.label for job in jobs}
    for block in session.scalars(void.order_by(col(Block.number).desc())):
        words[block.job_id] = void_words(labels[block.job_id], block.number, block.attempts, block.words)
    return [(job.label, job.state, words.get(job.id, "")) for job in jobs]


def _lock_begun(session: Session, job_ids: Sequence[str]) -> set[str]:
    """Return the jobs of which a block was claimed; no other block of these is claimed until the end."""
    blocks = select(col(Block.job_id), col(Block.fence)).where(col(Block.job_id).in_(job_ids))
    rows = session.execute(blocks.order_by(col(Block.id)).with_for_update())
    return {job_id for job_id, fence in rows if fence}
