"""The spectators' page: its weight, the time of a page, and how many may watch while bots play.

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
from typing import NamedTuple

import psutil

from bench.platform.arena import ENDLESS, SPEC, proportional_size
from bench.platform.ladder import change_ladder
from bench.results.row import ResultRow
from bench.support.embedded import BRISK, Embedded, running, until
from bench.support.lab import Lab, book_simulated_blocks, free_port
from bench.web.browser import StreamWatcher, ask_page, latest_delays, weigh_page
from bench.web.phone import show_on_phone
from bench.web.streams import count_sets, follow_meanwhile, read_meanings, read_meanwhile
from maumau.client.matchmaking import Matchmaking

READER = "mm_the-page-of-benchmarks"
FIELD, DECIDED = 64, 60  # entrants of the contest whose page is measured; its decided matches
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
WATCHERS, LEADS = 1000, 5  # of one match; those whose events are read for the meaning of ids
OTHERS = ("/stream", "/stream/contests/watched", "/stream/tables", "/stream/bots/greedy")
EACH = 50  # watchers of each of them
SECONDS = 20.0
RESULTS = 20  # of a ladder, until each of which it is asked how long it took
STORED = """
SELECT stored_at, block.sets FROM block_result JOIN block ON block.id = block_id
WHERE stored_at > ? AND block.contest_id <> ? ORDER BY stored_at
"""


def measure_rows() -> Iterator[ResultRow]:
    """Yield all rows, in about five minutes."""
    with tempfile.TemporaryDirectory() as folder:
        with serve_quietly(Path(folder) / "quiet") as lab:
            yield from show_pages(lab)
            yield from show_on_phone(f"http://{lab.addresses['web']}", PAGES)
            yield hold_idle_streams(lab)
        with running(Path(folder) / "arena", settings={**BRISK, "MAUMAU_PAGE_STREAMS": "4000"}) as arena:
            yield from watch_match(arena)
            yield follow_ladder(arena)


def serve_quietly(folder: Path) -> Lab:
    """Yield services without a worker."""
    lab = Lab("sqlite", folder, READER_TOKEN=READER, ENGINE_ADDRESS="127.0.0.1:1", PAGE_STREAMS="20000")
    lab.addresses |= {name: f"127.0.0.1:{free_port()}" for name in ("matchmaking", "web")}
    return lab


def port_of(address: str) -> int:
    """Return the port of host:port."""
    return int(address.rpartition(":")[2])


def show_pages(lab: Lab) -> Iterator[ResultRow]:
    """Yield the costs of pages of an arena with a big contest."""
    lab.begin("big", FIELD, ONE_BLOCK)
    lab.wait_for_blocks(PAIRS)
    book_simulated_blocks(lab, DECIDED)
    port, web = port_of(lab.addresses["web"]), psutil.Process(lab.find_pid("web"))
    weights = {path: weigh_page(port, path) for path in PAGES}
    heaviest = max(weights, key=lambda path: weights[path].whole)
    size, alone = weights[heaviest].whole / 1000, weights[heaviest].page / 1000
    how = f"{heaviest} with all it loads, gzip; HTML alone: {alone:.1f}"
    yield ResultRow("first view of the heaviest page", size, 150, most=True, unit="kB", how=how)
    scripts = max(one.scripts for one in weights.values()) / 1000
    yield ResultRow("scripts of a page", scripts, 60, most=True, unit="kB", how="gzip, all modules it loads")
    for path in PAGES:
        used, took = look_at(port, path, web)
        what = f"{FIELD} entrants, {PAIRS:,} matches; " if path == BIG else ""
        how = f"{what}{1000 * took:.0f} ms by the wall clock"
        yield ResultRow(
            f"page {path}", 1000 * used, 200 if path == BIG else 50, most=True, unit="ms", how=how
        )


def look_at(port: int, path: str, web: psutil.Process) -> tuple[float, float]:
    """Return the CPU and wall-clock seconds until the whole page has come."""
    used, took = [], []
    for _ in range(LOOKS):
        time.sleep(UNKEPT)
        cpu, began = cpu_of(web), time.perf_counter()
        ask_page(port, path)
        took.append(time.perf_counter() - began)
        used.append(cpu_of(web) - cpu)
    return statistics.mean(used), statistics.median(took)


def cpu_of(process: psutil.Process) -> float:
    """Return the CPU seconds so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def hold_idle_streams(lab: Lab) -> ResultRow:
    """Return the memory of streams of a contest in which nothing happens."""
    web = psutil.Process(lab.find_pid("web"))
    before, watchers = proportional_size(web), [StreamWatcher(f"/stream{BIG}") for _ in range(IDLE)]
    with read_meanwhile(port_of(lab.addresses["web"]), watchers):
        cpu, began = cpu_of(web), time.perf_counter()
        time.sleep(10)
        grown, used = proportional_size(web) - before, (cpu_of(web) - cpu) / (time.perf_counter() - began)
    how = (
        f"each; the page had {before:.0f} MiB and has {grown:.0f} more; {used:.0%} of a core for their beats"
    )
    return ResultRow(
        f"memory of {IDLE:,} idle streams", 1024 * grown / IDLE, 64, most=True, unit="KiB", how=how
    )


class Watching(NamedTuple):
    """The page's use before all its watchers, in cores and MiB, and the speed of play then and alone.

    `readers`: cores that this process used for reading; `waits`: seconds until each watcher heard of a block.
    """

    alone: float
    unwatched: float
    beside: float
    used: float
    readers: float
    before: float
    grown: float
    waits: list[float]
    blocks: int


def watch_match(arena: Embedded) -> Iterator[ResultRow]:
    """Yield the speed of a match alone and in front of all its watchers, and their delays."""
    arena.begin(SPEC.format(name="watched", block=50, cap=100_000, test=ENDLESS), ["greedy", "random"])
    until("the match is played", lambda: count_played(arena) > 0)
    web = psutil.Process(arena.read_card()["processes"]["web"])
    cpu = cpu_of(web)
    alone = measure_speed(arena, SECONDS / 2)
    unwatched = (cpu_of(web) - cpu) / (SECONDS / 2)
    yield from report_watching(measure_watching(arena, web, alone, unwatched))
    arena.ask(lambda link: link.cancel("watched"))


def measure_watching(arena: Embedded, web: psutil.Process, alone: float, unwatched: float) -> Watching:
    """Return the measurements with all watchers, beside those without any."""
    match = "/stream/contests/watched/matches/1.1.1"
    leads = [StreamWatcher(match, keeps=True) for _ in range(LEADS)]
    many = [StreamWatcher(match) for _ in range(WATCHERS - LEADS)]
    others = [StreamWatcher(path) for path in OTHERS for _ in range(EACH)]
    before = proportional_size(web)
    with (
        read_meanwhile(port_of(arena.read_card()["web"]), [*leads, *many, *others]),
        follow_meanwhile(arena, "watched", "1.1.1") as told,
    ):
        time.sleep(2)
        cpu, read, began = cpu_of(web), time.process_time(), time.time()
        beside = measure_speed(arena, SECONDS)
        ended = time.time()
        used, grown = (cpu_of(web) - cpu) / (ended - began), proportional_size(web) - before
        readers = (time.process_time() - read) / (ended - began)
        time.sleep(3)
    known = read_meanings(leads)
    mine = [(at, sets) for at, sets in told if began < at < ended]
    assert mine, "no block was booked while they watched"
    waits = [max(waits_of(one, known, mine), default=SECONDS) for one in many]
    return Watching(alone, unwatched, beside, used, readers, before, grown, waits, len(mine))


def report_watching(found: Watching) -> Iterator[ResultRow]:
    """Yield the rows of measurements with all watchers."""
    how = (
        f"after the arena told it, worst of {found.blocks} blocks;"
        f" median watcher {statistics.median(found.waits):.2f} s; {EACH * len(OTHERS)} other streams"
    )
    yield ResultRow(
        f"the last of {WATCHERS:,} watchers hears", max(found.waits), 2, most=True, unit="s", how=how
    )
    how = f"the page's own; {found.before:.0f} MiB before"
    yield ResultRow("memory that these watchers take", found.grown, 60, most=True, unit="MiB", how=how)
    taken = 100 * (found.used - found.unwatched) / (os.cpu_count() or 1)
    how = (
        f"{found.used:.0%} of a core before all watchers, {found.unwatched:.0%} without;"
        " what is taken is not played with"
    )
    yield ResultRow(
        "of all cores, taken by the page for its watchers", taken, 2, most=True, unit="%", how=how
    )
    how = (
        f"{found.beside:.0f} / {found.alone:.0f} deal sets a second, a worker on each of two cores;"
        f" the readers, elsewhere with real browsers, use {found.readers:.0%} of a core here"
    )
    yield ResultRow("play before all watchers against play alone", found.beside / found.alone, 0.98, how=how)


def waits_of(one: StreamWatcher, known: dict[str, int], told: list[tuple[float, int]]) -> list[float]:
    """Return the seconds until this watcher's page showed each event, or a later one."""
    return latest_delays(((at, known.get(event, -1)) for at, event, _ in one.heard), told)


def count_played(arena: Embedded) -> int:
    """Return the number of sets played in the watched match."""
    return int(arena.ask(lambda link: link.match("watched", "1.1.1")).match.sets)


def measure_speed(arena: Embedded, seconds: float) -> float:
    """Return the deal sets per second during this time."""
    first, began = count_played(arena), time.perf_counter()
    time.sleep(seconds)
    return (count_played(arena) - first) / (time.perf_counter() - began)


def follow_ladder(arena: Embedded) -> ResultRow:
    """Return the delay from a result's commit to the changed row on the page."""
    began = time.time()
    change_ladder(arena, Matchmaking.join)
    reader = StreamWatcher("/stream/ladders/bench", keeps=True)
    with read_meanwhile(port_of(arena.read_card()["web"]), [reader]):
        until("results of the ladder", lambda: len(list_commits(arena, began)) >= RESULTS)
        found = list_commits(arena, began)
        time.sleep(5)
    heard = [(at, sets) for at, _, data in reader.heard if (sets := count_sets(data)) is not None]
    waits = latest_delays(iter(heard), found)
    assert len(waits) == len(found), "some results were not shown within five seconds"
    how = f"worst of {len(waits)} results; median {statistics.median(waits):.2f} s"
    return ResultRow("a result's commit to a ladder's page", max(waits), 2, most=True, unit="s", how=how)


def list_commits(arena: Embedded, began: float) -> list[tuple[float, int]]:
    """Return the times at which results were stored since then, with the number of all sets by each."""
    before = arena.ask(lambda link: link.tournament("watched")).id
    with sqlite3.connect(f"file:{arena.data / 'tournament.db'}?mode=ro", uri=True) as database:
        lines = database.execute(STORED, (round(1000 * began), before)).fetchall()
    total, found = 0, []
    for stored_at, sets in lines:
        total += sets
        found.append((stored_at / 1000, total))
    return found
