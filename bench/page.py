"""The page people watch: what it weighs, how long a page takes, and how many may watch while bots play.

Real services on 127.0.0.1. First they stand by themselves, with a contest whose results are invented; then an
arena with two workers plays, and browsers' streams are read by this process, which needs a core of its own.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench.arena import ENDLESS, SPEC, pss
from bench.browser import Watcher, ask, latest, weigh
from bench.embedded import Embedded, running, until
from bench.lab import Lab, free_port, play_some
from bench.ladder import change_ladder
from bench.phone import show_on_phone
from bench.row import Row
from bench.streams import count_sets, read_meanings, reading, telling
from maumau.matchmaking import Matchmaking

READER = "mm_the-page-of-benchmarks"
FIELD, DECIDED = 64, 60  # entrants of the contest whose page is measured; matches of it that are decided
PAIRS = FIELD * (FIELD - 1) // 2
ONE_BLOCK = """
name = "{name}"
rules = "mau_mau"
[[stage]]
format = "round_robin"
[match]
block = 50
cap = 50
"""
BIG = "/contests/big"
PAGES = ("/", "/contests", BIG, f"{BIG}/matches/1.1.1", "/ladders", "/bots", "/rules/prsi", "/status")
LOOKS, UNKEPT = 5, 1.1  # of each page; seconds after which the page asks the arena again
IDLE = 10_000  # streams
WATCHERS, LEADS = 1000, 5  # of one match; of them whose events are read to know what an id stands for
OTHERS = ("/stream", "/stream/contests/watched", "/stream/tables", "/stream/bots/greedy")
EACH = 50  # watchers of each of them
SECONDS = 20.0
RESULTS = 20  # of a ladder, until each of which it is asked how long it took
STORED = """
SELECT stored_at, block.sets FROM block_result JOIN block ON block.id = block_id
WHERE stored_at > ? AND block.contest_id <> ? ORDER BY stored_at
"""


def rows() -> Iterator[Row]:
    """All of them, in about five minutes."""
    with tempfile.TemporaryDirectory() as folder:
        with serve_quietly(Path(folder) / "quiet") as lab:
            yield from show_pages(lab)
            yield from show_on_phone(f"http://{lab.addresses['web']}", PAGES)
            yield hold_idle_streams(lab)
        with running(Path(folder) / "arena") as arena:
            yield from watch_match(arena)
            yield follow_ladder(arena)


def serve_quietly(folder: Path) -> Lab:
    """Services without a worker."""
    lab = Lab("sqlite", folder, READER_TOKEN=READER, ENGINE_ADDRESS="127.0.0.1:1")
    lab.addresses |= {name: f"127.0.0.1:{free_port()}" for name in ("matchmaking", "web")}
    return lab


def port_of(address: str) -> int:
    """Of host:port."""
    return int(address.rpartition(":")[2])


def show_pages(lab: Lab) -> Iterator[Row]:
    """Pages of an arena with a big contest."""
    lab.begin("big", FIELD, ONE_BLOCK)
    lab.wait_for_blocks(PAIRS)
    play_some(lab, DECIDED)
    port, web = port_of(lab.addresses["web"]), psutil.Process(lab.pid("web"))
    weights = {path: weigh(port, path) for path in PAGES}
    heaviest = max(weights, key=lambda path: weights[path].whole)
    alone = ", ".join(f"{path} {one.page / 1000:.1f}" for path, one in weights.items())
    size, how = weights[heaviest].whole / 1000, f"{heaviest} with all it loads, gzip; HTML alone: {alone}"
    yield Row("first view of the heaviest page", size, 150, most=True, unit="kB", how=how)
    scripts = max(one.scripts for one in weights.values()) / 1000
    yield Row("scripts of a page", scripts, 60, most=True, unit="kB", how="gzip, all modules it loads")
    for path in PAGES:
        used, took = look_at(port, path, web)
        what = f"{FIELD} entrants, {PAIRS:,} matches; " if path == BIG else ""
        how = f"{what}CPU time, mean of {LOOKS}, nothing kept; {1000 * took:.0f} ms by the wall clock"
        yield Row(f"page {path}", 1000 * used, 200 if path == BIG else 50, most=True, unit="ms", how=how)


def look_at(port: int, path: str, web: psutil.Process) -> tuple[float, float]:
    """Seconds of CPU and by the wall clock until the whole page has come."""
    used, took = [], []
    for _ in range(LOOKS):
        time.sleep(UNKEPT)
        cpu, began = cpu_of(web), time.perf_counter()
        ask(port, path)
        took.append(time.perf_counter() - began)
        used.append(cpu_of(web) - cpu)
    return statistics.mean(used), statistics.median(took)


def cpu_of(process: psutil.Process) -> float:
    """Seconds so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def hold_idle_streams(lab: Lab) -> Row:
    """Of a contest in which nothing happens."""
    web = psutil.Process(lab.pid("web"))
    before, watchers = pss(web), [Watcher(f"/stream{BIG}") for _ in range(IDLE)]
    with reading(port_of(lab.addresses["web"]), watchers):
        cpu, began = cpu_of(web), time.perf_counter()
        time.sleep(10)
        grown, used = pss(web) - before, (cpu_of(web) - cpu) / (time.perf_counter() - began)
    how = (
        f"each; the page had {before:.0f} MiB and has {grown:.0f} more; {used:.0%} of a core for their beats"
    )
    return Row(f"memory of {IDLE:,} idle streams", 1024 * grown / IDLE, 64, most=True, unit="KiB", how=how)


def watch_match(arena: Embedded) -> Iterator[Row]:
    """A match that is played, alone and before all its watchers."""
    arena.begin(SPEC.format(name="watched", block=50, cap=100_000, test=ENDLESS), ["greedy", "random"])
    until("the match is played", lambda: count_played(arena) > 0)
    web = psutil.Process(arena.card()["processes"]["web"])
    cpu = cpu_of(web)
    alone = measure_speed(arena, SECONDS / 2)
    unwatched = (cpu_of(web) - cpu) / (SECONDS / 2)
    match = "/stream/contests/watched/matches/1.1.1"
    leads = [Watcher(match, keeps=True) for _ in range(LEADS)]
    many = [Watcher(match) for _ in range(WATCHERS - LEADS)]
    others = [Watcher(path) for path in OTHERS for _ in range(EACH)]
    before = pss(web)
    with (
        reading(port_of(arena.card()["web"]), [*leads, *many, *others]),
        telling(arena, "watched", "1.1.1") as told,
    ):
        time.sleep(2)
        cpu, read, began = cpu_of(web), time.process_time(), time.time()
        beside = measure_speed(arena, SECONDS)
        ended = time.time()
        used, grown = (cpu_of(web) - cpu) / (ended - began), pss(web) - before
        readers = (time.process_time() - read) / (ended - began)
        time.sleep(3)
    known = read_meanings(leads)
    mine = [(at, sets) for at, sets in told if began < at < ended]
    assert mine, "no block was booked while they watched"
    waits = [max(waits_of(one, known, mine), default=SECONDS) for one in many]
    how = (
        f"after the arena told it, worst of {len(mine)} blocks;"
        f" median watcher {statistics.median(waits):.2f} s; {EACH * len(OTHERS)} streams of other things"
    )
    yield Row(f"the last of {WATCHERS:,} watchers hears", max(waits), 2, most=True, unit="s", how=how)
    how = f"the page's own; {before:.0f} MiB before"
    yield Row("memory that these watchers take", grown, 60, most=True, unit="MiB", how=how)
    taken = 100 * (used - unwatched) / (os.cpu_count() or 1)
    how = (
        f"{used:.0%} of a core before all watchers, {unwatched:.0%} without; what is taken is not played with"
    )
    yield Row("of all cores, taken by the page for its watchers", taken, 2, most=True, unit="%", how=how)
    how = (
        f"{beside:.0f} / {alone:.0f} deal sets a second, a worker on each of two cores;"
        f" the readers, elsewhere with real browsers, use {readers:.0%} of a core here"
    )
    yield Row("play before all watchers against play alone", beside / alone, 0.98, how=how)
    arena.ask(lambda link: link.cancel("watched"))


def waits_of(one: Watcher, known: dict[str, int], told: list[tuple[float, int]]) -> list[float]:
    """Seconds until this watcher's page showed what was told, or more."""
    return latest(((at, known.get(event, -1)) for at, event, _ in one.heard), told)


def count_played(arena: Embedded) -> int:
    """Sets of the match that is watched."""
    return int(arena.ask(lambda link: link.match("watched", "1.1.1")).match.sets)


def measure_speed(arena: Embedded, seconds: float) -> float:
    """Deal sets a second, meanwhile."""
    first, began = count_played(arena), time.perf_counter()
    time.sleep(seconds)
    return (count_played(arena) - first) / (time.perf_counter() - began)


def follow_ladder(arena: Embedded) -> Row:
    """From a result's commit until the row has changed on the page."""
    began = time.time()
    change_ladder(arena, Matchmaking.join)
    reader = Watcher("/stream/ladders/bench", keeps=True)
    with reading(port_of(arena.card()["web"]), [reader]):
        until("results of the ladder", lambda: len(list_commits(arena, began)) >= RESULTS)
        found = list_commits(arena, began)
        time.sleep(5)
    heard = [(at, sets) for at, _, data in reader.heard if (sets := count_sets(data)) is not None]
    waits = latest(iter(heard), found)
    assert len(waits) == len(found), "some results were not shown within five seconds"
    how = f"worst of {len(waits)} results; median {statistics.median(waits):.2f} s"
    return Row("a result's commit to a ladder's page", max(waits), 2, most=True, unit="s", how=how)


def list_commits(arena: Embedded, began: float) -> list[tuple[float, int]]:
    """When results were stored since then, and how many sets all of them have until each."""
    before = arena.ask(lambda link: link.tournament("watched")).id
    with sqlite3.connect(f"file:{arena.data / 'tournament.db'}?mode=ro", uri=True) as database:
        lines = database.execute(STORED, (round(1000 * began), before)).fetchall()
    total, found = 0, []
    for stored_at, sets in lines:
        total += sets
        found.append((stored_at / 1000, total))
    return found
