"""Cancellation of pairings that no worker has begun."""

from asyncio import to_thread
from collections.abc import Sequence
from itertools import groupby

from services.matchmaking.client import Core
from services.matchmaking.store import Ladders
from services.matchmaking.store.pairing import UnbookedPairing

GONE = "Taken back before it began: one of its bots has left or plays another version."
MADE_ROOM = "Taken back before it began: a newcomer was paired first."


async def take_back_gone(ladders: Ladders, core: Core, ladder: str) -> None:
    """Take back a ladder's unbegun pairings with a bot that has left or was replaced."""
    found = await to_thread(ladders.list_unbooked, ladder)
    await take_back(ladders, core, [one for one in found if one.gone], GONE)


async def take_back(ladders: Ladders, core: Core, found: Sequence[UnbookedPairing], words: str) -> None:
    """End those of these pairings that no worker has begun.

    A pairing that is not marked as queued may be in the queue all the same, if that answer was lost.
    """
    for (epoch_id, contest_id), group in groupby(found, lambda one: (one.epoch_id, one.contest_id)):
        pairings = list(group)
        labels = [one.label for one in pairings if one.state == "new"]
        if contest_id:
            labels += map(int, await core.cancel_unbegun(contest_id, [str(one.label) for one in pairings]))
        await to_thread(ladders.take_back, epoch_id, labels, words)
