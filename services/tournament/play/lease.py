"""Leases: orders for workers, renewals and reports. The database decides who holds a block."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from maumau.contest.export.line import records_digest
from maumau.contest.score import SEATINGS, SetScore, add_up
from maumau.errors import BadReport, NoProgress, StaleFence
from maumau.process import trace
from maumau.protocol.live import LiveDeal
from maumau.protocol.words import clean_line
from maumau.referee.block import SetOutcome
from maumau.referee.pace import SLOWEST
from maumau.referee.second_run import find_provisional_faults, settle_runs
from services.shared.base import log, metric
from services.shared.base.auth import Identity
from services.shared.base.clock import Clock
from services.shared.base.worker_name import check_holder
from services.tournament.domain.measured import FirstMeasured, ProvisionalFault
from services.tournament.domain.pack import expand_bytes, pack_scores, pack_value, write_sums
from services.tournament.metrics import TournamentMetrics
from services.tournament.models import FirstRun
from services.tournament.play import report
from services.tournament.play.auditor import Auditor
from services.tournament.play.held import HeldClaims
from services.tournament.play.outcome import digest_of, events_of, faults_of, put_off_event
from services.tournament.play.replay import Replays
from services.tournament.play.seating_reports import BlockReport, SeatingReports, Taken
from services.tournament.store.blocks import booking
from services.tournament.store.blocks.booking import BookedResult, Bookings
from services.tournament.store.blocks.claim import Asker, Claims
from services.tournament.store.blocks.queue import BlockClaim, Queue, check_fence
from services.tournament.store.blocks.renewal import Renewal, Renewals
from services.tournament.store.blocks.seating import PlayedSeatings
from services.tournament.store.blocks.start import Starts
from services.tournament.store.blocks.worker import Workers

STUCK = 60.0  # seconds without a finished deal, beyond what a bot's clock allows
START = 15.0  # wall-clock seconds that a program may take to start
BACKSTOP = 10  # a bot's bank ends after this multiple of it on the wall clock
MOST_DECISIONS = 1 << 40  # bound of a block's decisions, a number that the worker reports
PAUSE = 10.0  # seconds before a block that a worker could not play is tried again

logger = log.get(__name__)


@dataclass(frozen=True)
class Order:
    """A claimed block with everything that its worker needs."""

    claim: BlockClaim
    seeds: list[str]
    lease: float


class Leases:
    """The life of a lease, from claim to report. `lease`: seconds that a claim holds unless renewed."""

    def __init__(
        self,
        queue: Queue,
        claims: Claims,
        workers: Workers,
        replays: Replays,
        auditor: Auditor,
        clock: Clock,
        metrics: TournamentMetrics,
        lease: float,
    ) -> None:
        self.queue, self.claims = queue, claims
        self.renewals, self.bookings = Renewals(queue.database), Bookings(queue.database)
        self.starts = Starts(queue.database)
        self.workers, self.replays, self.auditor = workers, replays, auditor
        self.seatings = SeatingReports(PlayedSeatings(queue.database))
        self.clock, self.metrics, self.lease = clock, metrics, lease
        self.held = HeldClaims()

    def claim_block(self, asker: Asker, block_id: str = "") -> Order | None:
        """Claim the next block, or this one, and return its order; None if there is nothing to do."""
        began, now = time.perf_counter(), self.clock()
        if not block_id:
            claim = self.claims.claim_next(asker, now, self._compute_end(now))
        else:
            claim = self.claims.claim_block(block_id, asker, now, self._compute_end(now))
        if claim is None:
            if block_id:
                self.metrics.duplicates.labels(self.queue.find_claim(block_id).block.state).inc()
            return None
        order = self._build_order(claim)
        took = time.perf_counter() - began
        metric.observe(self.metrics.claim_seconds, took, block=claim.block.id)
        return order

    def _build_order(self, claim: BlockClaim) -> Order:
        self.held.keep_claim(claim)
        return Order(claim, claim.list_seeds(), self.lease)

    def end_unbegun(self, claim: BlockClaim, words: str) -> bool:
        """End the job of a block that was just claimed, unless the job has begun; return True if so."""
        if not self.starts.end_unbegun(claim.block, words):
            return False
        self.held.forget_claim(claim.block.id)
        self.metrics.blocks.labels("replaced").inc()
        logger.info("ended before it began", match=claim.job.label, words=words)
        return True

    def renew_lease(self, who: Identity, block_id: str, fence: int, deals: int) -> BlockClaim | None:
        """Renew a lease; None tells the worker that its block is no longer needed."""
        claim = self.held.find_claim(block_id, fence) or self.queue.find_claim(block_id)
        _check_held(who, claim)
        now, patience = self.clock(), int(1000 * _compute_patience(claim))
        try:
            _check_fence(claim, fence)
            kept = self.renewals.renew_lease(
                Renewal(block_id, fence, deals, now, self._compute_end(now), patience)
            )
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
        """End a lease early and keep the error with the block; return the contest's id."""
        now, words = self.clock(), clean_line(words, 1000)
        later = now + int(1000 * min(PAUSE, self.lease))
        claim = self.queue.find_claim(block_id)
        _check_held(who, claim)
        _check_fence(claim, fence)
        self.queue.give_back(block_id, fence, words, now, later, lacks[:64])
        self.metrics.blocks.labels("unable" if lacks else "failed" if words else "given back").inc()
        logger.info("block given back", words=words)
        return claim.contest.id

    def find_shown(self, who: Identity, block_id: str, fence: int, deals: Sequence[LiveDeal]) -> str:
        """Return the job of a block whose worker shows these deals; its lease may have just ended."""
        claim = self.queue.find_claim(block_id)
        _check_held(who, claim)
        if claim.block.fence != fence or claim.block.state not in {"claimed", "done"}:
            self.metrics.stale.labels("show").inc()
            raise StaleFence
        report.check_live(claim, deals)
        return claim.job.id

    def submit_report(self, who: Identity, given: BlockReport) -> tuple[bool, str]:
        """Book a block's result once; return False if it was already booked, and the contest's id."""
        began, now = time.perf_counter(), self.clock()
        try:
            claim = self.held.find_claim(given.block_id, given.fence) or self._find_reported(given, now)
            _check_held(who, claim)
            measured = msgspec.structs.replace(given.measured, worker=claim.block.worker)
            if claim.isolated:
                alone = replace(given, measured=measured)
                return self._book_isolated(claim, alone, now), claim.contest.id
            taken = self.seatings.take_report(claim, replace(given, measured=measured), now)
            stored = self._settle_block(claim, taken, now, began) if taken.whole else taken.is_new
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

    def _settle_block(self, claim: BlockClaim, taken: Taken, now: int, began: float) -> bool:
        """Book a block with all its seatings, or order a second run. began: on the performance counter."""
        assert taken.whole
        given, parts = taken.whole, self.seatings.parts
        scores = report.check_sets(claim, given.sets)
        if claim.block.state == "claimed" and self._find_false_reporter(claim, taken, scores, now):
            parts.queue_again(given.block_id, given.fence, now)  # for a seating of another worker
            return True
        provisional = self._list_provisional(claim, given)
        if provisional:
            stored = self._put_off(claim, taken, provisional, now)
        else:
            first = self._find_first_run(given)
            if first:
                given = replace(given, sets=settle_runs(first, given.sets))
                scores = report.check_sets(claim, given.sets)
            checked = self._check_report(claim, given, scores, now)
            stored = self._book_report(checked._replace(joined=bool(taken.players), settled=bool(first)))
        self.held.forget_claim(given.block_id)
        if stored and not provisional:
            self._count_block(claim, given, time.perf_counter() - began)
            self.auditor.draw_audit(given.block_id)
            self.auditor.isolator.note_candidate(claim, given.measured)
        return stored

    def _book_isolated(self, claim: BlockClaim, given: BlockReport, now: int) -> bool:
        """Book deals that were played again alone, for a later comparison and for no result."""
        report.check_seating(claim, given.sets)
        records = [deal.record for one in given.sets for deal in one.deals]
        result = BookedResult(
            block_id=given.block_id,
            scores=b"",
            records=pack_value(report.summarize_sets(given.sets)),
            measured=msgspec.msgpack.encode(given.measured),
            digest=records_digest(map(str.encode, records)),
            stored_at=now,
        )
        stored = self.bookings.book_report(booking.CheckedReport(claim, given.fence, result, "", [], [], now))
        self.held.forget_claim(given.block_id)
        return stored

    def _find_reported(self, given: BlockReport, now: int) -> BlockClaim:
        """Return the reported block's claim; raise early if the report can only be refused."""
        claim, first = self.bookings.find_claim(given.block_id)
        check_fence(claim.block, first, given.fence, now)
        return claim

    def _find_false_reporter(
        self, claim: BlockClaim, taken: Taken, scores: Sequence[SetScore], now: int
    ) -> str:
        """Distrust and return the worker that reported deals that were not played so, "" if there is none."""
        assert taken.whole
        with trace.open_span("replay deals"):
            lie = self.replays.find_lie(claim, taken.whole.sets, scores)
        if lie is None:
            return ""
        own = claim.block.worker
        worker = own if lie.seating is None else taken.players.get(lie.seating, own)
        words = f"match {claim.job.label}, deals that were not played as reported: {lie.words}"
        self.workers.distrust_worker(worker, words, now)
        logger.warning("worker distrusted", worker=worker, words=words)
        if worker == own:
            raise BadReport(lie.words)
        return worker

    def _list_provisional(self, claim: BlockClaim, given: BlockReport) -> list[ProvisionalFault]:
        """Return the faults for which the block is played a second time; empty if it is not."""
        numbers = [seat.number for seat in claim.seats]
        found = [
            ProvisionalFault(
                entrant=numbers[fault.entrant],
                seating=fault.seating,
                deal=one.number,
                kind=fault.kind,
                words=clean_line(fault.words),
                killed=fault.killed,
            )
            for one in given.sets
            for deal in one.deals
            if deal.faults
            for fault in find_provisional_faults(deal.faults, is_second=False)
        ]
        is_second = bool(found) and 0 < self.bookings.first_fence(given.block_id) < given.fence
        return [] if is_second else found

    def _put_off(
        self, claim: BlockClaim, taken: Taken, provisional: list[ProvisionalFault], now: int
    ) -> bool:
        assert taken.whole
        given, numbers = taken.whole, sorted({each.entrant for each in provisional})
        players = sorted({*taken.players.values()} or {claim.block.worker})
        run = FirstRun(
            block_id=given.block_id,
            fence=given.fence,
            worker=claim.block.worker,
            overran=",".join(map(str, numbers)),
            stored_at=now,
            measured=msgspec.msgpack.encode(FirstMeasured(given.measured, provisional)),
            sets=pack_value(list(given.sets)),
            players="\n".join(["", *players, ""]),
        )
        later = now + int(1000 * min(PAUSE, self.lease))
        kept = self.bookings.put_off(run, [put_off_event(claim, provisional, now)], now, later)
        if kept:
            self.metrics.blocks.labels("put off").inc()
            logger.info("block put off", entrants=run.overran)
        return kept

    def _find_first_run(self, given: BlockReport) -> list[SetOutcome]:
        """Return the sets of the first run if this is a block's second run; else an empty list."""
        run = self.bookings.first_run(given.block_id) if given.fence > 1 else None
        if run is None or not run.sets or run.fence >= given.fence:
            return []
        return msgspec.msgpack.decode(expand_bytes(run.sets), type=list[SetOutcome])

    def _check_report(
        self, claim: BlockClaim, given: BlockReport, scores: list[SetScore], now: int
    ) -> booking.CheckedReport:
        """Return the report in the form in which it is booked."""
        result = BookedResult(
            block_id=given.block_id,
            scores=pack_scores(scores),
            records=pack_value(report.summarize_sets(given.sets)),
            measured=msgspec.msgpack.encode(given.measured),
            digest=digest_of(claim, scores, given.sets),
            stored_at=now,
            decisions=min(given.measured.decisions, MOST_DECISIONS),
        )
        faults, events = faults_of(claim, given.sets), events_of(claim, given.sets, now)
        is_judged = claim.contest.purpose == "tournament" or claim.size == SEATINGS
        sums = write_sums(add_up(scores)) if is_judged else ""
        return booking.CheckedReport(claim, given.fence, result, sums, faults, events, now)

    def _book_report(self, checked: booking.CheckedReport) -> bool:
        with trace.open_span("book block", block=checked.claim.block.id):
            return self.bookings.book_report(checked)

    def _count_block(self, claim: BlockClaim, given: BlockReport, seconds: float) -> None:
        """Update the metrics. seconds: duration of the booking."""
        wall = given.measured.wall_ms / 1000
        metric.observe(self.metrics.block_seconds, wall, block=claim.block.id)
        metric.observe(self.metrics.booking_seconds, seconds, block=claim.block.id)
        self.metrics.blocks.labels("done").inc()
        self.metrics.decisions.inc(given.measured.decisions)
        self.metrics.deals.inc(sum(len(one.deals) for one in given.sets))
        for fault in faults_of(claim, given.sets):
            self.metrics.faults.labels(fault.kind).inc()

    def _compute_end(self, now: int) -> int:
        return now + int(1000 * self.lease)


def _check_held(who: Identity, claim: BlockClaim) -> None:
    """Raise StaleFence if a worker of another token claimed the block: a fence is easily guessed."""
    log.bind(contest=claim.contest.id, match=claim.job.id, block=claim.block.id)
    check_holder(who, claim.block.worker)


def _check_fence(claim: BlockClaim, fence: int) -> None:
    """Raise StaleFence unless this is the fence of the worker that was checked, not that of a later one."""
    if claim.block.fence != fence:
        raise StaleFence


def list_options(claim: BlockClaim) -> dict[str, object]:
    """Return the options that differ from the variant's defaults."""
    found: dict[str, object] = json.loads(claim.contest.options)
    return found


def _compute_patience(claim: BlockClaim) -> float:
    """Return the seconds a block may go without a finished deal: all seats may use up their clocks in one."""
    bank = claim.deal_ms / 1000 * claim.block.sets
    return STUCK + claim.size * SLOWEST * (BACKSTOP * bank + START)
