"""Resources of long-running processes, and whether they grow: memory, files, rows and keys."""

from __future__ import annotations

import sqlite3
import statistics
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psutil
import redis

MIB = 2.0**20
WARM = 3  # a third of the time is warming up
TOLD = {"rows": "kept", "keys with an end": "each ends by itself"}
"""Figures that grow with the number of games: they are reported with the reason, never as growth."""
GROWN = {"memory": (1.05, 8.0), "files": (1.0, 8.0), "keys": (1.25, 50.0)}
"""The factor and the amount by which a figure may be larger at the end: MiB, files, keys."""
CACHE_FILL_SECONDS = 3600.0  # seconds after which caches of the last thousands of matches are full
CACHE_FILL_MIB = 32.0  # MiB that a process may grow until then


class Sample(NamedTuple):
    """One sample. values: by kind ("memory") and subject ("tournament")."""

    at: float
    values: dict[tuple[str, str], float]


class Judged(NamedTuple):
    """A figure after the warm-up: medians of its first and its last third."""

    kind: str
    name: str
    early: float
    late: float
    flat: bool


def take_sample(at: float, processes: Mapping[str, int], urls: Sequence[str], data: Path) -> Sample:
    """Return a sample of all running processes, of Redis databases, of SQLite files in a folder."""
    values: dict[tuple[str, str], float] = {}
    for name, pid in processes.items():
        try:
            one = psutil.Process(pid)
            values["memory", name] = one.memory_info().rss / MIB
            values["files", name] = one.num_fds()
        except psutil.NoSuchProcess:
            continue
    for url in urls:
        name = f"redis {url.rpartition('/')[2]}"
        values["keys", name], values["keys with an end", name] = count_keys(url)
    for path in sorted(data.glob("*.db")):
        for table, count in count_rows(path).items():
            values["rows", f"{path.stem}.{table}"] = float(count)
    return Sample(at, values)


def count_keys(url: str) -> tuple[float, float]:
    """Return a Redis database's keys without and with a time to live."""
    with redis.Redis.from_url(url) as client:
        number = client.connection_pool.connection_kwargs.get("db", 0)
        found = client.info("keyspace").get(f"db{number}", {"keys": 0, "expires": 0})
    return float(found["keys"] - found["expires"]), float(found["expires"])


def count_rows(path: Path) -> dict[str, int]:
    """Return the rows of each table of a SQLite file in use."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as connection:
        named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for (name,) in named}


def judge_samples(samples: Sequence[Sample]) -> list[Judged]:
    """Return a judgement of each figure, in the order of kinds and names."""
    found, filling = [], samples[-1].at < CACHE_FILL_SECONDS
    warm = samples[len(samples) // WARM :]
    third = max(1, len(warm) // 3)
    for kind, name in sorted({key for sample in warm for key in sample.values}):
        series = [sample.values[kind, name] for sample in warm if (kind, name) in sample.values]
        early, late = statistics.median(series[:third]), statistics.median(series[-third:])
        flat = kind in TOLD or not has_grown(kind, early, late, filling=filling)
        found.append(Judged(kind, name, early, late, flat))
    return found


def has_grown(kind: str, early: float, late: float, *, filling: bool = False) -> bool:
    """Return True if a figure grew by both factor and amount. filling: caches were not full at the end."""
    factor, amount = GROWN[kind]
    if filling and kind == "memory":
        amount = CACHE_FILL_MIB
    return late > factor * early and late > early + amount


def describe_samples(judged: Sequence[Judged], hours: float, contests: int) -> str:
    """Return a table of the figures. hours: between the middle and the end."""
    lines = ["| what | of | in the middle | at the end | |", "|---|---|---|---|---|"]
    for one in judged:
        if one.kind in TOLD:
            if one.late == one.early:
                continue
            words = f"{(one.late - one.early) / hours:,.0f} an hour; {TOLD[one.kind]}"
        else:
            words = "flat" if one.flat else "**grows**"
        lines.append(f"| {one.kind} | {one.name} | {one.early:,.0f} | {one.late:,.0f} | {words} |")
    return "\n".join([*lines, "", f"{contests} tournaments were decided meanwhile."])
