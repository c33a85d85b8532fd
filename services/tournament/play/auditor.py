"""Audits: some booked blocks are played again by other workers and compared (decision 38)."""

from random import SystemRandom

from services.shared.base import log
from services.shared.base.clock import Clock
from services.tournament.domain.outlier import find_outlier
from services.tournament.metrics import TournamentMetrics
from services.tournament.play.isolator import Isolator
from services.tournament.store.blocks.audit import PATIENCE, Audits, Found
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.contests.schedule import Schedule

OUTLIER = "its reports of the same deals differed from those of two others, too often for chance"

logger = log.get(__name__)


class Auditor:
    """Scheduler and judge of audits. share: fraction of the booked blocks that are played again."""

    def __init__(
        self,
        audits: Audits,
        workers: Workers,
        schedule: Schedule,
        isolator: Isolator,
        clock: Clock,
        metrics: TournamentMetrics,
        share: float,
    ) -> None:
        self.audits, self.workers, self.schedule, self.isolator = audits, workers, schedule, isolator
        self.clock, self.metrics, self.share = clock, metrics, share
        self._chance = SystemRandom()  # drawn after the report, so that no worker knows it before

    def draw_audit(self, block_id: str) -> None:
        """Draw whether a booked block is audited; losing a draw when the service ends is harmless."""
        try:
            if self._chance.random() < self.share:
                self.audits.order_audit(block_id, self.clock())
        except Exception:  # the block is booked even without an audit
            logger.exception("no audit", block=block_id)

    def judge_audits(self) -> None:
        """Compare audits that are complete, and restart matches with blocks of a distrusted worker."""
        odd = [self._compare_plays(found) for found in self.audits.list_open()]
        if any(odd) and (outlier := find_outlier(self.audits.odd_ones())):
            self.workers.distrust_worker(outlier, OUTLIER, self.clock())
            logger.error("alert", words=f"worker {outlier} is suspended: {OUTLIER}")
        for name, labels in self.schedule.begin_again(self.clock()):
            words = "their blocks of distrusted workers no longer count"
            logger.error("alert", words=f"{name}: {', '.join(labels)} begin again: {words}")

    def _compare_plays(self, found: Found) -> bool:
        """Close an audit that can be judged; return True if one worker was the odd one of three."""
        digests = [play.digest for play in found.plays]
        if not all(digests):
            if self.clock() - found.audit.ordered_at > PATIENCE:
                self._close_audit(found, "dropped")
            return False
        if len(set(digests)) == 1:
            self._close_audit(found, "same")
        elif any(play.depends_on_host for play in found.plays):
            self._close_audit(found, "incomparable")
        elif len(digests) == 2 and self.audits.order_third(found.audit, self.clock()):
            return False
        elif len(set(digests)) == len(digests):
            self._close_audit(found, "differs")
        else:
            odd = next(play for play in found.plays if digests.count(play.digest) == 1)
            other = next(play for play in found.plays if play.digest != odd.digest)
            self._close_audit(found, "odd", self.audits.find_odd_worker(odd, other))
            return True
        return False

    def _close_audit(self, found: Found, outcome: str, odd: str = "") -> None:
        if not self.audits.close(found, outcome, odd):
            return
        self.metrics.audits.labels(outcome).inc()
        if outcome in {"odd", "differs"}:
            workers = [name for play in found.plays for name in play.workers]
            what = self.audits.describe_block(found)
            logger.warning("played otherwise by another worker", block=what, odd=odd, workers=workers)
