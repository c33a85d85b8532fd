"""Blocks handed out and taken in: orders for workers, leases, reports. The database decides who has what."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from maumau.bot.live import LiveDeal
from maumau.bot.pace import SLOWEST
from maumau.bot.referee import SetOutcome
from maumau.bot.second_run import find_overruns
from maumau.bot.words import clean_line
from maumau.contest.export import block_records
from maumau.contest.line import encode, records_digest
from maumau.contest.score import SEATINGS, SetScore, add_up
from maumau.contest.seed import deal_seed
from maumau.errors import BadReport, NoProgress, StaleFence
from services.shared import log
from services.shared.auth import Identity
from services.shared.clock import Clock
from services.shared.ident import new_id
from services.shared.worker_name import check_holder
from services.tournament import report
from services.tournament.auditor import Auditor
from services.tournament.event import BlockDone, BlockPutOff, Event, FaultCount
from services.tournament.held import HeldClaims
from services.tournament.measured import FirstMeasured, Measured, Overrun
from services.tournament.metrics import Metrics
from services.tournament.models import Fault, FirstRun
from services.tournament.pack import pack_scores, squeeze, write_sums
from services.tournament.replay import Replays
from services.tournament.store import booking
from services.tournament.store.booking import Bookings, Result
from services.tournament.store.claim import Asker, Claims
from services.tournament.store.queue import Claim, Queue, check_fence
from services.tournament.store.renewal import Renewal, Renewals
from services.tournament.store.worker import Workers

STUCK = 60.0  # seconds without a finished deal, beyond what a bot's clock allows
START = 15.0  # seconds on the wall that a program may take to start
BACKSTOP = 10  # a bot's bank ends after this many times itself on the wall
PAUSE = 10.0  # seconds until a block is tried again that a worker could not play

logger = log.get(__name__)


@dataclass(frozen=True)
class Order:
    """A claimed block with all that its worker needs."""

    claim: Claim
    seeds: list[str]
    lease: float


@dataclass(frozen=True)
class Report:
    """What a worker says of the block it claimed under this fence."""

    block_id: str
    fence: int
    sets: Sequence[SetOutcome]
    measured: Measured


class Leases:
    """`lease`: seconds that a claim holds unless it is renewed."""

    def __init__(
        self, queue: Queue, claims: Claims, workers: Workers, replays: Replays, auditor: Auditor,
        clock: Clock, metrics: Metrics, lease: float,
    ) -> None:  # fmt: skip
        self.queue, self.claims = queue, claims
        self.renewals, self.bookings = Renewals(queue.database), Bookings(queue.database)
        self.workers, self.replays, self.auditor = workers, replays, auditor
        self.clock, self.metrics, self.lease = clock, metrics, lease
        self.held = HeldClaims()

    def claim(self, asker: Asker, block_id: str = "") -> Order | None:
        """The order to play the block whose turn it is, or this one; None if there is nothing to do."""
        now = self.clock()
        if not block_id:
            claim = self.claims.claim(asker, now, self._until(now))
            return claim and self._order(claim)
        claim = self.claims.claim_block(block_id, asker, now, self._until(now))
        if claim is None:
            state = self.queue.find(block_id).block.state
            self.metrics.duplicates.labels(state).inc()
        return claim and self._order(claim)

    def _order(self, claim: Claim) -> Order:
        self.held.keep(claim)
        contest, block = claim.contest, claim.block
        numbers = range(block.first_set, block.first_set + block.sets)
        terms, job = (contest.secret, contest.root), claim.job
        seeds = [deal_seed(*terms, job.label, number, job.seed_take) for number in numbers]
        return Order(claim, seeds, self.lease)

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

    def submit(self, who: Identity, given: Report) -> tuple[bool, str]:
        """Books a block's result once; False if it stood there before. And the contest's id."""
        now = self.clock()
        try:
            claim = self.held.find(given.block_id, given.fence) or self._find_reported(given, now)
            _check_held(who, claim)
            measured = msgspec.structs.replace(given.measured, worker=claim.block.worker)
            given = replace(given, measured=measured)
            scores = self._checked(claim, given, now)
            overran = self._overran(claim, given)
            stored = (
                self._put_off(claim, given, overran, now)
                if overran
                else self._book(claim, given, scores, now)
            )
        except StaleFence:
            self.metrics.stale.labels("submit").inc()
            logger.warning("stale fence", call="submit", block=given.block_id, fence=given.fence)
            raise
        except BadReport as err:
            self.metrics.blocks.labels("refused").inc()
            logger.warning("report refused", words=str(err))
            raise
        self.held.forget(given.block_id)
        if stored and not overran:
            self._count(claim, given)
            self.auditor.draw(given.block_id)
        return stored, claim.contest.id

    def _find_reported(self, given: Report, now: int) -> Claim:
        """Refuses early what can only be refused."""
        claim, first = self.bookings.find(given.block_id)
        check_fence(claim.block, first, given.fence, now)
        return claim

    def _checked(self, claim: Claim, given: Report, now: int) -> list[SetScore]:
        scores = report.check(claim, given.sets)
        if claim.block.state == "claimed":  # else it is booked
            self._replay(claim, given, scores, now)
        return scores

    def _replay(self, claim: Claim, given: Report, scores: Sequence[SetScore], now: int) -> None:
        """A worker whose deals were not played so is given no more, and books none that it still has."""
        worker = claim.block.worker
        try:
            self.replays.check(claim, given.sets, scores)
        except BadReport as err:
            words = f"match {claim.job.label}, deals that were not played as reported: {err}"
            self.workers.distrust(worker, words, now)
            logger.warning("worker distrusted", worker=worker, words=words)
            raise

    def _overran(self, claim: Claim, given: Report) -> list[Overrun]:
        """Why the block is to be played a second time; empty if it is not."""
        numbers = [seat.number for seat in claim.seats]
        overran = [
            Overrun(numbers[fault.entrant], fault.seating, one.number, fault.kind, clean_line(fault.words))
            for one in given.sets for deal in one.deals if deal.faults
            for fault in find_overruns(deal.faults, is_second=False)
        ]  # fmt: skip
        is_second = bool(overran) and 0 < self.bookings.first_fence(given.block_id) < given.fence
        return [] if is_second else overran

    def _put_off(self, claim: Claim, given: Report, overran: list[Overrun], now: int) -> bool:
        numbers = sorted({each.entrant for each in overran})
        run = FirstRun(
            block_id=given.block_id, fence=given.fence, worker=claim.block.worker,
            overran=",".join(map(str, numbers)), stored_at=now,
            measured=msgspec.msgpack.encode(FirstMeasured(given.measured, overran)),
        )  # fmt: skip
        later = now + int(1000 * min(PAUSE, self.lease))
        kept = self.bookings.put_off(run, [_put_off_event(claim, numbers, now)], now, later)
        if kept:
            self.metrics.blocks.labels("put off").inc()
            logger.info("block put off", overran=run.overran)
        return kept

    def _book(self, claim: Claim, given: Report, scores: list[SetScore], now: int) -> bool:
        result = Result(
            block_id=given.block_id, scores=pack_scores(scores), records=squeeze(report.summary(given.sets)),
            measured=msgspec.msgpack.encode(given.measured), digest=_digest(claim, scores, given.sets),
            stored_at=now,
        )  # fmt: skip
        faults, events = _faults(claim, given), _events(claim, given, now)
        sums = write_sums(add_up(scores)) if claim.contest.seats == SEATINGS else ""
        return self.bookings.book(booking.Report(claim, given.fence, result, sums, faults, events, now))

    def _count(self, claim: Claim, given: Report) -> None:
        self.metrics.blocks.labels("done").inc()
        self.metrics.decisions.inc(given.measured.decisions)
        self.metrics.deals.inc(sum(len(one.deals) for one in given.sets))
        for fault in _faults(claim, given):
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


def _digest(claim: Claim, scores: Sequence[SetScore], sets: Sequence[SetOutcome]) -> str:
    """Of the records as an export will have them."""
    contest, job = claim.contest, claim.job
    records = ["".join(deal.record for deal in one.deals) for one in sets]
    numbers = [seat.number for seat in claim.seats]
    played = zip(scores, records, strict=True)
    terms = (contest.secret, contest.root, job.label)
    lines = block_records(*terms, numbers, played, job.seed_take)
    return records_digest(map(encode, lines))


def _faults(claim: Claim, given: Report) -> list[Fault]:
    numbers = [seat.number for seat in claim.seats]
    return [
        Fault(
            id=new_id("fault"), block_id=claim.block.id, entrant=numbers[fault.entrant],
            set_number=one.number, seating=fault.seating, kind=fault.kind, words=clean_line(fault.words),
            bundle=squeeze(fault),
        )
        for one in given.sets for deal in one.deals if deal.faults for fault in deal.faults
    ]  # fmt: skip


def _put_off_event(claim: Claim, numbers: Sequence[int], now: int) -> Event:
    names = {seat.number: seat.bot_name for seat in claim.seats}
    who = " and ".join(names[number] for number in numbers)
    label, block = claim.job.label, claim.block.number
    words = f"match {label}: {who} ran out of time in block {block}, which is played a second time"
    return Event(now, "alert", words, label, part=BlockPutOff(block, list(numbers)))


def _events(claim: Claim, given: Report, now: int) -> list[Event]:
    """One for the block, and one for each bot and kind of fault in it."""
    label = claim.job.label
    last = claim.block.first_set + claim.block.sets - 1
    words = f"match {label}: sets {claim.block.first_set} to {last} are in"
    names = {seat.number: seat.bot_name for seat in claim.seats}
    kinds = Counter((fault.entrant, fault.kind) for fault in _faults(claim, given))
    number, first, sets = claim.block.number, claim.block.first_set, claim.block.sets
    faults = [FaultCount(number, e, names[e], kind, count) for (e, kind), count in kinds.items()]
    return [
        *(Event(now, "fault", f"{f.bot_name}: {f.kind}, {f.count} times", label, part=f) for f in faults),
        Event(now, "block_done", words, label, part=BlockDone(number, first, sets)),
    ]
