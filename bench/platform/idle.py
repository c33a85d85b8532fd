"""An idle arena: the share of a core that all its processes use, and how soon it wakes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench.results.row import ResultRow
from bench.support.embedded import Embedded, running, until
from maumau.client.matchmaking import Matchmaking

LADDER, RULES = "bench", "mau_mau"
PLAYERS, NEWCOMER = ("greedy", "random"), "first"
SECONDS = 60.0
SETTLED = 20.0  # seconds between the last deal and the measurement
FIRST_REST = 300.0  # seconds in which the ladder must have told its bots apart


def measure_rows() -> Iterator[ResultRow]:
    """Measure an arena with the usual settings whose ladder has nothing left to learn."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "idle", settings={}) as arena:
        arena.wait_until_settled()
        card = arena.read_card()
        with Matchmaking(card["matchmaking"], card["token"], patience=60) as link:
            play_until_rest(link)
            time.sleep(SETTLED)
            share, count = measure_share(arena, SECONDS)
            how = f"{count} processes of an arena with a ladder at rest, for {SECONDS:.0f} s"
            yield ResultRow(
                "share of a core that an idle arena uses", 100 * share, 3, most=True, unit="%", how=how
            )
            waited = time_wake_up(link)
            how = f"from the moment that {NEWCOMER} joins until its first result"
            yield ResultRow("a ladder at rest wakes", waited, 15, most=True, unit="s", how=how)


def play_until_rest(link: Matchmaking) -> None:
    """Play a ladder of two bots until they are distinguished."""
    link.create(LADDER, RULES)
    for bot in PLAYERS:
        link.join(LADDER, bot)
    until("the ladder rests", lambda: is_resting(link), FIRST_REST)
    until("nothing is under way", lambda: all(one.state == "over" for one in link.pairings(LADDER)))


def is_resting(link: Matchmaking) -> bool:
    """Return True if the ladder rests."""
    return next(one.rests for one in link.ladders() if one.name == LADDER)


def time_wake_up(link: Matchmaking) -> float:
    """Return the seconds from a join until the first result."""
    began = time.monotonic()
    link.join(LADDER, NEWCOMER)
    until("it has played", lambda: any(one.booked for one in link.pairings(LADDER, NEWCOMER)))
    return time.monotonic() - began


def measure_share(arena: Embedded, seconds: float) -> tuple[float, int]:
    """Return the share of a core that all processes of an arena use, and how many they are."""
    root = arena.read_card()["pid"]
    before, began = read_times(root), time.monotonic()
    time.sleep(seconds)
    after, took = read_times(root), time.monotonic() - began
    spent = sum(used - before.get(pid, 0.0) for pid, used in after.items())
    return spent / took, len(after)


def read_times(pid: int) -> dict[int, float]:
    """Return the seconds that a process and all below it have used, ended children included."""
    root = psutil.Process(pid)
    found = {}
    for one in (root, *root.children(recursive=True)):
        try:
            found[one.pid] = sum(one.cpu_times()[:4])  # user, system, and both of ended children
        except psutil.NoSuchProcess:
            continue
    return found
