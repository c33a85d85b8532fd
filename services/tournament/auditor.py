"""Some booked blocks are played again by other workers and compared: decision 48."""

from random import SystemRandom

from services.shared import log
from services.shared.clock import Clock
from services.tournament.liar import find_liar
from services.tournament.metrics import Metrics
from services.tournament.store.audit import PATIENCE, Audits, Found
from services.tournament.store.schedule import Schedule
from services.tournament.store.worker import Workers

LIAR = "what it reported of the same deals was another than that of two others, too often for chance"

logger = log.get(__name__)


class Auditor:
    """share: of the booked blocks that are played again."""

    def __init__(
        self,
        audits: Audits,
        workers: Workers,
        schedule: Schedule,
        clock: Clock,
        metrics: Metrics,
        share: float,
    ) -> None:
        self.audits, self.workers, self.schedule = audits, workers, schedule
        self.clock, self.metrics, self.share = clock, metrics, share
        self._chance = SystemRandom()  # drawn after the report, so that no worker knows it before

    def draw(self, block_id: str) -> None:
        """After a booking; a draw that is lost because the service ends is only one less."""
        try:
            if self._chance.random() < self.share:
                self.audits.order(block_id, self.clock())
        except Exception:  # the block is booked, whatever becomes of its audit
            logger.exception("no audit", block=block_id)

    def look(self) -> None:
        """Compares what is played again by now; what a distrusted worker booked is played again."""
        odd = [self._compare(found) for found in self.audits.open()]
        if any(odd) and (liar := find_liar(self.audits.odd_ones())):
            self.workers.distrust(liar, LIAR, self.clock())
            logger.error("alert", words=f"worker {liar} is suspended: {LIAR}")
        for name, labels in self.schedule.begin_again(self.clock()):
            words = "their blocks of distrusted workers count no more"
            logger.error("alert", words=f"{name}: {', '.join(labels)} begin again: {words}")

    def _compare(self, found: Found) -> bool:
        """Whether one worker was the odd one of three."""
        digests = [play.digest for play in found.plays]
        if not all(digests):
            if self.clock() - found.audit.ordered_at > PATIENCE:
                self._close(found, "dropped")
            return False
        if len(set(digests)) == 1:
            self._close(found, "same")
        elif any(play.depends_on_host for play in found.plays):
            self._close(found, "incomparable")
        elif len(digests) == 2 and self.audits.order_third(found.audit, self.clock()):
            return False
        elif len(set(digests)) == len(digests):
            self._close(found, "differs")
        else:
            odd = next(play for play in found.plays if digests.count(play.digest) == 1)
            other = next(play for play in found.plays if play.digest != odd.digest)
            self._close(found, "odd", self.audits.find_odd_worker(odd, other))
            return True
        return False

    def _close(self, found: Found, outcome: str, odd: str = "") -> None:
        if not self.audits.close(found, outcome, odd):
            return
        self.metrics.audits.labels(outcome).inc()
        if outcome in {"odd", "differs"}:
            workers = [name for play in found.plays for name in play.workers]
            what = self.audits.words(found)
            logger.warning("played otherwise by another worker", block=what, odd=odd, workers=workers)
