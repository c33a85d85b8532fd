"""Handlers of the contract's calls for workers, and about them."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import time
from asyncio import to_thread
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

import msgspec

from maumau import wire as game_wire
from maumau.errors import BadReport
from maumau.protocol.words import clean_line
from maumau.referee.block import SetOutcome
from maumau.v1 import tournament_pb2 as pb
from services.shared.base import log, page
from services.shared.base.auth import identity
from services.shared.base.lane import Lane
from services.shared.base.worker_name import name_worker
from services.shared.rpc.registry import Versions
from services.tournament.organising.sweep import Follower, Sweeper, Teller
from services.tournament.play.active import explain_inactive
from services.tournament.play.lease import Leases, Order
from services.tournament.play.seating_reports import BlockReport
from services.tournament.rpc import work_wire as wire
from services.tournament.store.blocks.claim import Asker
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.broadcast.live import Live
from services.tournament.watching.bell import Bell, Signals

LONGEST_WAIT = 30.0  # most seconds that a worker may wait for a block
WORDS = 1000  # characters of a worker's message about itself


@dataclass(kw_only=True)
class Lanes:
    """Separate threads by kind of call, so that renewals wait for no reader, and nothing waits for an export.

    Claims, renewals and bookings share transactions (see Batcher): as many as there are threads.
    """

    leases: Lane = field(default_factory=lambda: Lane("lease", 16))
    bookings: Lane = field(default_factory=lambda: Lane("booking", 16))
    schedule: Lane = field(default_factory=lambda: Lane("schedule", 2))
    exports: Lane = field(default_factory=lambda: Lane("export", 1))
    previews: Lane = field(default_factory=lambda: Lane("preview", 1))
    reports: Lane = field(default_factory=lambda: Lane("report", 1))
    records: Lane = field(default_factory=lambda: Lane("record", 1))

    def close(self) -> None:
        """Wait for work in progress."""
        for one in fields(self):
            getattr(self, one.name).close()


@dataclass(kw_only=True)
class WorkServicer:
    """The part of the tournament service that workers call."""

    leases: Leases
    workers: Workers
    sweeper: Sweeper
    registry: Versions
    follower: Follower
    teller: Teller
    live: Live
    bell: Bell
    signals: Signals
    lanes: Lanes

    async def ClaimNext(self, request: pb.ClaimNextRequest, context: Any) -> pb.ClaimNextResponse:
        asker = Asker(name_worker(identity(), request.worker), request.memory_mib)
        until = time.monotonic() + min(request.wait_ms / 1000, LONGEST_WAIT)
        while (order := await self._claim_active(asker, request.block_id)) is None:
            if not await self.bell.wait(until - time.monotonic()):
                return pb.ClaimNextResponse()
        watched = await self.live.is_watched(order.claim.job.id)
        return pb.ClaimNextResponse(claimed=True, order=wire.build_order(order), watched=watched)

    async def _claim_active(self, asker: Asker, block_id: str) -> Order | None:
        """Claim a block; pairings of ladders that would begin with a version that is not active end.

        A claim is checked even if its worker has gone meanwhile: the block's next claim is not.
        """
        while True:
            order, has_ended = await asyncio.shield(self._claim_checked(asker, block_id))
            if not has_ended:
                return order

    async def _claim_checked(self, asker: Asker, block_id: str) -> tuple[Order | None, bool]:
        """Claim a block; return its order, and True if its job has ended in place of beginning."""
        order = await self.lanes.leases(self.leases.claim_block, asker, block_id)
        if order is None or not (words := await explain_inactive(self.registry, order.claim)):
            return order, False
        if not await self.lanes.leases(self.leases.end_unbegun, order.claim, words):
            return order, False
        self.follower.schedule_follow(order.claim.contest.id)
        self.signals.notify_listeners(order.claim.contest.id)
        return order, True

    async def RenewLease(self, request: pb.RenewLeaseRequest, context: Any) -> pb.RenewLeaseResponse:
        held, who = (request.block_id, request.fence), identity()
        log.bind(block=request.block_id[:64])
        if request.give_back:
            tournament_id = await self.lanes.leases(
                self.leases.give_back, who, *held, request.words, request.lacks
            )
            self.follower.schedule_follow(tournament_id)
            return pb.RenewLeaseResponse()
        claim = await self.lanes.leases(self.leases.renew_lease, who, *held, request.deals_done)
        seconds = wire.round_lease(self.leases.lease)
        if claim is None:
            return pb.RenewLeaseResponse(lease_seconds=seconds, dropped=True)
        self.teller.publish_progress(claim)
        watched = await self.live.is_watched(claim.job.id)
        return pb.RenewLeaseResponse(lease_seconds=seconds, watched=watched)

    async def ReportDeals(self, request: pb.ReportDealsRequest, context: Any) -> pb.ReportDealsResponse:
        log.bind(block=request.block_id[:64])
        deals = [game_wire.live_deal(one) for one in request.deals]
        held = identity(), request.block_id, request.fence
        job_id = await self.lanes.leases(self.leases.find_shown, *held, deals)
        await self.live.append_report(job_id, msgspec.json.encode(deals))
        return pb.ReportDealsResponse(watched=await self.live.is_watched(job_id))

    async def SubmitBlock(self, requests: AsyncIterator[Any], context: Any) -> pb.SubmitBlockResponse:
        given = await _read_report(requests)
        log.bind(block=given.block_id[:64])
        stored, tournament_id = await self.lanes.bookings(self.leases.submit_report, identity(), given)
        if stored:
            self.follower.schedule_follow(tournament_id)
            self.signals.notify_listeners(tournament_id)
        return pb.SubmitBlockResponse(stored=stored)

    async def ReportTest(self, request: pb.ReportTestRequest, context: Any) -> pb.ReportTestResponse:
        worker, unfit = name_worker(identity(), request.worker), clean_line(request.unfit, WORDS)
        await self.lanes.leases(self.workers.record_self_test, worker, unfit, self.leases.clock())
        return pb.ReportTestResponse()

    async def ReportPresence(
        self, request: pb.ReportPresenceRequest, context: Any
    ) -> pb.ReportPresenceResponse:
        worker = name_worker(identity(), request.worker)
        record = self.workers.record_end if request.ended else self.workers.record_presence
        await self.lanes.leases(record, worker, self.leases.clock())
        return pb.ReportPresenceResponse()

    async def GetQueue(self, request: pb.GetQueueRequest, context: Any) -> pb.GetQueueResponse:
        now, who = self.leases.clock(), identity()
        lines = await to_thread(self.sweeper.queue.list_lines)
        mine = await to_thread(self.sweeper.queue.list_matches, {who.name, who.owner}, wire.OWN_MATCHES)
        present, suspended = await to_thread(self.workers.count_present, now)
        say = partial(wire.queue_entry, self.sweeper.throughput, who, now)
        return pb.GetQueueResponse(
            entries=map(say, lines),
            workers=present,
            suspended_workers=suspended,
            matches=map(wire.queued_match, mine),
        )

    async def ListWorkers(self, request: pb.ListWorkersRequest, context: Any) -> pb.ListWorkersResponse:
        now = self.leases.clock()
        heard = await to_thread(self.workers.list_heard, now, request.page_token)
        say, name = partial(wire.build_worker, now=now), lambda one: f"{one.seen_at} {one.name}"
        workers, token = page.fill(heard, request.page_size, say, name)
        return pb.ListWorkersResponse(workers=workers, next_page_token=token)

    async def ReleaseBlocks(self, request: pb.ReleaseBlocksRequest, context: Any) -> pb.ReleaseBlocksResponse:
        released = await self.lanes.schedule(self.sweeper.release_leases, list(request.workers))
        return pb.ReleaseBlocksResponse(released=released)

    async def Sweep(self, request: pb.SweepRequest, context: Any) -> pb.SweepResponse:
        return pb.SweepResponse(sent=await self.lanes.schedule(self.sweeper.sweep_contests))


async def _read_report(requests: AsyncIterator[Any]) -> BlockReport:
    """Read a report: one header, then exactly the sets that it announces. Raise BadReport if it is not so."""
    header: Any = None
    sets: list[SetOutcome] = []
    async for request in requests:
        if (request.WhichOneof("part") == "header") != (header is None):
            raise BadReport("A report is one header, then sets.")
        if header is None:
            header = request.header
        else:
            sets += game_wire.set_outcomes(request.sets.sets)
        if len(sets) > header.sets:
            raise BadReport(f"The report has more than the {header.sets} sets that its header says.")
    if header is None or len(sets) != header.sets:
        said = header.sets if header else "no header; sets"
        raise BadReport(f"The report was cut off: {said} announced, {len(sets)} came.")
    return BlockReport(header.block_id, header.fence, sets, wire.read_measured(header.measured))
