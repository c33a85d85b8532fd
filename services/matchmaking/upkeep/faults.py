"""Suspension of versions that lose pairing after pairing of a ladder, or need too many second runs.

A version that passed its validation and then answers nothing would lose every deal of a ladder, and take its
opponents' time, for ever. One that runs out of time or is killed in every block has each of them played
twice. Matches of tournaments are counted by the tournament service.
"""

from asyncio import to_thread
from collections.abc import Sequence
from dataclasses import dataclass, field

from maumau.errors import MaumauError
from maumau.referee.second_run import BLOCKS_IN_A_ROW, describe_excess, find_row
from services.matchmaking.models import Epoch, Ladder, Practice
from services.matchmaking.store import Ladders
from services.matchmaking.store.booking import Booked
from services.matchmaking.store.practice import more_versions
from services.shared.base import log
from services.shared.rpc.registry import Versions

IN_A_ROW = 3  # pairings; a version with this many is suspended
MOST = 1 / 2  # share of the deals of a pairing, lost by faults, from which on it is counted

logger = log.get(__name__)


@dataclass
class FirstRuns:
    """The blocks of a version in a contest so far. late: in whose first runs it had provisional faults."""

    blocks: int = 0
    late: list[int] = field(default_factory=list)

    def count_block(self, *, is_late: bool) -> str:
        """Count a block; return why the version is to be suspended, such as "3 blocks in a row", or ""."""
        if is_late:
            self.late.append(self.blocks)
        self.blocks += 1
        if not (is_late and describe_excess(self.late, self.blocks)):
            return ""
        if find_row(self.late):
            return f"{BLOCKS_IN_A_ROW} blocks in a row"
        return f"{len(self.late)} of {self.blocks} blocks"


class FaultWatch:
    """Counts in memory: after a restart of the service a version has a few pairings more."""

    def __init__(self, ladders: Ladders, versions: Versions) -> None:
        self.ladders, self.versions = ladders, versions
        self._in_row: dict[str, int] = {}
        self._first_runs: dict[str, dict[str, FirstRuns]] = {}  # by contest and version

    async def count_result(self, ladder: Ladder, epoch: Epoch, one: Booked) -> bool:
        """Count a result of a ladder; return True if a version of it was suspended."""
        versions = await to_thread(self.ladders.versions_of, epoch.id, int(one.label))
        pairing = f"{epoch.number}.{one.label}"
        faulty = f"faults in most deals of {IN_A_ROW} pairings in a row on the ladder {ladder.name}"
        due = dict.fromkeys(self.count_faults(versions, one.faults, one.sets * ladder.seats), faulty)
        for version, words in self.count_first_runs(epoch.id, versions, one.put_off).items():
            due.setdefault(version, f"{words} on the ladder {ladder.name}")
        suspended = [
            await self._suspend_version(each, f"{words}, last in {pairing}") for each, words in due.items()
        ]
        return any(suspended)

    async def count_practice(self, practice: Practice, one: Booked) -> None:
        """Count a result of practice, which is nobody else's business: the reason does not name it.

        Only the bot that practises can be suspended. Its opponents have not chosen to play.
        """
        versions = practice.version_id, practice.other_id, *more_versions(practice)
        due = self.count_first_runs(practice.id, versions, one.put_off)
        if words := due.get(practice.version_id):
            await self._suspend_version(practice.version_id, f"{words} of a practice match")

    def forget_contest(self, contest: str) -> None:
        """Forget the blocks of an epoch or a practice match that is over."""
        self._first_runs.pop(contest, None)

    def count_first_runs(
        self, contest: str, versions: Sequence[str], put_off: Sequence[tuple[int, str]]
    ) -> dict[str, str]:
        """Return the versions that are to be suspended for too many second runs, each with the reason."""
        counts, happened, due = self._first_runs.setdefault(contest, {}), dict(put_off), {}
        for position, version in enumerate(versions):
            found = counts.setdefault(version, FirstRuns())
            if excess := found.count_block(is_late=position in happened):
                due[version] = f"{happened[position]} in the first runs of {excess}"
        return due

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

    async def _suspend_version(self, version: str, words: str) -> bool:
        """Tell the registry; if it does not answer, the version's next result does."""
        try:
            await self.versions.suspend(version, words)
        except MaumauError as err:
            logger.warning("not suspended yet", version=version, words=str(err))
            return False
        self._in_row.pop(version, None)
        for counts in self._first_runs.values():
            counts.pop(version, None)
        logger.info("suspended", version=version, words=words)
        return True
