"""What becomes of blocks that are not played, and whose failure it is."""

from collections.abc import Sequence

from services.shared import log
from services.shared.clock import Clock, SteadyClock
from services.tournament.metrics import Metrics
from services.tournament.store.reaper import Reaper
from services.tournament.store.trouble import Troubles

SLOW = 5.0  # seconds that a worker waits for the answer to a renewal

logger = log.get(__name__)


class Keeper:
    """`database`: its clock. `sweep`: seconds between two sweeps; `lease`: those that a claim holds."""

    def __init__(
        self, reaper: Reaper, troubles: Troubles, clock: SteadyClock, database: Clock, metrics: Metrics,
        sweep: float, lease: float,
    ) -> None:  # fmt: skip
        self.reaper, self.troubles, self.clock, self.metrics = reaper, troubles, clock, metrics
        self.database, self.lease = database, lease
        self.every = min(sweep, lease / 8)  # seconds between two beats

    def beat(self) -> None:
        """The service is at work. A lease that may run out because it was not costs nobody."""
        self.clock.follow(self.database())
        now, late = self.clock(), self.every + min(SLOW, self.lease / 4)
        if leases := self.reaper.beat(now, int(1000 * late), now + int(500 * self.lease)):
            logger.warning("the service was away or slow: leases cost nobody", leases=leases)

    def reap(self) -> None:
        """Drops what nobody needs, queues what its worker left, gives up what nobody can play."""
        self.reaper.drop(self.clock())
        self.metrics.blocks.labels("expired").inc(self.reaper.end_leases(self.clock()))
        for words in self.reaper.void(self.clock()):
            self.metrics.blocks.labels("void").inc()
            logger.error("alert", words=words)
        self.reaper.try_again(self.clock())

    def take_out(self, tournament_id: str) -> None:
        """Withdraws an entrant whom all failures follow."""
        if words := self.troubles.take_out(tournament_id, self.clock()):
            logger.error("alert", words=words)

    def release(self, workers: Sequence[str]) -> int:
        """Ends the leases of workers that are no more; the number of leases."""
        released = self.reaper.release(workers, self.clock())
        self.metrics.blocks.labels("released").inc(released)
        return released
