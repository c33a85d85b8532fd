"""Contests that others ask for, and their jobs. Every change is one transaction; times are ms since 1970."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import exists, func, select
from sqlmodel import Session, col

from maumau.contest.entrant import Entrant
from maumau.contest.score import SetScore
from maumau.errors import UnknownContest, WrongState
from services.shared.connect import Database
from services.shared.ident import new_id
from services.tournament.models import Block, BlockResult, Contest, Fault, Job, JobSeat
from services.tournament.models.contest import ASKED_AND_OPEN
from services.tournament.pack import unpack_scores
from services.tournament.store.drop import end_jobs
from services.tournament.store.queue import note_change
from services.tournament.store.reaper import void_words

BATCH = 100  # results that are read at once
UNFINISHED = ("queued", "claimed", "void")


class Seat(NamedTuple):
    """A program that plays."""

    version_id: str
    sha256: str
    bot_name: str
    account_name: str
    built_sha256: str = ""
    built_platform: str = ""


class JobOrder(NamedTuple):
    """Who plays whom, by position, and how many sets in blocks of how many."""

    label: str
    seats: tuple[Seat, ...]
    sets: int
    block: int


class Queued(NamedTuple):
    """What an order of jobs has added. job_ids: of the new jobs, by label; blocks: how many they have."""

    job_ids: dict[str, str]
    blocks: int


class Booked(NamedTuple):
    """A result. positions: of the entrants' numbers in the job."""

    result: BlockResult
    label: str
    number: int
    scores: list[SetScore]
    faults: list[Fault]
    positions: dict[int, int]


class News(NamedTuple):
    """What a follower has not been told. jobs: label, state, and why it is paused."""

    contest: Contest
    booked: list[Booked]
    jobs: list[tuple[str, str, str]]


class Jobs:
    """What is played and is no tournament."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def open(self, contest: Contest) -> Contest:
        """The contest of this request, which may be there already."""
        with self.database.write() as session:
            mine = select(Contest).where(col(Contest.request) == contest.request)
            known: Contest | None = session.scalars(mine.with_for_update()).one_or_none()
            if known is None:
                session.add(contest)
                session.flush()
                return contest
            if (known.root, known.author, known.purpose) != (contest.root, contest.author, contest.purpose):
                raise WrongState(f"The request {contest.request!r} opened a contest of other terms.")
            return known

    def find(self, contest_id: str) -> Contest:
        with self.database.read() as session:
            return _asked(session, contest_id)

    def create(self, contest_id: str, orders: Sequence[JobOrder], at: int) -> Queued:
        """Queues all jobs that are not there."""
        with self.database.write() as session:
            contest = _asked(session, contest_id, lock=True)
            known = _known(session, contest_id, [order.label for order in orders])
            fresh = [order for order in orders if not _is_there(known, order)]
            if fresh and (contest.closed or contest.state == "over"):
                raise WrongState(f"The contest {contest_id} takes no more jobs.")
            numbers = _numbers(session, contest_id)
            jobs = [_add(session, contest_id, order, numbers) for order in fresh]
            session.flush()  # seats and blocks refer to jobs
            blocks = [
                block for job, order in zip(jobs, fresh, strict=True)
                for block in _parts(session, job, order, numbers, at)
            ]  # fmt: skip
            session.add_all(blocks)
            if jobs:
                note_change(contest, *jobs)
            return Queued({job.label: job.id for job in jobs}, len(blocks))

    def cancel(self, contest_id: str, labels: Sequence[str]) -> int:
        """Ends these jobs; how many were not over."""
        with self.database.write() as session:
            contest = _asked(session, contest_id, lock=True)
            mine = select(Job).where(col(Job.contest_id) == contest_id, col(Job.label).in_(labels))
            jobs = session.scalars(mine.where(col(Job.state) != "over").with_for_update()).all()
            if jobs:
                end_jobs(session, [job.id for job in jobs])
                note_change(contest, *jobs)
            return len(jobs)

    def close(self, contest_id: str) -> Contest:
        with self.database.write() as session:
            contest = _asked(session, contest_id, lock=True)
            if not contest.closed:
                contest.closed = True
                note_change(contest)
            return contest

    def settle(self, contest_id: str) -> bool:
        """Ends jobs that are played, and the contest after its last one. False: it is a tournament's."""
        with self.database.read() as session:
            contest = session.get(Contest, contest_id)
            if contest is None or not contest.request:
                return contest is not None and contest.purpose == "audit"  # ends by itself: store/audit.py
            if not (_played(session, contest_id) or _is_at_its_end(session, contest)):
                return True
        with self.database.write() as session:
            contest = _asked(session, contest_id, lock=True)
            jobs = _played(session, contest_id)
            for job in jobs:
                job.state = "over"
            session.flush()
            over = contest.state != "over" and _is_at_its_end(session, contest)
            if over:
                contest.state = "over"
            if jobs or over:
                note_change(contest, *jobs)
        return True

    def running(self) -> list[str]:
        """Contests that are not over."""
        mine = select(col(Contest.id)).where(ASKED_AND_OPEN)
        with self.database.read() as session:
            return list(session.scalars(mine))

    def entrants(self, contest_id: str) -> list[Entrant]:
        """All that were asked for in the contest, by their numbers."""
        seats = select(col(JobSeat.number), col(JobSeat.bot_name), col(JobSeat.sha256)).distinct()
        mine = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
        with self.database.read() as session:
            return [Entrant(*row) for row in session.execute(mine.order_by(col(JobSeat.number)))]

    def builds(self, contest_id: str) -> list[tuple[int, str, str]]:
        """Of each entrant that was built its number, the content hash of the build and where it was built."""
        seats = select(col(JobSeat.number), col(JobSeat.built_sha256), col(JobSeat.built_platform)).distinct()
        mine = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
        mine = mine.where(col(JobSeat.built_sha256) != "").order_by(col(JobSeat.number))
        with self.database.read() as session:
            return [tuple(row) for row in session.execute(mine)]

    def asked(self, contest_id: str) -> list[tuple[str, str, tuple[int, ...], int]]:
        """Of each job its id, label, entrants by position and sets; by label, shorter ones first."""
        sums = select(col(Job.id), col(Job.label), func.sum(col(Block.sets)))
        sums = sums.join(Block, col(Block.job_id) == col(Job.id)).where(col(Job.contest_id) == contest_id)
        seats = select(col(JobSeat.job_id), col(JobSeat.number)).join(Job, col(Job.id) == col(JobSeat.job_id))
        seats = seats.where(col(Job.contest_id) == contest_id).order_by(col(JobSeat.position))
        with self.database.read() as session:
            numbers: dict[str, tuple[int, ...]] = {}
            for job_id, number in session.execute(seats):
                numbers[job_id] = (*numbers.get(job_id, ()), number)
            found = session.execute(sums.group_by(col(Job.id), col(Job.label))).all()
        found = sorted(found, key=lambda row: (len(row[1]), row[1]))  # ids of a millisecond have no order
        return [(job_id, label, numbers[job_id], sets) for job_id, label, sets in found]

    def news(self, contest_id: str, after: int, changes: int) -> News:
        """Results after that booking, and jobs that changed since the contest had so many changes.

        At first (`changes` is -1) only jobs that are paused.
        """
        with self.database.read() as session:
            contest = _asked(session, contest_id)
            if contest.changes == changes:
                return News(contest, [], [])
            return News(contest, _booked(session, contest_id, after), _changed(session, contest_id, changes))


def _asked(session: Session, contest_id: str, *, lock: bool = False) -> Contest:
    query = select(Contest).where(col(Contest.id) == contest_id, col(Contest.request) != "")
    found: Contest | None = session.scalars(query.with_for_update() if lock else query).one_or_none()
    if found is None:
        raise UnknownContest(f"There is no contest {contest_id!r} of jobs.", thing=contest_id)
    return found


def _known(
    session: Session, contest_id: str, labels: Sequence[str]
) -> dict[str, tuple[tuple[str, ...], int]]:
    """The versions and the number of sets of jobs that are there, by label."""
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


def _numbers(session: Session, contest_id: str) -> dict[str, int]:
    """The entrants' numbers in the contest, by version."""
    seats = select(col(JobSeat.version_id), func.min(col(JobSeat.number)))
    seats = seats.join(Job, col(Job.id) == col(JobSeat.job_id)).where(col(Job.contest_id) == contest_id)
    return {row[0]: row[1] for row in session.execute(seats.group_by(col(JobSeat.version_id)))}


def _add(session: Session, contest_id: str, order: JobOrder, numbers: dict[str, int]) -> Job:
    for seat in order.seats:
        numbers.setdefault(seat.version_id, len(numbers) + 1)
    job = Job(id=new_id("job"), contest_id=contest_id, label=order.label)
    session.add(job)
    return job


def _parts(session: Session, job: Job, order: JobOrder, numbers: dict[str, int], at: int) -> list[Block]:
    """Adds the seats of a job; its blocks."""
    session.add_all(
        JobSeat(job_id=job.id, position=position, number=numbers[seat.version_id], **seat._asdict())
        for position, seat in enumerate(order.seats)
    )
    return [
        Block(
            id=new_id("block"), job_id=job.id, contest_id=job.contest_id, number=number, first_set=first,
            sets=min(order.block, order.sets - first), queued_at=at,
        )
        for number, first in enumerate(range(0, order.sets, order.block))
    ]  # fmt: skip


def _played(session: Session, contest_id: str) -> list[Job]:
    """Jobs of which nothing is left to play."""
    left = exists().where(col(Block.job_id) == col(Job.id), col(Block.state).in_(UNFINISHED))
    mine = select(Job).where(col(Job.contest_id) == contest_id, col(Job.state) == "open", ~left)
    return list(session.scalars(mine))


def _is_at_its_end(session: Session, contest: Contest) -> bool:
    """It takes no more jobs, and nobody plays one: then its secret may be known."""
    if not contest.closed or contest.state == "over":
        return False
    mine = select(col(Job.id)).where(col(Job.contest_id) == contest.id, col(Job.state) != "over")
    held = select(col(Block.id)).where(col(Block.contest_id) == contest.id, col(Block.state) == "claimed")
    return not any(session.scalar(query.limit(1)) for query in (mine, held))


def _booked(session: Session, contest_id: str, after: int) -> list[Booked]:
    lines = select(BlockResult, col(Job.id), col(Job.label), col(Block.number))
    lines = lines.join(Block, col(Block.id) == col(BlockResult.block_id))
    lines = lines.join(Job, col(Job.id) == col(Block.job_id)).where(col(Block.contest_id) == contest_id)
    lines = lines.where(col(BlockResult.booking) > after).order_by(col(BlockResult.booking)).limit(BATCH)
    found = session.execute(lines).all()
    seats: dict[str, dict[int, int]] = {}
    theirs = col(JobSeat.job_id).in_({job_id for _, job_id, _, _ in found})
    for seat in session.scalars(select(JobSeat).where(theirs)):
        seats.setdefault(seat.job_id, {})[seat.number] = seat.position
    faults: dict[str, list[Fault]] = {}
    made = col(Fault.block_id).in_([result.block_id for result, _, _, _ in found])
    for fault in session.scalars(select(Fault).where(made).order_by(col(Fault.id))):
        faults.setdefault(fault.block_id, []).append(fault)
    return [
        Booked(
            result,
            label,
            number,
            unpack_scores(result.scores),
            faults.get(result.block_id, []),
            seats[job_id],
        )
        for result, job_id, label, number in found
    ]


def _changed(session: Session, contest_id: str, changes: int) -> list[tuple[str, str, str]]:
    mine = select(Job).where(col(Job.contest_id) == contest_id)
    mine = mine.where(col(Job.changed) > changes if changes >= 0 else col(Job.state) == "paused")
    jobs = session.scalars(mine.order_by(col(Job.id))).all()
    void = select(Block).where(
        col(Block.job_id).in_([job.id for job in jobs if job.state == "paused"]), col(Block.state) == "void"
    )
    words: dict[str, str] = {}
    labels = {job.id: job.label for job in jobs}
    for block in session.scalars(void.order_by(col(Block.number).desc())):
        words[block.job_id] = void_words(labels[block.job_id], block.number, block.attempts, block.words)
    return [(job.label, job.state, words.get(job.id, "")) for job in jobs]
