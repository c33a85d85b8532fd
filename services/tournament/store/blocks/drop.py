"""Removal of blocks that are not needed, together with their seatings played so far."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, select, update
from sqlalchemy.orm import Session
from sqlmodel import col

from services.tournament.models import Block, Job, PlayedSeating

DELETE_SEATINGS = delete(PlayedSeating).where(col(PlayedSeating.block_id) == bindparam("played"))

UNFINISHED = ("queued", "claimed", "void")


def drop_block(session: Session, block: Block) -> None:
    """Drop this block, which is locked."""
    block.state = "dropped"
    session.execute(DELETE_SEATINGS, {"played": block.id})


def drop_blocks(session: Session, mine: ColumnElement[bool], *states: str) -> int:
    """Drop the blocks of a job, or of contests, that are in one of these states; return their number.

    Seatings are deleted afterwards: one may have been stored until the block was dropped.
    """
    unneeded = update(Block).where(mine, col(Block.state).in_(states))
    count = count_rows(session.execute(unneeded.values(state="dropped")))
    if count:
        dropped = select(col(Block.id)).where(mine, col(Block.state) == "dropped")
        session.execute(
            delete(PlayedSeating).where(col(PlayedSeating.block_id).in_(dropped)),
            execution_options={"synchronize_session": False},
        )
    return count


def end_jobs(session: Session, job_ids: Sequence[str]) -> None:
    """End jobs and drop their waiting blocks.

    A block that is being given back is locked and still claimed: without waiting for it, it would be queued
    later and stay so. Blocks are locked in the order of their ids, regardless of job, as elsewhere.
    """
    if not job_ids:
        return
    session.execute(
        update(Job).where(col(Job.id).in_(job_ids)).values(state="over"),
        execution_options={"synchronize_session": False},
    )
    mine = col(Block.job_id).in_(job_ids)
    claimed = select(col(Block.id)).where(mine, col(Block.state) == "claimed")
    session.execute(claimed.order_by(col(Block.id)).with_for_update()).all()
    drop_blocks(session, mine, "queued", "void")


def end_blocks(session: Session, contest_id: str) -> None:
    """Drop what a contest, which is locked, has left to play: nothing is booked after the link of its end.

    A worker that still plays such a block is told so when it reports it.
    """
    mine = col(Block.contest_id) == contest_id, col(Block.state).in_(UNFINISHED)
    session.execute(select(col(Block.id)).where(*mine).order_by(col(Block.id)).with_for_update()).all()
    drop_blocks(session, mine[0], *UNFINISHED)


def drop_expired(session: Session, *expired: Any) -> int:
    """Drop expired blocks that are not needed; return their number."""
    dropped = update(Block).where(*expired).values(state="dropped").returning(col(Block.id))
    ids = session.scalars(dropped.execution_options(synchronize_session=False)).all()
    if ids:
        session.connection().execute(DELETE_SEATINGS, [{"played": block_id} for block_id in ids])
    return len(ids)


def count_rows(result: object) -> int:
    return int(getattr(result, "rowcount", 0))
