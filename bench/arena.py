"""The arena as a whole: what is not playing, two workers against one, memory. Real processes, real bots."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from bench import ladder
from bench.embedded import Embedded, running
from bench.row import Row

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


def rows() -> Iterator[Row]:
    """All of them, in about three minutes."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "ready"
        with running(ready) as arena:
            arena.settled()
        with running(Path(folder) / "one", workers=1, like=ready) as arena:
            yield from overhead(arena)
            one = pace(arena)
        with running(Path(folder) / "two", workers=2, like=ready) as arena:
            two = pace(arena)
            yield Row(
                "two workers against one, deals in the same time", two / one, 1.7, how="2,000 sets each"
            )
            yield from memory(arena)
        with running(Path(folder) / "ladder", workers=2, like=ready) as arena:
            yield from ladder.rows(arena)


def overhead(arena: Embedded) -> Iterator[Row]:
    """One block of 500 mirrored deals of greedy against random: the share of its time that is not playing."""
    spec = SPEC.format(name="overhead", block=500, cap=500, test=ENDLESS)
    export = arena.finish(arena.begin(spec, ["greedy", "random"]), 120)
    spent = measured(export)
    rest = spent["wall_ms"] - spent["play_ms"]
    how = f"{spent['wall_ms']} ms, of which {spent['play_ms']} ms played, {spent['start_ms']} ms starts"
    share = (rest - spent["start_ms"]) / spent["wall_ms"]
    yield Row("not playing, without sandbox starts", 100 * share, 10, most=True, unit="%", how=how)
    yield Row("not playing, with them", 100 * rest / spent["wall_ms"], 10, most=True, unit="%", how=how)


def measured(export: Path) -> Any:
    """What was measured of the first block."""
    lines = map(json.loads, export.read_text().splitlines())
    return next(line["values"] for line in lines if line["kind"] == "measured" and "block" in line["of"])


def pace(arena: Embedded) -> float:
    """Deal sets a second of one long match of greedy against random."""
    spec = SPEC.format(name="pace", block=100, cap=2000, test=ENDLESS)
    name = arena.begin(spec, ["greedy", "random"])
    began = time.perf_counter()
    arena.decided(name, 300)
    return 2000 / (time.perf_counter() - began)


def memory(arena: Embedded) -> Iterator[Row]:
    """Proportional set size after a tournament of 2,000 sets."""
    card = arena.card()
    family = psutil.Process(card["pid"]).children(recursive=True)
    whole = sum(pss(process) for process in (psutil.Process(card["pid"]), *family))
    for name in ("registry", "tournament"):
        yield Row(
            f"memory of {name}", pss(psutil.Process(card["processes"][name])), 150, most=True, unit="MiB"
        )
    yield Row("memory of all, two workers", whole, 1200, most=True, unit="MiB")


def pss(process: psutil.Process) -> float:
    """In MiB."""
    return float(process.memory_full_info().pss) / MIB
