"""First runs of blocks that were played a second time: whose provisional faults were the reason."""

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import select
from sqlmodel import Session, col

from maumau.referee.second_run import describe_provisional
from services.tournament.domain.measured import FirstFaults, ProvisionalFault
from services.tournament.models import FirstRun


def list_put_off(session: Session, block_ids: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return what happened in the first runs of these blocks: words by entrant's number, by block."""
    mine = select(col(FirstRun.block_id), col(FirstRun.measured)).where(col(FirstRun.block_id).in_(block_ids))
    return {
        block_id: _describe_entrants(msgspec.msgpack.decode(measured, type=FirstFaults).overran)
        for block_id, measured in session.execute(mine)
    }


def _describe_entrants(faults: Iterable[ProvisionalFault]) -> dict[int, str]:
    found: dict[int, list[ProvisionalFault]] = {}
    for fault in faults:
        found.setdefault(fault.entrant, []).append(fault)
    return {number: describe_provisional(some) for number, some in found.items()}
