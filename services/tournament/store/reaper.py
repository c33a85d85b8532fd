"""Leases that ran out, blocks that nobody can play, and blocks that nobody needs: what the sweep does.

Times are ms since 1970, given by the caller.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, case, exists, func, select, union_all, update
from sqlmodel import Session, col

from services.shared.clock import SteadyClock
from services.shared.connect import Database
from services.tournament.culprit import are_enough
from services.tournament.event import Event, MatchPaused, MatchResumed
from services.tournament.models import Beat, Block, Contest, Failure, Job, Worker
from services.tournament.store.drop import count_rows, drop_blocks, drop_expired
from services.tournament.store.queue import (
    belongs,
    find_block,
    lock_block,
    lock_contest,
    note_change,
    outbox,
    queue_again,
)
from services.tournament.store.worker import is_present, note_failure

UNPLAYED_STATES = ("queued", "void")  # blocks that nobody plays any more once their contest is over
SET_BACK = 3_600_000  # ms; a clock that was set back further is followed at once
GOING_ON = ("running", "paused")  # states of a contest whose blocks are still wanted
FIRST_RETRY, LAST_RETRY = 60_000, 3_600_000  # ms until a block that was given up is tried again


class Reaper:
    """`limit`: how many attempts at a block must have failed before it is given up."""

    def __init__(self, database: Database, limit: int) -> None:
        self.database, self.limit = database, limit

    def beat(self, now: int, late: int, until: int) -> int:
        """Says that the service is at work. If it had not been for more than `late` ms: the number of leases.

        They hold at least to `until`, and one that runs out all the same costs nobody. A clock that was set
        back counts as away as well; replicas, whose clocks differ a little, need not beat in turn.
        """
        with self.database.write() as session:
            beat = session.get(Beat, 1) or Beat(id=1, at=0)
            before, is_in_time = beat.at, abs(now - beat.at) <= late
            beat.at = max(now, before) if is_in_time else now
            session.add(beat)
            if is_in_time:
                return 0
            held = update(Block).where(col(Block.state) == "claimed")
            count = count_rows(session.execute(held.values(excused=True)))
            lease = col(Block.lease_until)
            kept = held.where(lease >= min(before, now))
            later = case((lease < until, until), else_=lease) if now > before else until
            session.execute(kept.values(lease_until=later))
            if now < before:
                waiting = update(Block).where(col(Block.state) == "queued")
                session.execute(waiting.values(rests_until=0))
            return count

    def end_leases(self, now: int) -> int:
        """Queues blocks again whose lease ran out; how many. It is a failure of the worker that had it."""
        with self.database.read() as session:
            ids = session.scalars(select(col(Block.id)).where(_expired(now), _needed())).all()
        return sum(self._end_lease(block_id, now) for block_id in ids)

    def _end_lease(self, block_id: str, now: int) -> bool:
        with self.database.write() as session:
            block = lock_block(session, block_id)
            if block.state != "claimed" or block.lease_until >= now:
                return False
            if block.excused:
                block.attempts -= 1
            else:
                note_failure(session, block, "its lease ran out", now)
            queue_again(session, block)
            return True

    def release(self, workers: Sequence[str], now: int) -> int:
        """Ends the leases of workers that are no more; how many."""
        theirs = col(Block.state) == "claimed", col(Block.worker).in_(workers)
        with self.database.write() as session:
            blocks = session.scalars(
                select(Block).where(*theirs).order_by(col(Block.id)).with_for_update()
            ).all()
            for block in sorted(blocks, key=lambda one: one.worker):  # claims lock them in this order, too
                note_failure(session, block, "its worker ended", now)
                queue_again(session, block)
            return len(blocks)

    def void(self, now: int) -> list[str]:
        """Gives up blocks that too many workers failed at, and pauses their jobs; says so in words."""
        going_on = select(col(Contest.id)).where(col(Contest.state).in_(GOING_ON))
        failures, contest_id = select(col(Failure.block_id)), col(Failure.contest_id)
        each = failures.where(contest_id.in_(going_on)), failures.where(contest_id == "")
        block_id = union_all(*each).subquery().c.block_id  # an index finds each part, but not both at once
        often = select(block_id).group_by(block_id).having(func.count() >= self.limit)
        tried = select(col(Block.id), col(Failure.worker))
        tried = tried.join(Failure, col(Failure.block_id) == col(Block.id))
        counted = col(Failure.fence) > col(Block.forgiven), col(Failure.unfit).is_(False)
        tried = tried.where(col(Block.state) == "queued", *counted, _needed()).order_by(col(Block.id))
        failed: dict[str, list[str]] = {}
        with self.database.read() as session:
            if not (some := session.scalars(often).all()):  # few, however many blocks wait
                return []
            there = session.scalars(select(col(Worker.name)).where(*is_present(now))).all()
            for block_id, worker in session.execute(tried.where(col(Block.id).in_(some))):
                failed.setdefault(block_id, []).append(worker)
        ids = [one for one, by in failed.items() if len(by) >= self.limit and are_enough(by, there)]
        return [words for block_id in ids if (words := self._void(block_id, now))]

    def _void(self, block_id: str, now: int) -> str:
        with self.database.write() as session:
            contest = lock_contest(session, block_id)
            job = _lock_job(session, find_block(session, block_id).job_id)
            block = lock_block(session, block_id)
            if block.state != "queued" or job.state == "over":
                return ""
            block.state, block.voided = "void", block.voided + 1
            block.rests_until = now + rest_of_void(block.voided)
            job.state = "paused"
            note_change(contest, job)
            words = void_words(job.label, block.number, block.attempts, block.words)
            part = MatchPaused(block.number, block.attempts, block.words, block.rests_until)
            session.add_all(outbox(contest.id, [Event(now, "alert", words, job.label, part=part)], now))
            return words

    def try_again(self, now: int) -> int:
        """Lets jobs go on whose void blocks have rested; how many."""
        rested = select(func.min(col(Block.id))).where(
            col(Block.state) == "void", col(Block.rests_until) <= now
        )
        rested = rested.where(belongs(("paused",), ("running",))).group_by(col(Block.job_id))
        with self.database.read() as session:
            ids = session.scalars(rested).all()
        return sum(self._try_again(block_id, now) for block_id in sorted(ids))

    def _try_again(self, block_id: str, now: int) -> bool:
        with self.database.write() as session:
            contest = lock_contest(session, block_id)
            job = _lock_job(session, find_block(session, block_id).job_id)
            if job.state != "paused":
                return False
            go_on(session, contest, job, now)
            return True

    def drop(self, now: int) -> int:
        """Drops what nobody needs: waiting and void blocks of contests that are over, and blocks with an
        expired lease whose job or contest is over.

        It looks at no other block that waits: jobs drop theirs when they end.
        """
        left = exists().where(col(Block.contest_id) == Contest.id, col(Block.state).in_(UNPLAYED_STATES))
        over = select(col(Contest.id)).where(col(Contest.state) == "over", left)
        expired = _expired(now), ~_needed()
        with self.database.read() as session:
            ids = session.scalars(over).all()
            some = session.scalar(select(col(Block.id)).where(*expired).limit(1))
        if not ids and some is None:
            return 0
        with self.database.write() as session:
            dropped = drop_blocks(session, col(Block.contest_id).in_(ids), *UNPLAYED_STATES)
            return dropped + drop_expired(session, *expired)


def rest_of_void(voided: int) -> int:
    """For how many ms a block rests until it is tried again. voided: how often it was given up, from 1."""
    return min(FIRST_RETRY << min(max(voided, 1) - 1, 20), LAST_RETRY)


def start_clock(database: Database) -> SteadyClock:
    """Goes on where the service stopped, if the database's clock was set back a little since."""
    now = database.now()
    with database.read() as session:
        beat = session.get(Beat, 1)
    return SteadyClock(beat.at if beat and now < beat.at < now + SET_BACK else now)


def go_on(session: Session, contest: Contest, job: Job, at: int, reason: str = "") -> None:
    """A paused job is played again from its void blocks; who failed at them may try once more."""
    job.state = "open"
    note_change(contest, job)
    void = update(Block).where(col(Block.job_id) == job.id, col(Block.state) == "void")
    fresh = {"state": "queued", "attempts": 0, "queued_at": at, "rests_until": 0}
    session.execute(void.values(forgiven=Block.fence, **fresh))
    why = f": {reason}" if reason else ""
    words, part = f"match {job.label} goes on{why}", MatchResumed(reason)
    event = Event(at, "match_started", words, job.label, part=part)
    session.add_all(outbox(contest.id, [event], at))


def void_words(label: str, number: int, attempts: int, words: str) -> str:
    """Why a match is paused: its block of this number was given up."""
    return (
        f"match {label} is paused: block {number} was tried {attempts} times"
        f" without a result ({words or 'its workers said nothing'})"
    )


def _lock_job(session: Session, job_id: str) -> Job:
    return session.get_one(Job, job_id, with_for_update=True, populate_existing=True)


def _expired(now: int) -> Any:
    return and_(col(Block.state) == "claimed", col(Block.lease_until) < now)


def _needed() -> Any:
    """It is played now, or will be when somebody lifts a pause."""
    return belongs(("open", "paused"), GOING_ON)
