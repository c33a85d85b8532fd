"""The check that the versions of a ladder's pairing are active when a worker gets its first block.

The registry is asked each time, so no notice can be lost, whichever replica claims. While it does not answer,
the pairing is played: matchmaking looks at its bots' versions every few seconds.
"""

import asyncio

from maumau.errors import MaumauError
from services.shared.base import log
from services.shared.rpc.registry import Versions
from services.tournament.store.blocks.queue import BlockClaim

REGISTRY_PATIENCE = 2.0  # seconds in which the registry must have answered

logger = log.get(__name__)


async def explain_inactive(registry: Versions, claim: BlockClaim) -> str:
    """Return why a pairing that is about to begin is not played, "" if it is.

    Only ladders are of active versions: practice is of those that its author names, and tournaments of their
    entries.
    """
    if claim.contest.purpose != "ladder" or claim.isolated or claim.block.fence > 1:
        return ""
    try:
        async with asyncio.timeout(REGISTRY_PATIENCE):
            inactive = await registry.list_inactive([seat.version_id for seat in claim.seats])
    except (MaumauError, TimeoutError) as err:
        logger.warning("played unchecked", words=str(err), match=claim.job.label)
        return ""
    return next((describe_inactive(seat.bot_name) for seat in claim.seats if seat.version_id in inactive), "")


def describe_inactive(bot: str) -> str:
    """Return why a pairing with an inactive version of this bot is not played."""
    return f"Taken back before it began: this version of {bot} is not active any more."
