"""Recovery of blocks that are not played, and attribution of their failures."""

from collections.abc import Sequence
from functools import partial

from services.shared.base import log
from services.shared.store.common_clock import CommonClock
from services.tournament.metrics import TournamentMetrics
from services.tournament.store.blocks.reaper import Reaper, excuse_block_leases
from services.tournament.store.upkeep.trouble import Troubles

SLOW = 5.0  # seconds that a worker waits for the answer to a renewal

logger = log.get(__name__)


class Keeper:
    """Upkeep of leases. sweep: seconds between two sweeps; lease: seconds that a claim holds."""

    def __init__(
        self,
        reaper: Reaper,
        troubles: Troubles,
        clock: CommonClock,
        metrics: TournamentMetrics,
        sweep: float,
        lease: float,
    ) -> None:
        self.reaper, self.troubles, self.clock, self.metrics = reaper, troubles, clock, metrics
        self.lease = lease
        self._agreed_at = 0  # when all replicas have heard of the last jump of the time, and excused leases
        self.every = min(sweep, lease / 8)  # seconds between two beats

    def record_beat(self) -> None:
        """Record that the service is at work; leases that may run out because of its absence are excused."""
        late, kept = int(1000 * (self.every + min(SLOW, self.lease / 4))), int(500 * self.lease)
        leases = self.clock.beat(partial(excuse_block_leases, late=late, kept=kept))
        if leases is not None:
            self._agreed_at = self.clock() + late
        if leases:
            logger.warning("the service was away or slow: leases cost nobody", leases=leases)

    def reap_blocks(self) -> None:
        """Drop unneeded blocks, queue those that their workers left, give up unplayable ones."""
        self.reaper.drop_blocks(self.clock())
        if self.clock() >= self._agreed_at:
            self.metrics.blocks.labels("expired").inc(self.reaper.end_leases(self.clock()))
        for words in self.reaper.void_blocks(self.clock()):
            self.metrics.blocks.labels("void").inc()
            logger.error("alert", words=words)
        self.reaper.try_again(self.clock())

    def take_out(self, tournament_id: str) -> None:
        """Withdraw an entrant that all failures are attributed to."""
        if words := self.troubles.take_out(tournament_id, self.clock()):
            logger.error("alert", words=words)

    def release_leases(self, workers: Sequence[str]) -> int:
        """End the leases of workers that are gone; return the number of leases."""
        released = self.reaper.release_leases(workers, self.clock())
        self.metrics.blocks.labels("released").inc(released)
        return released
