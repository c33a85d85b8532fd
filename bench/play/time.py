"""`make bench-time`: the cost of a probe, and how far the use of banks varies under disturbances.

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

from bench.play.table import submitted_bot
from bench.results.row import ResultRow
from maumau.referee.block import BlockMeasurements, BlockOrder, play_block
from maumau.referee.pace import Pace
from maumau.sandbox.launch import choose_sandbox

ROUNDS = 16
SETS = 30
PROBES = 25  # the median of these is one reading of the pace
READINGS = 9
BUSY = "while True: pass"
THRASH = """
import numpy
memory = numpy.zeros(8 << 20)
while True:
    memory[::8] += 1
"""


class UseMedians(NamedTuple):
    """Use by `rollout` per deal, in reference milliseconds and in those of the host; and the pace."""

    reference: float
    plain: float
    pace: float


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about a minute."""
    cores = sorted(os.sched_getaffinity(0))
    core, other = cores[-1], cores[0]
    disturbers: dict[str, tuple[str, int] | None] = {
        "alone": None,
        "beside a busy loop on its core": (BUSY, core),
        "beside a cache thrasher on another core": (THRASH, other),
    }
    yield repeat_readings(core)
    played: dict[str, list[BlockMeasurements]] = {name: [] for name in disturbers}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        programs = [submitted_bot(name, Path(folder)) for name in ("rollout", "greedy")]
        sandbox, pace = choose_sandbox("auto"), Pace()
        order = BlockOrder("mau_mau", 2, [f"{number:064x}" for number in range(SETS)], deal_ms=1000, cpu=core)
        play_block(order, programs, sandbox, pace=pace)
        for _ in range(ROUNDS):
            for name, disturber in disturbers.items():
                with run_beside(disturber):
                    played[name].append(play_block(order, programs, sandbox, pace=pace).measured)
    alone = played["alone"]
    share = 100 * sum(each.probe_ms for each in alone) / sum(each.wall_ms for each in alone)
    yield ResultRow("probes in a block of rollout and greedy", share, 1, most=True, unit="%", how="alone")
    yield from compare_disturbances({name: median_used(each) for name, each in played.items()})


def repeat_readings(core: int) -> ResultRow:
    """Return the relative changes between readings of a core's pace, each against the one before."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    pace, found = Pace(), list[float]()
    for _ in range(READINGS):
        paces = []
        for _ in range(PROBES):
            pace.probe_host()
            paces.append(pace.last)
        found.append(statistics.median(paces))
    os.sched_setaffinity(0, before)
    steps = [100 * (max(pair) / min(pair) - 1) for pair in pairwise(found)]
    how = f"median of {len(steps)}, the largest {max(steps):.0f} %; from {min(found):.2f} to {max(found):.2f}"
    return ResultRow(
        "one reading of the pace differs from the next by",
        statistics.median(steps),
        5,
        most=True,
        unit="%",
        how=how,
    )


def median_used(blocks: Sequence[BlockMeasurements]) -> UseMedians:
    """Return the medians over the rounds."""
    deals = 2 * SETS
    return UseMedians(
        statistics.median(each.uses[0].bank_ms for each in blocks) / deals,
        statistics.median(each.uses[0].cpu_ms for each in blocks) / deals,
        statistics.median(each.pace.mean for each in blocks),
    )


def compare_disturbances(found: dict[str, UseMedians]) -> Iterator[ResultRow]:
    """Yield each kind of disturbance against none, and all against each other."""
    alone = found["alone"]
    for name, each in found.items():
        change = 100 * (each.reference / alone.reference - 1)
        how = (
            f"{each.reference:.2f} reference ms a deal, pace {each.pace:.2f};"
            f" {each.plain:.2f} ms of CPU time, {100 * (each.plain / alone.plain - 1):+.0f} %"
        )
        yield ResultRow(
            f"rollout's bank {name}, against alone", abs(change), 15, most=True, unit="%", how=how
        )


@contextmanager
def run_beside(disturber: tuple[str, int] | None) -> Iterator[None]:
    """Run a process of this code on that core while the context lasts."""
    if disturber is None:
        yield
        return
    code, core = disturber
    with subprocess.Popen(["taskset", "-c", str(core), sys.executable, "-c", code]) as process:
        try:
            yield
        finally:
            process.kill()
