"""Blocks that nobody needs: with the block goes what was played of it, seating by seating."""

from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, select, update
from sqlalchemy.orm import Session
from sqlmodel import col

from services.tournament.models import Block, Job, PlayedSeating

FORGET = delete(PlayedSeating).where(col(PlayedSeating.block_id) == bindparam("played"))


def drop_block(session: Session, block: Block) -> None:
    """This one, which is locked."""
    block.state = "dropped"
    session.execute(FORGET, {"played": block.id})


def drop_blocks(session: Session, mine: ColumnElement[bool], *states: str) -> int:
    """Those of a job, or of contests, that are in one of these states; how many.

    The seatings go afterwards: one may have been kept until the block was dropped.
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


def end_job(session: Session, job_id: str) -> None:
    """It is over, and of its blocks those are dropped that wait.

    One that is about to be given back is locked and still claimed. It is waited for: else it would not be
    seen to wait here, nor its job to be over there, and it would wait for good.
    """
    session.execute(update(Job).where(col(Job.id) == job_id).values(state="over"))
    mine = col(Block.job_id) == job_id
    claimed = select(col(Block.id)).where(mine, col(Block.state) == "claimed")
    session.execute(claimed.order_by(col(Block.id)).with_for_update()).all()
    drop_blocks(session, mine, "queued", "void")


def drop_expired(session: Session, *expired: Any) -> int:
    """The blocks of leases that ran out, of what nobody needs; how many."""
    dropped = update(Block).where(*expired).values(state="dropped").returning(col(Block.id))
    ids = session.scalars(dropped.execution_options(synchronize_session=False)).all()
    if ids:
        session.connection().execute(FORGET, [{"played": block_id} for block_id in ids])
    return len(ids)


def count_rows(result: object) -> int:
    return int(getattr(result, "rowcount", 0))
