"""Seatings reported one by one, stored until the block is complete.

Times are ms since 1970, given by the caller.
"""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import bindparam, select
from sqlmodel import Session, col

from maumau.errors import BadReport, BlockDropped
from services.shared.store.connect import Database
from services.tournament.models import Block, Contest, FirstRun, Job, PlayedSeating, Worker
from services.tournament.store.blocks.booking import DISTRUSTED
from services.tournament.store.blocks.drop import drop_block
from services.tournament.store.blocks.queue import check_lease, is_dropped, lock_block, queue_again
from services.tournament.store.blocks.worker import check_trust, mark_done


class PlayedSeatings:
    """Stored seatings; those of distrusted workers do not count."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def store_seating(
        self, part: PlayedSeating, seats: int, now: int
    ) -> tuple[bool, Sequence[PlayedSeating]]:
        """Store a seating; return whether it is new, and the block's seatings if it is complete.

        They are read in the transaction that stores this one: booking the block empties the stored seatings,
        and a repetition of this report may book it first. If any is missing, the block is queued again. Raise
        BlockDropped if it is no longer needed.
        """
        with self.database.write() as session:
            block = lock_block(session, part.block_id)
            known = session.get(PlayedSeating, (part.block_id, part.seating))
            is_new = known is None or known.fence != part.fence
            first = session.get(FirstRun, part.block_id)
            if (block.state == "done" and block.fence == part.fence) or (first and first.fence == part.fence):
                return False, ()
            if not is_new and block.state == "queued":
                return False, ()
            if block.state == "dropped" and block.fence == part.fence:
                raise BlockDropped
            check_lease(block, part.fence, now)
            if not check_trust(session, block.worker):
                raise BadReport(DISTRUSTED)
            session.merge(part)
            session.flush()
            parts = session.scalars(TRUSTED, {"block": block.id}).all()
            is_complete = len(parts) == seats
            is_over = not is_complete and _drop_block(session, block, part.fence)
            if not (is_complete or is_over):
                _queue_block(session, block, now)
            mark_done(session, block.worker, now)
        if is_over:
            raise BlockDropped
        return is_new, parts if is_complete else ()

    def queue_again(self, block_id: str, fence: int, now: int) -> None:
        """Queue a block again for a seating that no longer counts."""
        with self.database.write() as session:
            block = lock_block(session, block_id)
            if not _drop_block(session, block, fence):
                check_lease(block, fence, now)
                _queue_block(session, block, now)


def _drop_block(session: Session, block: Block, fence: int) -> bool:
    """Drop the block and return True if the work under this lease is no longer needed."""
    job, contest = session.get_one(Job, block.job_id), session.get_one(Contest, block.contest_id)
    is_over = is_dropped(block, fence, job.state, contest.state)
    if is_over:
        drop_block(session, block)
    return is_over


def _queue_block(session: Session, block: Block, now: int) -> None:
    queue_again(session, block)
    block.attempts, block.queued_at, block.rests_until = block.attempts - 1, now, now


def list_players(session: Session, block_id: str) -> dict[int, str]:
    """Return the players of a block by seating; empty if one worker played all."""
    rows = select(col(PlayedSeating.seating), col(PlayedSeating.worker)).where(
        col(PlayedSeating.block_id) == block_id
    )
    return {row.seating: row.worker for row in session.execute(rows)}


def find_seatings(connection: Any, block_ids: Collection[str]) -> dict[str, set[int]]:
    """Return the stored seatings by block; blocks without any are left out."""
    found: dict[str, set[int]] = {}
    for block_id, seating in connection.execute(SEATINGS, {"blocks": sorted(block_ids)}):
        found.setdefault(block_id, set()).add(seating)
    return found


def _select_trusted(*columns: Any) -> Any:
    trusted = col(Worker.name) == col(PlayedSeating.worker), col(Worker.distrusted_at) == 0
    return select(*columns).where(*trusted)


BLOCK_ID, SEATING = col(PlayedSeating.block_id), col(PlayedSeating.seating)
TRUSTED = _select_trusted(PlayedSeating).where(bindparam("block") == BLOCK_ID).order_by(SEATING)
SEATINGS = _select_trusted(BLOCK_ID, SEATING).where(BLOCK_ID.in_(bindparam("blocks", expanding=True)))
