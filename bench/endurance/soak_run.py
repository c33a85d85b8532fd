"""A whole arena under load for long: ladders, consecutive tournaments, live tables; see soak.py."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import grpc

from bench.endurance.steady import Sample, describe_samples, judge_samples, take_sample
from bench.services.live import TableRun
from bench.support.embedded import BOTS, Embedded, running
from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.errors import MaumauError
from maumau.v1 import engine_pb2_grpc

SAMPLES = 60
TABLES = 4
THINK = (0.2, 1.0)
LADDERS = ("mau_mau", "prsi")
SPEC = """
name = "soak-{number}"
rules = "mau_mau"
[[stage]]
format = "round_robin"
[match]
block = 10
cap = 20
"""


class Soak:
    """An arena under load, sampled at intervals. played: tournaments that were decided."""

    def __init__(self, arena: Embedded, seconds: float) -> None:
        self.arena, self.seconds = arena, seconds
        self.samples: list[Sample] = []
        self.waits: list[float] = []
        self.played = 0
        self.troubles: list[str] = []
        self._over = threading.Event()

    def run(self) -> None:
        """Run until the time is over; collect errors instead of raising them."""
        card = self.arena.read_card()
        with Matchmaking(card["matchmaking"], card["token"], patience=60) as ladders:
            for rules in LADDERS:
                ladders.create(rules, rules)
                for bot in BOTS:
                    ladders.join(rules, bot)
        work = [
            threading.Thread(target=self._collect_errors, args=(one,))
            for one in (self._play_cups, self._keep_tables)
        ]
        for each in work:
            each.start()
        began = time.monotonic()
        while (at := time.monotonic() - began) < self.seconds:
            card = self.arena.read_card()
            urls = card["redis"], card["broker"]
            self.samples.append(take_sample(at, card["processes"], urls, self.arena.data))
            self._over.wait(self.seconds / SAMPLES)
        self._over.set()
        for each in work:
            each.join()

    def _collect_errors(self, work: Any) -> None:
        try:
            work()
        except (MaumauError, AssertionError, grpc.RpcError) as error:
            self.troubles.append(f"{work.__name__}: {error!r}")

    def _play_cups(self) -> None:
        while not self._over.is_set():
            name = self.arena.begin(SPEC.format(number=self.played))
            with self.arena.client() as client:
                while not self._over.is_set() and not client.tournament(name).over:
                    self._over.wait(0.5)
                self.played += not self._over.is_set()
                self._read_export(client, name)

    def _read_export(self, client: Arena, name: str) -> None:
        if not self._over.is_set():
            for _ in client.export(name):
                pass

    def _keep_tables(self) -> None:
        asyncio.run(self._sit_down())

    async def _sit_down(self) -> None:
        card = self.arena.read_card()
        who = (("authorization", f"Bearer {card['token']}"),)
        last = time.perf_counter() + self.seconds
        async with grpc.aio.insecure_channel(card["engine"]) as channel:
            stub = engine_pb2_grpc.EngineServiceStub(channel)
            runs = [TableRun(stub, THINK, self.waits, last, who) for _ in range(TABLES)]
            await asyncio.gather(*(run.play() for run in runs))


def soak_arena(minutes: float, workers: int = 2) -> list[str]:
    """Print the measurements; return the problems found."""
    with (
        tempfile.TemporaryDirectory(prefix="soak-") as folder,
        running(Path(folder) / "data", workers) as arena,
    ):
        arena.wait_until_settled()
        work = Soak(arena, 60 * minutes)
        work.run()
    judged, apart = judge_samples(work.samples), 4 / 9  # of the time lies between the two thirds' middles
    print(describe_samples(judged, apart * minutes / 60, work.played), flush=True)
    print(f"{len(work.waits):,} replies at {TABLES} live tables", flush=True)
    wrong = [
        f"{one.kind} of {one.name} grows: {one.early:.0f}, {one.late:.0f}" for one in judged if not one.flat
    ]
    idle = [] if work.played and work.waits else ["no tournament was decided or no table was played"]
    return work.troubles + wrong + idle
