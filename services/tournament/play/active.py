"""The check that the versions of a ladder's pairing are active when a worker gets its first block.

The registry is asked each time, so no notice can be lost, whichever replica claims. While it does not answer,
the pairing is played: matchmaking looks at its bots' versions every few seconds.
"""

import asyncio

from maumau.errors import MaumauError
from services.shared.base import log
from services.shared.rpc.registry import Versions
from services.tournament.store.blocks.queue import BlockClaim

PATIENCE = 2.0  # seconds in which the registry must have answered

logger = log.get(__name__)


async def explain_inactive(registry: Versions, claim: BlockClaim) -> str:
    """Return why a pairing that is about to begin is not played, "" if it is.

    Only ladders are of active versions: practice is of those that its author names, and tournaments of their
    entries.
    """
    if claim.contest.purpose != "ladder" or claim.isolated or claim.block.fence > 1:
        return ""
    try:
        async with asyncio.timeout(PATIENCE):
            found = await asyncio.gather(*(registry.is_active(seat.version_id) for seat in claim.seats))
    except (MaumauError, TimeoutError) as err:
        logger.warning("played unchecked", words=str(err), match=claim.job.label)
        return ""
    gone = [seat.bot_name for seat, active in zip(claim.seats, found, strict=True) if not active]
    if not gone:
        return ""
    which = "this version of it is" if len(gone) == 1 else "these versions of them are"
    return f"Taken back before it began: {' and '.join(gone)}: {which} not active any more."
