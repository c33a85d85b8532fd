"""The arena as a whole: overhead beside play, two workers against one, memory. Real processes, real bots."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from bench.platform import ladder
from bench.results.row import ResultRow
from bench.support.embedded import Embedded, running

MIB = 1 << 20
ENDLESS = "delta = 0.000001\nalpha = 1e-9"  # a test that never decides: every set up to the cap is played
SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "benchmarks-have-no-secrets"

[[stage]]
format = "round_robin"

[match]
block = {block}
cap = {cap}
{test}
"""


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about three minutes."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        with running(ready) as arena:
            arena.wait_until_settled()
        with running(Path(folder) / "one", workers=1, like=ready) as arena:
            yield from measure_overhead(arena)
            one = measure_pace(arena)
        with running(Path(folder) / "two", workers=2, like=ready) as arena:
            two = measure_pace(arena)
            yield ResultRow(
                "two workers against one, deals in the same time", two / one, 1.7, how="2,000 sets each"
            )
            yield from measure_memory(arena)
        with running(Path(folder) / "ladder", workers=2, like=ready) as arena:
            yield from ladder.measure_ladder(arena)


def measure_overhead(arena: Embedded) -> Iterator[ResultRow]:
    """Yield the overhead of one block of 500 mirrored deals of greedy against random."""
    spec = SPEC.format(name="overhead", block=500, cap=500, test=ENDLESS)
    export = arena.finish(arena.begin(spec, ["greedy", "random"]), 120)
    spent = block_measurements(export)
    rest = spent["wall_ms"] - spent["play_ms"]
    how = f"{spent['wall_ms']} ms, of which {spent['play_ms']} ms played, {spent['start_ms']} ms starts"
    share = (rest - spent["start_ms"]) / spent["wall_ms"]
    yield ResultRow("not playing, without sandbox starts", 100 * share, 10, most=True, unit="%", how=how)
    yield ResultRow("not playing, with them", 100 * rest / spent["wall_ms"], 10, most=True, unit="%", how=how)


def block_measurements(export: Path) -> Any:
    """Return the measurements of the first block."""
    lines = map(json.loads, export.read_text().splitlines())
    return next(line["values"] for line in lines if line["kind"] == "measured" and "block" in line["of"])


def measure_pace(arena: Embedded) -> float:
    """Return the deal sets per second of one long match of greedy against random."""
    spec = SPEC.format(name="pace", block=100, cap=2000, test=ENDLESS)
    name = arena.begin(spec, ["greedy", "random"])
    began = time.perf_counter()
    arena.wait_until_over(name, 300)
    return 2000 / (time.perf_counter() - began)


def measure_memory(arena: Embedded) -> Iterator[ResultRow]:
    """Yield the proportional set size after a tournament of 2,000 sets."""
    card = arena.read_card()
    family = psutil.Process(card["pid"]).children(recursive=True)
    whole = sum(proportional_size(process) for process in (psutil.Process(card["pid"]), *family))
    for name in ("registry", "tournament"):
        yield ResultRow(
            f"memory of {name}",
            proportional_size(psutil.Process(card["processes"][name])),
            150,
            most=True,
            unit="MiB",
        )
    yield ResultRow("memory of all, two workers", whole, 1200, most=True, unit="MiB")


def proportional_size(process: psutil.Process) -> float:
    """Return the proportional set size of a process in MiB."""
    return float(process.memory_full_info().pss) / MIB
