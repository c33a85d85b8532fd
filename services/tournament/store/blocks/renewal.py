"""Renewal of leases: simultaneous ones share a transaction. Times are ms since 1970."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update
from sqlmodel import col

from maumau.errors import MaumauError, NoProgress, UnknownBlock
from services.shared.base.batcher import Batcher
from services.shared.store.connect import Database
from services.tournament.models import Block, Contest, Job
from services.tournament.store.blocks.drop import DELETE_SEATINGS
from services.tournament.store.blocks.queue import check_lease, is_dropped
from services.tournament.store.blocks.worker import note_callers


class Renewal(NamedTuple):
    """A worker's request to renew its lease.

    deals: finished so far. patience: ms without progress after which the lease is not renewed.
    """

    block_id: str
    fence: int
    deals: int
    now: int
    until: int
    patience: int


class Held(NamedTuple):
    """A block for renewal, with the states of its job and its contest."""

    id: str
    state: str
    fence: int
    worker: str
    deals_done: int
    progress_at: int
    lease_until: int
    job_state: str
    contest_state: str


class Renewals:
    """Renewals of leases, in batches."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._batcher = Batcher(self._renew_leases)

    def renew_lease(self, renewal: Renewal) -> bool:
        """Renew a lease; if the block is no longer needed, drop it and return False."""
        return self._batcher(renewal)

    def _renew_leases(self, asked: Sequence[Renewal]) -> list[bool | Exception]:
        with self.database.write() as session:
            connection = session.connection()
            rows = connection.execute(HELD, {"blocks": sorted({one.block_id for one in asked})})
            held = {row.id: Held._make(row) for row in rows}
            changes: dict[str, dict[str, Any]] = {}
            answers = [_renew_one(held, one, changes) for one in asked]
            if changes:
                connection.execute(RENEWED, list(changes.values()))
                if gone := [{"played": key} for key, one in changes.items() if one["stands"] == "dropped"]:
                    connection.execute(DELETE_SEATINGS, gone)
                heard = {held[one.block_id].worker: one.now for one in asked if one.block_id in changes}
                note_callers(connection, heard)
            return answers


def _renew_one(held: dict[str, Held], one: Renewal, changes: dict[str, dict[str, Any]]) -> bool | Exception:
    """Renew one lease and add its columns to the changes, by block."""
    try:
        if (block := held.get(one.block_id)) is None:
            raise UnknownBlock(f"There is no block {one.block_id!r}.", thing=one.block_id)
        dropped = is_dropped(block, one.fence, block.job_state, block.contest_state)
        after = block._replace(state="dropped") if dropped else _keep_held(block, one)
    except MaumauError as err:
        return err
    held[block.id] = after
    changes[block.id] = {
        "block": after.id,
        "stands": after.state,
        "deals": after.deals_done,
        "progress": after.progress_at,
        "until": after.lease_until,
    }
    return not dropped


def _keep_held(block: Held, one: Renewal) -> Held:
    check_lease(block, one.fence, one.now)
    if one.deals > block.deals_done:
        block = block._replace(deals_done=one.deals, progress_at=one.now)
    elif one.now - block.progress_at > one.patience:
        raise NoProgress
    return block._replace(lease_until=max(block.lease_until, one.until))  # excused at another replica


HELD = (
    select(
        *(col(getattr(Block, name)) for name in Held._fields[:7]),
        col(Job.state),
        col(Contest.state),
    )
    .join(Job, col(Job.id) == col(Block.job_id))
    .join(Contest, col(Contest.id) == col(Block.contest_id))
    .where(col(Block.id).in_(bindparam("blocks", expanding=True)))
    .order_by(col(Block.id))
    .with_for_update(of=Block)
)
RENEWED = (
    update(Block)
    .where(col(Block.id) == bindparam("block"))
    .values(
        state=bindparam("stands"),
        deals_done=bindparam("deals"),
        progress_at=bindparam("progress"),
        lease_until=bindparam("until"),
    )
)
