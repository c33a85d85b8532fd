"""Blocks handed out and taken in: orders for workers, leases, reports. The database decides who has what."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from maumau import trace
from maumau.bot.live import LiveDeal
from maumau.bot.pace import SLOWEST
from maumau.bot.second_run import find_overruns
from maumau.bot.words import clean_line
from maumau.contest.score import SEATINGS, SetScore, add_up
from maumau.errors import BadReport, NoProgress, StaleFence
from services.shared import log, metric
from services.shared.auth import Identity
from services.shared.clock import Clock
from services.shared.worker_name import check_holder
from services.tournament import report
from services.tournament.auditor import Auditor
from services.tournament.held import HeldClaims
from services.tournament.measured import FirstMeasured, Overrun
from services.tournament.metrics import Metrics
from services.tournament.models import FirstRun
from services.tournament.outcome import digest_of, events_of, faults_of, put_off_event
from services.tournament.pack import pack_scores, squeeze, write_sums
from services.tournament.replay import Replays
from services.tournament.seating_reports import BlockReport, SeatingReports, Taken
from services.tournament.store import booking
from services.tournament.store.booking import Bookings, Result
from services.tournament.store.claim import Asker, Claims
from services.tournament.store.queue import Claim, Queue, check_fence
from services.tournament.store.renewal import Renewal, Renewals
from services.tournament.store.seating import PlayedSeatings
from services.tournament.store.worker import Workers

STUCK = 60.0  # seconds without a finished deal, beyond what a bot's clock allows
START = 15.0  # seconds on the wall that a program may take to start
BACKSTOP = 10  # a bot's bank ends after this many times itself on the wall
MOST_DECISIONS = 1 << 40  # of a block that are counted: a worker says how many there were
PAUSE = 10.0  # seconds until a block is tried again that a worker could not play

logger = log.get(__name__)


@dataclass(frozen=True)
class Order:
    """A claimed block with all that its worker needs."""

    claim: Claim
    seeds: list[str]
    lease: float


class Leases:
    """`lease`: seconds that a claim holds unless it is renewed."""

    def __init__(
        self, queue: Queue, claims: Claims, workers: Workers, replays: Replays, auditor: Auditor,
        clock: Clock, metrics: Metrics, lease: float,
    ) -> None:  # fmt: skip
        self.queue, self.claims = queue, claims
        self.renewals, self.bookings = Renewals(queue.database), Bookings(queue.database)
        self.workers, self.replays, self.auditor = workers, replays, auditor
        self.seatings = SeatingReports(PlayedSeatings(queue.database))
        self.clock, self.metrics, self.lease = clock, metrics, lease
        self.held = HeldClaims()

    def claim(self, asker: Asker, block_id: str = "") -> Order | None:
        """The order to play the block whose turn it is, or this one; None if there is nothing to do."""
        began, now = time.perf_counter(), self.clock()
        if not block_id:
            claim = self.claims.claim(asker, now, self._until(now))
        else:
            claim = self.claims.claim_block(block_id, asker, now, self._until(now))
        if claim is None:
            if block_id:
                self.metrics.duplicates.labels(self.queue.find(block_id).block.state).inc()
            return None
        order = self._order(claim)
        took = time.perf_counter() - began
        metric.observe(self.metrics.claim_seconds, took, block=claim.block.id)
        return order

    def _order(self, claim: Claim) -> Order:
        self.held.keep(claim)
        return Order(claim, claim.seeds(), self.lease)

    def renew(self, who: Identity, block_id: str, fence: int, deals: int) -> Claim | None:
        """Keeps the lease; None tells the worker that its block is not needed any more."""
        claim = self.held.find(block_id, fence) or self.queue.find(block_id)
        _check_held(who, claim)
        now, patience = self.clock(), int(1000 * _patience(claim))
        try:
            kept = self.renewals.renew(Renewal(block_id, fence, deals, now, self._until(now), patience))
            return claim._replace(block=claim.block._replace(deals_done=deals)) if kept else None
        except StaleFence:
            self.metrics.stale.labels("renew").inc()
            logger.warning("stale fence", call="renew", fence=fence)
            raise
        except NoProgress:
            self.metrics.blocks.labels("stuck").inc()
            logger.warning("lease not renewed: no progress", worker=claim.block.worker)
            raise

    def give_back(self, who: Identity, block_id: str, fence: int, words: str, lacks: str = "") -> str:
        """Ends a lease early; what went wrong is kept with the block. The contest's id."""
        now, words = self.clock(), clean_line(words, 1000)
        later = now + int(1000 * min(PAUSE, self.lease))
        claim = self.queue.find(block_id)
        _check_held(who, claim)
        self.queue.give_back(block_id, fence, words, now, later, lacks[:64])
        self.metrics.blocks.labels("unable" if lacks else "failed" if words else "given back").inc()
        logger.info("block given back", words=words)
        return claim.contest.id

    def showing(self, who: Identity, block_id: str, fence: int, deals: Sequence[LiveDeal]) -> str:
        """The job of a block whose worker shows these deals; its lease may have ended with its result."""
        claim = self.queue.find(block_id)
        _check_held(who, claim)
        if claim.block.fence != fence or claim.block.state not in {"claimed", "done"}:
            self.metrics.stale.labels("show").inc()
            raise StaleFence
        report.check_live(claim, deals)
        return claim.job.id

    def submit(self, who: Identity, given: BlockReport) -> tuple[bool, str]:
        """Books a block's result once; False if it stood there before. And the contest's id."""
        began, now = time.perf_counter(), self.clock()
        try:
            claim = self.held.find(given.block_id, given.fence) or self._find_reported(given, now)
            _check_held(who, claim)
            measured = msgspec.structs.replace(given.measured, worker=claim.block.worker)
            taken = self.seatings.take(claim, replace(given, measured=measured), now)
            stored = self._settle(claim, taken, now, began) if taken.whole else taken.is_new
        except StaleFence:
            self.metrics.stale.labels("submit").inc()
            logger.warning("stale fence", call="submit", block=given.block_id, fence=given.fence)
            raise
        except BadReport as err:
            self.metrics.blocks.labels("refused").inc()
            logger.warning("report refused", words=str(err))
            raise
        if stored and not taken.whole:
            self.metrics.blocks.labels("seating").inc()
        return stored, claim.contest.id

    def _settle(self, claim: Claim, taken: Taken, now: int, began: float) -> bool:
        """All seatings are there: they are booked, or played once more. began: on the performance counter."""
        assert taken.whole
        given, parts = taken.whole, self.seatings.parts
        scores = report.check(claim, given.sets)
        if claim.block.state == "claimed" and self._find_liar(claim, taken, scores, now):
            parts.wait(given.block_id, given.fence, now)  # for a seating of another worker
            return True
        overran = self._overran(claim, given)
        if overran:
            stored = self._put_off(claim, given, overran, now)
        else:
            stored = self._book(claim, given, scores, now, joined=bool(taken.players))
        self.held.forget(given.block_id)
        if stored and not overran:
            self._count(claim, given, time.perf_counter() - began)
            self.auditor.draw(given.block_id)
        return stored

    def _find_reported(self, given: BlockReport, now: int) -> Claim:
        """Refuses early what can only be refused."""
        claim, first = self.bookings.find(given.block_id)
        check_fence(claim.block, first, given.fence, now)
        return claim

    def _find_liar(self, claim: Claim, taken: Taken, scores: Sequence[SetScore], now: int) -> str:
        """Who reported what was not played so, "" if nobody did: it is given no more, and books no more."""
        assert taken.whole
        with trace.open_span("replay deals"):
            lie = self.replays.find_lie(claim, taken.whole.sets, scores)
        if lie is None:
            return ""
        own = claim.block.worker
        worker = own if lie.seating is None else taken.players.get(lie.seating, own)
        words = f"match {claim.job.label}, deals that were not played as reported: {lie.words}"
        self.workers.distrust(worker, words, now)
        logger.warning("worker distrusted", worker=worker, words=words)
        if worker == own:
            raise BadReport(lie.words)
        return worker

    def _overran(self, claim: Claim, given: BlockReport) -> list[Overrun]:
        """Why the block is to be played a second time; empty if it is not."""
        numbers = [seat.number for seat in claim.seats]
        overran = [
            Overrun(numbers[fault.entrant], fault.seating, one.number, fault.kind, clean_line(fault.words))
            for one in given.sets for deal in one.deals if deal.faults
            for fault in find_overruns(deal.faults, is_second=False)
        ]  # fmt: skip
        is_second = bool(overran) and 0 < self.bookings.first_fence(given.block_id) < given.fence
        return [] if is_second else overran

    def _put_off(self, claim: Claim, given: BlockReport, overran: list[Overrun], now: int) -> bool:
        numbers = sorted({each.entrant for each in overran})
        run = FirstRun(
            block_id=given.block_id, fence=given.fence, worker=claim.block.worker,
            overran=",".join(map(str, numbers)), stored_at=now,
            measured=msgspec.msgpack.encode(FirstMeasured(given.measured, overran)),
        )  # fmt: skip
        later = now + int(1000 * min(PAUSE, self.lease))
        kept = self.bookings.put_off(run, [put_off_event(claim, numbers, now)], now, later)
        if kept:
            self.metrics.blocks.labels("put off").inc()
            logger.info("block put off", overran=run.overran)
        return kept

    def _book(
        self, claim: Claim, given: BlockReport, scores: list[SetScore], now: int, *, joined: bool
    ) -> bool:
        result = Result(
            block_id=given.block_id, scores=pack_scores(scores), records=squeeze(report.summary(given.sets)),
            measured=msgspec.msgpack.encode(given.measured), digest=digest_of(claim, scores, given.sets),
            stored_at=now, decisions=min(given.measured.decisions, MOST_DECISIONS),
        )  # fmt: skip
        faults, events = faults_of(claim, given.sets), events_of(claim, given.sets, now)
        sums = write_sums(add_up(scores)) if claim.contest.seats == SEATINGS else ""
        checked = booking.CheckedReport(claim, given.fence, result, sums, faults, events, now, joined)
        with trace.open_span("book block", block=given.block_id):
            return self.bookings.book(checked)

    def _count(self, claim: Claim, given: BlockReport, seconds: float) -> None:
        """seconds: that the booking took."""
        wall = given.measured.wall_ms / 1000
        metric.observe(self.metrics.block_seconds, wall, block=claim.block.id)
        metric.observe(self.metrics.booking_seconds, seconds, block=claim.block.id)
        self.metrics.blocks.labels("done").inc()
        self.metrics.decisions.inc(given.measured.decisions)
        self.metrics.deals.inc(sum(len(one.deals) for one in given.sets))
        for fault in faults_of(claim, given.sets):
            self.metrics.faults.labels(fault.kind).inc()

    def _until(self, now: int) -> int:
        return now + int(1000 * self.lease)


def _check_held(who: Identity, claim: Claim) -> None:
    """StaleFence if it is a worker of another token that claimed it. The fence is easily guessed."""
    log.bind(contest=claim.contest.id, match=claim.job.id, block=claim.block.id)
    check_holder(who, claim.block.worker)


def options(claim: Claim) -> dict[str, object]:
    """The options that differ from the variant's defaults."""
    found: dict[str, object] = json.loads(claim.contest.options)
    return found


def _patience(claim: Claim) -> float:
    """Seconds that a block may go without a finished deal: all seats may use up their clocks in one."""
    bank = claim.contest.deal_ms / 1000 * claim.block.sets
    return STUCK + claim.contest.seats * SLOWEST * (BACKSTOP * bank + START)
