"""Suspension of versions that lose pairing after pairing of a ladder by their own doing.

A version that passed its validation and then answers nothing would lose every deal of a ladder, and take its
opponents' time, for ever. Matches of tournaments are counted by the tournament service.
"""

from asyncio import to_thread
from collections.abc import Sequence

from maumau.errors import MaumauError
from services.matchmaking.models import Epoch, Ladder
from services.matchmaking.store import Ladders
from services.matchmaking.store.ladder import Booked
from services.shared.base import log
from services.shared.rpc.registry import Versions

IN_A_ROW = 3  # pairings; a version with this many is suspended
MOST = 1 / 2  # share of the deals of a pairing, lost by faults, from which on it is counted

logger = log.get(__name__)


class FaultWatch:
    """Counts in memory: after a restart of the service a version has a few pairings more."""

    def __init__(self, ladders: Ladders, versions: Versions) -> None:
        self.ladders, self.versions = ladders, versions
        self._in_row: dict[str, int] = {}

    async def count_result(self, ladder: Ladder, epoch: Epoch, one: Booked) -> bool:
        """Count a result; return True if a version of it was suspended."""
        deals = one.sets * ladder.seats
        if not self._in_row and max(one.faults) < MOST * deals:
            return False
        versions = await to_thread(self.ladders.versions_of, epoch.id, int(one.label))
        due = self.count_faults(versions, one.faults, deals)
        return any([await self._suspend_version(each, ladder, f"{epoch.number}.{one.label}") for each in due])

    def count_faults(self, versions: Sequence[str], faults: Sequence[int], deals: int) -> list[str]:
        """Return the versions that are to be suspended after a pairing of so many deals."""
        due = []
        for version, lost in zip(versions, faults, strict=True):
            if lost < MOST * deals:
                self._in_row.pop(version, None)
                continue
            self._in_row[version] = self._in_row.get(version, 0) + 1
            if self._in_row[version] >= IN_A_ROW:
                due.append(version)
        return due

    async def _suspend_version(self, version: str, ladder: Ladder, pairing: str) -> bool:
        """Tell the registry; if it does not answer, the version's next result does."""
        words = (
            f"faults in most deals of {IN_A_ROW} pairings in a row on the ladder {ladder.name}, last in"
            f" {pairing}"
        )
        try:
            await self.versions.suspend(version, words)
        except MaumauError as err:
            logger.warning("not suspended yet", version=version, words=str(err))
            return False
        self._in_row.pop(version, None)
        logger.info("suspended", version=version, words=words)
        return True
