"""Load that replicas carry on one PostgreSQL: `make bench-scale` writes docs/explanation/scale.md.

Workers are simulated: they claim, renew and report with deals of real length, and play nothing. They run in
this process, which with PostgreSQL, Valkey and the services shares the cores. The long form of 1,000 workers,
ten minutes, with replicas that are killed:

  python -m bench.services.scale --queued 100000 --replicas 2 --workers 1000 --block-seconds 30
    --seconds 600 --kill 60
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
from contextlib import AbstractContextManager, nullcontext
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

import psutil

from bench.platform.arena import ENDLESS, SPEC
from bench.results.pace import measure_pace
from bench.services.load import Load
from bench.services.quota import limit_cpu
from bench.support.lab import Lab
from bench.support.patience import Deadline

PAGE = Path("docs/explanation/scale.md")
BEGIN, END = "<!-- measured -->\n", "<!-- end of what is measured -->\n"
UNDECIDED = SPEC.format(name="{name}", block=100, cap=100_000, test=ENDLESS)  # so that there is always more
FLAT = 1.05  # as much memory may a service have at the end, measured against the middle
HEAD = "| queued at first | replicas | workers | blocks/s | CPU per block: services, PostgreSQL | share of the cores: services, PostgreSQL, load | p50, p99 of a report | RSS of the largest replica, and of the registry: half, end | calls made again, blocks passed on |"  # noqa: E501


class LoadRun(NamedTuple):
    """One run. used: seconds of CPU of services, PostgreSQL and load; rss: MiB halfway and at the end."""

    queued: int
    replicas: int
    load: Load
    seconds: float
    used: tuple[float, float, float]
    rss: list[tuple[float, float]]

    def line(self) -> str:
        waits = self.load.waits
        p50, p99 = statistics.median(waits), sorted(waits)[int(0.99 * (len(waits) - 1))]
        each = [1000 * one / len(waits) for one in self.used[:2]]
        shares = [100 * one / self.seconds / (os.cpu_count() or 1) for one in self.used]
        memory = "; ".join(f"{half:.0f}, {end:.0f} MiB" for half, end in self.rss)
        return (
            f"| {self.queued:,} | {self.replicas} | {self.load.workers} | {len(waits) / self.seconds:.0f}"
            f" | {sum(each):.1f} ms: {each[0]:.1f}, {each[1]:.1f}"
            f" | {', '.join(f'{one:.0f} %' for one in shares)}"
            f" | {1000 * p50:.0f} ms, {1000 * p99:.0f} ms | {memory} | {self.load.away}, {self.load.late} |"
        )

    @property
    def is_flat(self) -> bool:
        """True if no service grew in the second half."""
        return all(end <= FLAT * half for half, end in self.rss)


def measure_load(queued: int, replicas: int, options: argparse.Namespace) -> LoadRun:
    """Start a fresh arena with this many queued blocks, then put it under load."""
    quick = {"LEASE": max(20.0, 2 * options.block_seconds)} if options.kill else {}
    with (
        tempfile.TemporaryDirectory() as folder,
        Lab("postgresql", Path(folder), replicas, **quick) as lab,
    ):
        for number, entrants in enumerate(field_sizes(queued)):
            lab.begin(f"field-{number}", entrants, UNDECIDED)
        lab.wait_for_blocks(queued, seconds=600)
        lab.wait_until_published()
        load = Load(lab, options.workers, options.seconds, options.sets, options.block_seconds)
        with _limit_replicas(lab, options.replica_cpu):
            watch = Watch(lab, options.seconds)
            began = time.perf_counter()
            asyncio.run(_run_load(load, watch, options.kill))
            took = time.perf_counter() - began
        used, rss = watch.used(), watch.rss()
        wait_until_none_is_claimed(lab)
        assert lab.count_blocks("done") == len(load.fences), "a report was lost"
        return LoadRun(queued, replicas, load, took, used, rss)


def _limit_replicas(lab: Lab, share: float) -> AbstractContextManager[None]:
    return limit_cpu(map(lab.find_pid, lab.replicas), share) if share else nullcontext()


def wait_until_none_is_claimed(lab: Lab) -> None:
    """Wait until leases are over of blocks whose worker never received the answer."""
    last = Deadline(180)
    while lab.count_blocks("claimed"):
        assert not last.has_passed(), "a block is stuck"
        last.pause()


def field_sizes(queued: int) -> Iterator[int]:
    """Return sizes of round robins that together have at least this many matches."""
    left = queued
    while left > 0:
        entrants = next((n for n in (8, 16, 32, 64, 128, 256) if n * (n - 1) // 2 >= left), 256)
        yield entrants
        left -= entrants * (entrants - 1) // 2


class Watch:
    """CPU and memory of the replicas, the registry and PostgreSQL, while replicas may be killed."""

    def __init__(self, lab: Lab, seconds: float) -> None:
        self.lab, self.seconds = lab, seconds
        self.server = next(one for one in psutil.Process().children() if one.name() == "postgres")
        self._gone = 0.0  # seconds of CPU of processes that were killed
        self._before, self._half = self._read_seconds(), self._resident_mib()

    async def note_half(self) -> None:
        await asyncio.sleep(self.seconds / 2)
        self._half = self._resident_mib()

    async def kill_replicas(self, every: float) -> None:
        """Kill replicas in turn during the first half; restart each at once."""
        names, last = cycle(self.lab.replicas), time.monotonic() + self.seconds / 2 - every
        while time.monotonic() < last:
            await asyncio.sleep(every)
            name = next(names)
            self._gone += _cpu_seconds(psutil.Process(self.lab.find_pid(name)))
            self.lab.kill(name)
            await asyncio.to_thread(self.lab.start, name)

    def used(self) -> tuple[float, float, float]:
        """Return the CPU seconds of the services, of PostgreSQL and of the load generator since the start."""
        service, database, load = (
            now - then for now, then in zip(self._read_seconds(), self._before, strict=True)
        )
        return service, database, load

    def rss(self) -> list[tuple[float, float]]:
        return list(zip(self._half, self._resident_mib(), strict=True))

    def _resident_mib(self) -> list[float]:
        """Return the MiB of the largest replica, and of the registry."""
        names = [self.lab.replicas, ["registry"]]
        return [max(_resident_memory(self.lab.find_pid(name)) for name in group) / 2**20 for group in names]

    def _read_seconds(self) -> tuple[float, float, float]:
        running = sum(
            _cpu_seconds(psutil.Process(self.lab.find_pid(name))) for name in (*self.lab.replicas, "registry")
        )
        database = sum(map(_cpu_seconds, self.server.children(recursive=True)), _cpu_seconds(self.server))
        return self._gone + running, database, _own_cpu()


def _resident_memory(pid: int) -> float:
    return float(psutil.Process(pid).memory_info().rss)


def _own_cpu() -> float:
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


def _cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process, including its ended children."""
    times = process.cpu_times()
    return float(times.user + times.system + times.children_user + times.children_system)


async def _run_load(load: Load, watch: Watch, kill: float) -> None:
    others = [asyncio.create_task(watch.note_half())]
    if kill:
        others.append(asyncio.create_task(watch.kill_replicas(kill)))
    await load.run()
    await asyncio.gather(*others)


def measure_scale() -> None:
    options = _parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends its children on SIGTERM
    lines = [HEAD, "|" + "---|" * (HEAD.count("|") - 1)]
    paces = []
    for replicas in options.replicas:
        for queued in options.queued:
            paces.append(measure_pace())
            measured = measure_load(queued, replicas, options)
            lines.append(measured.line())
            print(lines[-1], "" if measured.is_flat else "  MEMORY GREW in the second half", flush=True)
    machine = f"{os.cpu_count()} cores ({_processor_name()})"
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


def _processor_name() -> str:
    names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return names[0].partition(": ")[2] if names else platform.processor()


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.services.scale", description=__doc__)
    parser.add_argument("--queued", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=30.0, help="of load in each run")
    parser.add_argument("--block-seconds", type=float, default=0.0, help="that a worker pretends to play")
    parser.add_argument(
        "--kill", type=float, default=0.0, help="a replica after so many seconds, until halfway"
    )
    parser.add_argument(
        "--replica-cpu", type=float, default=0.0,
        help="share of a core that each replica has, as on a smaller host; not with --kill; needs root",
    )  # fmt: skip
    parser.add_argument("--sets", type=int, default=20, help="different deals that are reported")
    parser.add_argument("--write", action="store_true", help="into docs/explanation/scale.md")
    options = parser.parse_args()
    if options.replica_cpu and options.kill:
        parser.error("--replica-cpu cannot be combined with --kill")
    return options


if __name__ == "__main__":
    measure_scale()
