"""A ladder on a real arena: its share of the workers' time, and its cost to a tournament."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.results.row import ResultRow
from bench.support.embedded import Embedded, until
from maumau.bots import HOUSE
from maumau.client.matchmaking import Matchmaking

RULES, SETS = "mau_mau", 8000  # enough that ladder blocks left over at the start hardly matter
BLOCKS = 30  # of each worker, for the share; as many before them are ignored, since bots still join then
SPEC = """
name = "{name}"
rules = "mau_mau"
secret = "benchmarks-have-no-secrets"

[[stage]]
format = "round_robin"

[match]
block = 100
cap = {sets}
delta = 0.000001
alpha = 1e-9
"""
RUNS = """
SELECT block.worker, block.claimed_at, block_result.stored_at FROM block
JOIN block_result ON block_result.block_id = block.id
WHERE block.claimed_at > ? ORDER BY block_result.stored_at
"""


class BlockSpan(NamedTuple):
    """A block that a worker has played: from its claim to its result, in ms."""

    claimed_at: int
    stored_at: int


def measure_ladder(arena: Embedded) -> Iterator[ResultRow]:
    """Yield the pace of a tournament, alone and beside a ladder, and the share of the ladder."""
    before = measure_sets_per_second(arena, "before")
    began = time.time_ns() // 1_000_000
    change_ladder(arena, Matchmaking.join)
    shares = [
        compute_busy_share(runs)
        for runs in until("each worker has played", lambda: read_last_blocks(arena, began), 600)
    ]
    how = f"of the time from claim to claim, {BLOCKS} blocks of each of {len(shares)} workers"
    yield ResultRow("share of the workers' time that a ladder uses", 100 * min(shares), 95, unit="%", how=how)
    beside = measure_sets_per_second(arena, "beside")
    change_ladder(arena, Matchmaking.leave)
    alone = (before + measure_sets_per_second(arena, "after")) / 2
    how = f"{SETS:,} sets: {beside:.0f} a second, {alone:.0f} without a ladder"
    yield ResultRow(
        "a tournament is slower beside a ladder", 100 * (1 - beside / alone), 10, most=True, unit="%", how=how
    )


def measure_sets_per_second(arena: Embedded, name: str) -> float:
    """Return the deal sets per second of one long match of greedy against random."""
    arena.begin(SPEC.format(name=name, sets=SETS), ["greedy", "random"])
    began = time.perf_counter()
    arena.wait_until_over(name, 600)
    return SETS / (time.perf_counter() - began)


def change_ladder(arena: Embedded, change: Callable[[Matchmaking, str, str], object]) -> None:
    """Let all house bots join or leave a ladder, which may be new."""
    card = arena.read_card()
    with Matchmaking(card["matchmaking"], card["token"]) as link:
        link.create("bench", RULES)
        for bot in HOUSE:
            change(link, "bench", bot)


def read_last_blocks(arena: Embedded, began: int) -> list[list[BlockSpan]]:
    """Return the last blocks of each worker; none until each has played over twice as many since then."""
    with sqlite3.connect(f"file:{arena.data / 'tournament.db'}?mode=ro", uri=True) as database:
        found: dict[str, list[BlockSpan]] = {}
        for worker, *run in database.execute(RUNS, (began,)):
            found.setdefault(worker, []).append(BlockSpan(*run))
    enough = all(len(runs) > 2 * BLOCKS for runs in found.values())
    return [runs[-BLOCKS:] for runs in found.values()] if enough else []


def compute_busy_share(runs: list[BlockSpan]) -> float:
    """Return the part of the time between the first and the last claim that blocks took."""
    took = sum(run.stored_at - run.claimed_at for run in runs[:-1])
    return took / (runs[-1].claimed_at - runs[0].claimed_at)
