"""Simulated workers for scale.py: they claim, renew and report through gRPC, and play nothing."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from bench.services.deals import Deals
from bench.support.lab import LARGE, WORKER, Lab, token_metadata
from maumau.v1 import tournament_pb2 as pb
from maumau.v1 import tournament_pb2_grpc

CHANNELS = 4  # to each replica
RENEWALS = 1  # per block, halfway
DEADLINE = 300.0  # seconds per call, which may take long on a crowded machine
AGAIN = 0.5  # seconds until a call is repeated, at another replica
AWAY = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
LATE = {grpc.StatusCode.ABORTED, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND}
"""Status codes for a worker whose lease is over: another worker has the block."""


class Load:
    """Simulated workers on all replicas of a lab, in turn.

    block_seconds: how long each pretends to play a block. waits: seconds of each report. away: calls that
    were repeated because a replica was gone. late: blocks that were given to another worker meanwhile.
    """

    def __init__(self, lab: Lab, workers: int, seconds: float, sets: int, block_seconds: float = 0.0) -> None:
        self.lab, self.workers, self.seconds, self.block_seconds = lab, workers, seconds, block_seconds
        self.deals = Deals(sets)
        self.waits: list[float] = []
        self.fences: dict[str, int] = {}
        self.away = self.late = 0
        self._stubs: list[Any] = []

    async def run(self) -> None:
        """Run until the time is over; blocks claimed by then are reported."""
        addresses = [self.lab.addresses[name] for name in self.lab.replicas]
        options = (*LARGE, ("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 1000))
        channels = [
            grpc.aio.insecure_channel(one, options=options) for _ in range(CHANNELS) for one in addresses
        ]
        self._stubs = [tournament_pb2_grpc.TournamentServiceStub(channel) for channel in channels]
        last = time.monotonic() + self.seconds
        try:
            await asyncio.gather(*(self._work_blocks(number, last) for number in range(self.workers)))
        finally:
            for channel in channels:
                await channel.close()

    async def _work_blocks(self, number: int, last: float) -> None:
        ask = pb.ClaimNextRequest(worker=f"scale-{number}", wait_ms=1000)
        await asyncio.sleep(random.uniform(0, self.block_seconds))  # as if not all were started at once
        while time.monotonic() < last:
            found, _ = await self._call_replica(number, lambda stub, **how: stub.ClaimNext(ask, **how))
            if found.claimed:
                try:
                    await self._play_block(number, found.order)
                except grpc.aio.AioRpcError as error:
                    if error.code() not in LATE:
                        raise
                    self.late += 1

    async def _play_block(self, number: int, order: Any) -> None:
        for done in range(1, RENEWALS + 1):
            await asyncio.sleep(self.block_seconds / (RENEWALS + 1))
            held = pb.RenewLeaseRequest(block_id=order.block_id, fence=order.fence, deals_done=2 * done)
            await self._call_replica(number, lambda stub, held=held, **how: stub.RenewLease(held, **how))
        await asyncio.sleep(self.block_seconds / (RENEWALS + 1))
        began = time.perf_counter()
        report = list(self.deals.report(order))
        answer, retries = await self._call_replica(
            number, lambda stub, **how: stub.SubmitBlock(iter(report), **how)
        )
        self.waits.append(time.perf_counter() - began)
        assert answer.stored or retries, f"{order.block_id} was booked twice"
        if order.seatings:  # a copy that is compared, not a block
            return
        assert order.block_id not in self.fences, f"{order.block_id} was played twice"
        self.fences[order.block_id] = order.fence

    async def _call_replica(self, number: int, call: Callable[..., Awaitable[Any]]) -> tuple[Any, int]:
        """Call the worker's replica, or the next one if it is gone; return the answer and the retries."""
        retries = 0
        while True:
            try:
                stub = self._stubs[(number + retries) % len(self._stubs)]
                return await call(stub, metadata=token_metadata(WORKER), timeout=DEADLINE), retries
            except grpc.aio.AioRpcError as error:
                if error.code() not in AWAY:
                    raise
            self.away += 1
            retries += 1
            await asyncio.sleep(AGAIN)
