"""What replicas of the tournament service carry on one PostgreSQL: `make bench-scale` writes docs/scale.md.

Workers are simulated: they claim, renew and report with deals of real length, and play nothing. They run in
this process, which with PostgreSQL, Valkey and the services shares the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import psutil

from bench.__main__ import measure_pace
from bench.deals import Deals
from bench.lab import LARGE, WORKER, Lab, metadata
from maumau.v1 import tournament_pb2 as pb
from maumau.v1 import tournament_pb2_grpc

PAGE = Path("docs/scale.md")
BEGIN, END = "<!-- measured -->\n", "<!-- end of what is measured -->\n"
CHANNELS = 4  # to each replica
RENEWALS = 1  # of each block, halfway
HEAD = "| queued at first | replicas | workers | blocks/s | CPU per block | of which service, PostgreSQL | p50, p99 of a report | RSS of a replica, half, end |"  # noqa: E501


class Measured(NamedTuple):
    """One run. cpu, database: seconds of a block; rss: MiB of the largest replica, halfway and at the end."""

    queued: int
    replicas: int
    workers: int
    blocks: int
    seconds: float
    service: float
    database: float
    waits: list[float]
    rss: tuple[float, float]

    def line(self) -> str:
        p50, p99 = statistics.median(self.waits), sorted(self.waits)[int(0.99 * (len(self.waits) - 1))]
        return (
            f"| {self.queued:,} | {self.replicas} | {self.workers} | {self.blocks / self.seconds:.0f}"
            f" | {1000 * (self.service + self.database) / self.blocks:.1f} ms"
            f" | {1000 * self.service / self.blocks:.1f} ms, {1000 * self.database / self.blocks:.1f} ms"
            f" | {1000 * p50:.0f} ms, {1000 * p99:.0f} ms | {self.rss[0]:.0f} MiB, {self.rss[1]:.0f} MiB |"
        )


class Load:
    """Simulated workers on all replicas of a lab, in turn."""

    def __init__(self, lab: Lab, workers: int, seconds: float, sets: int) -> None:
        self.lab, self.workers, self.seconds = lab, workers, seconds
        self.deals = Deals(sets)
        self.waits: list[float] = []
        self.fences: dict[str, int] = {}

    async def run(self) -> None:
        """Until the time is over; what was claimed by then is reported."""
        addresses = [self.lab.addresses[name] for name in self.lab.replicas]
        options = (*LARGE, ("grpc.use_local_subchannel_pool", 1))
        channels = [
            grpc.aio.insecure_channel(one, options=options) for _ in range(CHANNELS) for one in addresses
        ]
        last = time.monotonic() + self.seconds
        try:
            await asyncio.gather(
                *(
                    self._work(number, channels[number % len(channels)], last)
                    for number in range(self.workers)
                )
            )
        finally:
            for channel in channels:
                await channel.close()

    async def _work(self, number: int, channel: Any, last: float) -> None:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        ask, who = pb.ClaimNextRequest(worker=f"scale-{number}", wait_ms=1000), metadata(WORKER)
        while time.monotonic() < last:
            found = await stub.ClaimNext(ask, metadata=who, timeout=60)
            if not found.claimed:
                continue
            order = found.order
            for done in range(1, RENEWALS + 1):
                held = {"block_id": order.block_id, "fence": order.fence, "deals_done": 2 * done}
                await stub.RenewLease(pb.RenewLeaseRequest(**held), metadata=who, timeout=60)
            began = time.perf_counter()
            answer = await stub.SubmitBlock(self.deals.report(order), metadata=who, timeout=60)
            self.waits.append(time.perf_counter() - began)
            assert answer.stored, f"{order.block_id} was booked twice"
            assert order.block_id not in self.fences, f"{order.block_id} was played twice"
            self.fences[order.block_id] = order.fence


def measure(queued: int, replicas: int, options: argparse.Namespace) -> Measured:
    """Starts a fresh arena with this many queued blocks, then puts the load on it."""
    with tempfile.TemporaryDirectory() as folder, Lab("postgresql", Path(folder), replicas) as lab:
        for number, entrants in enumerate(fields(queued)):
            lab.begin(f"field-{number}", entrants)
        lab.wait_for_blocks(queued, seconds=600)
        lab.wait_until_told()
        load = Load(lab, options.workers, options.seconds, options.sets)
        watch = Watch(lab, options.seconds / 2)
        began = time.perf_counter()
        asyncio.run(_with(load, watch))
        took = time.perf_counter() - began
        assert lab.count("done") == len(load.waits), "a report was lost"
        assert lab.count("claimed") == 0, "a block is stuck"
        return Measured(
            queued, replicas, options.workers, len(load.waits), took, *watch.used(), load.waits, watch.rss()
        )


def fields(queued: int) -> Iterator[int]:
    """Sizes of round robins that together have at least this many matches."""
    left = queued
    while left > 0:
        entrants = next((n for n in (8, 16, 32, 64, 128, 256) if n * (n - 1) // 2 >= left), 256)
        yield entrants
        left -= entrants * (entrants - 1) // 2


class Watch:
    """CPU and memory of the replicas and of PostgreSQL."""

    def __init__(self, lab: Lab, half: float) -> None:
        self.lab, self.half = lab, half
        self.processes = [psutil.Process(lab.pid(name)) for name in lab.replicas]
        self.server = next(one for one in psutil.Process().children() if one.name() == "postgres")
        self._before, self._half = self._read(), 0.0

    async def note_half(self) -> None:
        await asyncio.sleep(self.half)
        self._half = self._rss()

    def used(self) -> tuple[float, float]:
        """Seconds of CPU of the services and of PostgreSQL since the beginning."""
        service, database = self._read()
        return service - self._before[0], database - self._before[1]

    def rss(self) -> tuple[float, float]:
        return self._half, self._rss()

    def _rss(self) -> float:
        return max(float(one.memory_info().rss) for one in self.processes) / 2**20

    def _read(self) -> tuple[float, float]:
        return self.lab.cpu(), sum(map(_cpu, self.server.children(recursive=True)), _cpu(self.server))


def _cpu(process: psutil.Process) -> float:
    """With that of its children that have ended."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


async def _with(load: Load, watch: Watch) -> None:
    half = asyncio.create_task(watch.note_half())
    await load.run()
    await half


def main() -> None:
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # whoever is ended ends what it started
    lines = [HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    paces = []
    for replicas in options.replicas:
        for queued in options.queued:
            paces.append(measure_pace())
            lines.append(measure(queued, replicas, options).line())
            print(lines[-1], flush=True)
    machine = f"{os.cpu_count()} cores ({_processor()})"
    words = (
        f"{time.strftime('%Y-%m-%d')}, {machine}, Python {platform.python_version()};"
        f" pace {statistics.mean(paces):.2f} (1.0 is the reference, less is faster);"
        f" PostgreSQL without fsync; {options.sets} different sets are reported in turn;"
        f" {options.seconds:.0f} s each; load average {os.getloadavg()[0]:.1f} at the end.\n"
    )
    if options.write:
        page = PAGE.read_text()
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(
            head + BEGIN + "\n" + words + "\n" + "\n".join(lines) + "\n\n" + END + rest.partition(END)[2]
        )


def _processor() -> str:
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return names[0].partition(": ")[2] if names else platform.processor()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--queued", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=30.0, help="of load in each run")
    parser.add_argument("--sets", type=int, default=20, help="different deals that are reported")
    parser.add_argument("--write", action="store_true", help="into docs/scale.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
