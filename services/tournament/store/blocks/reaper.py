"""Clean-up by the sweep: leases that ran out, blocks that cannot be played, blocks that are not needed.

Times are ms since 1970, given by the caller.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import and_, case, exists, func, select, union_all, update
from sqlmodel import Session, col

from services.shared.store.common_clock import Beat
from services.shared.store.connect import Database
from services.tournament.domain.attribution import are_enough
from services.tournament.domain.event import Event, MatchPaused, MatchResumed
from services.tournament.models import Block, Contest, Failure, Job, Worker
from services.tournament.store.blocks.drop import count_rows, drop_blocks, drop_expired
from services.tournament.store.blocks.queue import (
    belongs_to,
    find_block,
    lock_block,
    lock_contest,
    note_change,
    outbox,
    queue_again,
)
from services.tournament.store.blocks.worker import is_present, note_failure

UNPLAYED_STATES = ("queued", "void")  # blocks to drop once their contest is over
GOING_ON = ("running", "paused")  # states of a contest whose blocks are still needed
FIRST_RETRY, LAST_RETRY = 60_000, 3_600_000  # ms until a block that was given up is tried again


class Reaper:
    """Clean-up of blocks. `limit`: failed attempts after which a block is given up."""

    def __init__(self, database: Database, limit: int) -> None:
        self.database, self.limit = database, limit

    def end_leases(self, now: int) -> int:
        """Queue blocks whose lease ran out, as failures of their workers; return their number."""
        with self.database.read() as session:
            ids = session.scalars(select(col(Block.id)).where(_is_expired(now), _is_needed())).all()
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

    def release_leases(self, workers: Sequence[str], now: int) -> int:
        """End the leases of workers that are gone; return the number of leases."""
        theirs = col(Block.state) == "claimed", col(Block.worker).in_(workers)
        with self.database.write() as session:
            blocks = session.scalars(
                select(Block).where(*theirs).order_by(col(Block.id)).with_for_update()
            ).all()
            for block in sorted(blocks, key=lambda one: one.worker):  # claims lock them in this order, too
                note_failure(session, block, "its worker ended", now)
                queue_again(session, block)
            return len(blocks)

    def void_blocks(self, now: int) -> list[str]:
        """Give up blocks that too many workers failed at, and pause their jobs; return the reasons."""
        going_on = select(col(Contest.id)).where(col(Contest.state).in_(GOING_ON))
        failures, contest_id = select(col(Failure.block_id)), col(Failure.contest_id)
        each = failures.where(contest_id.in_(going_on)), failures.where(contest_id == "")
        block_id = union_all(*each).subquery().c.block_id  # an index serves each part, but not both at once
        often = select(block_id).group_by(block_id).having(func.count() >= self.limit)
        with self.database.read() as session:
            if not (some := session.scalars(often).all()):  # few, regardless of the queue's length
                return []
            ids = self._list_unplayable(session, some, now)
        return [words for block_id in ids if (words := self._void_block(block_id, now))]

    def _list_unplayable(self, session: Session, ids: Sequence[str], now: int) -> list[str]:
        """Return those of these waiting blocks that too many workers failed at."""
        tried = select(col(Block.id), col(Failure.worker))
        tried = tried.join(Failure, col(Failure.block_id) == col(Block.id))
        counted = col(Failure.fence) > col(Block.forgiven), col(Failure.unfit).is_(False)
        tried = tried.where(col(Block.state) == "queued", *counted, _is_needed()).order_by(col(Block.id))
        failed: dict[str, list[str]] = {}
        there = session.scalars(select(col(Worker.name)).where(*is_present(now))).all()
        for block_id, worker in session.execute(tried.where(col(Block.id).in_(ids))):
            failed.setdefault(block_id, []).append(worker)
        return [one for one, by in failed.items() if len(by) >= self.limit and are_enough(by, there)]

    def _void_block(self, block_id: str, now: int) -> str:
        with self.database.write() as session:
            contest = lock_contest(session, block_id)
            job = _lock_job(session, find_block(session, block_id).job_id)
            block = lock_block(session, block_id)
            if not self._list_unplayable(session, [block_id], now):
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
        """Resume jobs whose void blocks have rested; return the number of jobs."""
        rested = select(func.min(col(Block.id))).where(
            col(Block.state) == "void", col(Block.rests_until) <= now
        )
        rested = rested.where(belongs_to(("paused",), ("running",))).group_by(col(Block.job_id))
        with self.database.read() as session:
            ids = session.scalars(rested).all()
        return sum(self._try_again(block_id, now) for block_id in sorted(ids))

    def _try_again(self, block_id: str, now: int) -> bool:
        with self.database.write() as session:
            contest = lock_contest(session, block_id)
            job = _lock_job(session, find_block(session, block_id).job_id)
            if job.state != "paused" or contest.state != "running":
                return False
            go_on(session, contest, job, now)
            return True

    def drop_blocks(self, now: int) -> int:
        """Drop blocks that are not needed; return their number.

        They are waiting and void ones of contests that are over, and expired ones whose job or contest is
        over. Other waiting blocks are not scanned: jobs drop theirs when they end.
        """
        left = exists().where(col(Block.contest_id) == Contest.id, col(Block.state).in_(UNPLAYED_STATES))
        over = select(col(Contest.id)).where(col(Contest.state) == "over", left)
        expired = _is_expired(now), ~_is_needed()
        with self.database.read() as session:
            ids = session.scalars(over).all()
            some = session.scalar(select(col(Block.id)).where(*expired).limit(1))
        if not ids and some is None:
            return 0
        still = over.where(col(Contest.id).in_(ids)).order_by(col(Contest.id))  # copies may be queued in one
        with self.database.write() as session:
            ids = session.scalars(still.with_for_update(key_share=True)).all()
            dropped = drop_blocks(session, col(Block.contest_id).in_(ids), *UNPLAYED_STATES)
            return dropped + drop_expired(session, *expired)


def rest_of_void(voided: int) -> int:
    """Return the ms for which a void block rests. voided: number of times it was given up, from 1."""
    return min(FIRST_RETRY << min(max(voided, 1) - 1, 20), LAST_RETRY)


def excuse_block_leases(session: Session, beat: Beat, *, late: int, kept: int) -> int | None:
    """Excuse all leases if the service was away; return their number, None if it was not. late, kept: ms.

    It was if this beat and the last one are more than `late` apart, or seem to be because a clock was set.
    Leases that had not run out hold for at least `kept` from now on, as if there had just been progress, and
    one that runs out all the same is excused. If the time was set back they all hold for just as long, and
    queued blocks need no rest.
    """
    if beat.apart <= late:
        return None
    claimed = col(Block.state) == "claimed"
    in_order = select(col(Block.id)).where(claimed).order_by(col(Block.id))  # as renewals lock them
    session.execute(in_order.with_for_update())
    held, lease = update(Block).where(claimed), col(Block.lease_until)
    count = count_rows(session.execute(held.values(excused=True)))
    until = beat.now + kept
    later = until if beat.is_set_back else case((lease < until, until), else_=lease)
    kept_ones = held.where(lease >= min(beat.own, beat.last))
    session.execute(kept_ones.values(lease_until=later, progress_at=beat.now))
    if beat.is_set_back:
        session.execute(update(Block).where(col(Block.state) == "queued").values(rests_until=0))
    return count


def go_on(session: Session, contest: Contest, job: Job, at: int, reason: str = "") -> None:
    """Resume a paused job from its void blocks; workers that failed at them may try once more."""
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
    """Return the reason why a match is paused: its block of this number was given up."""
    return (
        f"match {label} is paused: block {number} was tried {attempts} times"
        f" without a result ({words or 'its workers said nothing'})"
    )


def _lock_job(session: Session, job_id: str) -> Job:
    return session.get_one(Job, job_id, with_for_update=True, populate_existing=True)


def _is_expired(now: int) -> Any:
    return and_(col(Block.state) == "claimed", col(Block.lease_until) < now)


def _is_needed() -> Any:
    """Return the condition that the block is played now, or will be after a pause."""
    return belongs_to(("open", "paused"), GOING_ON)
