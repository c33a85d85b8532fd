"""`make bench-time`: what the probe costs, and how far banks used differ under what disturbs CPU time.

The same block of `rollout` against `greedy` is played alone, beside a busy loop on its core, and beside a
process that goes through 64 MiB on another core; in turn, so that the hour of the day counts for none.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.row import Row
from bench.table import program
from maumau.bot.pace import Pace
from maumau.bot.referee import BlockOrder, Measured, play_block
from maumau.bot.sandbox import choose_sandbox

ROUNDS = 16
SETS = 30
PROBES = 25  # whose median is one reading of the pace
READINGS = 9
BUSY = "while True: pass"
THRASH = """
import numpy
memory = numpy.zeros(8 << 20)
while True:
    memory[::8] += 1
"""


class Used(NamedTuple):
    """By `rollout` for a deal, in reference milliseconds and in those of the host; and the pace."""

    reference: float
    plain: float
    pace: float


def rows() -> Iterator[Row]:
    """All of them, in about a minute."""
    cores = sorted(os.sched_getaffinity(0))
    core, other = cores[-1], cores[0]
    disturbers: dict[str, tuple[str, int] | None] = {
        "alone": None,
        "beside a busy loop on its core": (BUSY, core),
        "beside a cache thrasher on another core": (THRASH, other),
    }
    yield repeated(core)
    played: dict[str, list[Measured]] = {name: [] for name in disturbers}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        programs = [program(name, Path(folder)) for name in ("rollout", "greedy")]
        sandbox, pace = choose_sandbox("auto"), Pace()
        order = BlockOrder("mau_mau", 2, [f"{number:064x}" for number in range(SETS)], deal_ms=1000, cpu=core)
        play_block(order, programs, sandbox, pace=pace)
        for _ in range(ROUNDS):
            for name, disturber in disturbers.items():
                with beside(disturber):
                    played[name].append(play_block(order, programs, sandbox, pace=pace).measured)
    alone = played["alone"]
    share = 100 * sum(each.probe_ms for each in alone) / sum(each.wall_ms for each in alone)
    yield Row("probes in a block of rollout and greedy", share, 1, most=True, unit="%", how="alone")
    yield from differences({name: used(each) for name, each in played.items()})


def repeated(core: int) -> Row:
    """Readings of the pace of a core, one after the other; each against the one before, as hosts change."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    pace, found = Pace(), list[float]()
    for _ in range(READINGS):
        paces = []
        for _ in range(PROBES):
            pace.look()
            paces.append(pace.last)
        found.append(statistics.median(paces))
    os.sched_setaffinity(0, before)
    steps = [100 * (max(pair) / min(pair) - 1) for pair in pairwise(found)]
    how = f"median of {len(steps)}, the largest {max(steps):.0f} %; from {min(found):.2f} to {max(found):.2f}"
    return Row(
        "one reading of the pace differs from the next by",
        statistics.median(steps),
        5,
        most=True,
        unit="%",
        how=how,
    )


def used(blocks: Sequence[Measured]) -> Used:
    """Medians over the rounds."""
    deals = 2 * SETS
    return Used(
        statistics.median(each.uses[0].bank_ms for each in blocks) / deals,
        statistics.median(each.uses[0].cpu_ms for each in blocks) / deals,
        statistics.median(each.pace.mean for each in blocks),
    )


def differences(found: dict[str, Used]) -> Iterator[Row]:
    """Each kind of disturbance against none, and all against each other."""
    alone = found["alone"]
    for name, each in found.items():
        change = 100 * (each.reference / alone.reference - 1)
        how = (
            f"{each.reference:.2f} reference ms a deal, pace {each.pace:.2f};"
            f" {each.plain:.2f} ms of CPU time, {100 * (each.plain / alone.plain - 1):+.0f} %"
        )
        yield Row(f"rollout's bank {name}, against alone", abs(change), 15, most=True, unit="%", how=how)


@contextmanager
def beside(disturber: tuple[str, int] | None) -> Iterator[None]:
    """While a process of this code runs on that core."""
    if disturber is None:
        yield
        return
    code, core = disturber
    with subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", code]) as process:
        try:
            yield
        finally:
            process.kill()
