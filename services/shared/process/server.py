"""A service's process: settings, one gRPC server, its metrics page, and a graceful stop.

`run(bind, "registry")` is a service's main. `bind(server, settings)` builds the service and adds it; several
services may be bound to one server, so that a test has the whole platform in one process.
"""

import asyncio
import ctypes
import gc
import json
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from maumau.errors import MaumauError, PortInUse
from maumau.process import trace
from maumau.v1 import action_pb2_grpc, status_pb2_grpc
from services.shared.base import log, metric
from services.shared.base import settings as setting
from services.shared.base.auth import Need
from services.shared.base.peer import read_networks
from services.shared.base.settings import Settings
from services.shared.process import heartbeat, service_status
from services.shared.process.health import EVERY as LOOK
from services.shared.process.health import HealthServicer, Needs
from services.shared.process.service_status import Source, StatusServicer
from services.shared.rpc import action_servicer, open_stream, tls
from services.shared.rpc.door import MOST_UNREAD, Door, read_limits
from services.shared.rpc.gate import Authenticate, Gate, Recognise
from services.shared.rpc.intercept import Around
from services.shared.store import redis
from services.shared.store.action import Actions
from services.shared.store.change import Changes

GRACE = 3.0  # seconds for running calls to end
STALE = 60.0  # seconds
RECANCEL_SECONDS = 1.0
COLLECT = 20_000, 20, 50
"""New objects between two collections of cycles, and collections between two of the next generation."""
HEAPS, M_ARENA_MAX = 2, -8  # heaps of all threads; the option's number in glibc's malloc.h
OPTIONS = [
    ("grpc.so_reuseport", 0),  # else two servers would share a port silently
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.keepalive_time_ms", 30_000),  # detects clients that vanished silently
    ("grpc.keepalive_timeout_ms", 20_000),
    # per connection: a request whose header has come and whose message never does is not yet visible to
    # handlers, and costs some 8 KiB
    ("grpc.max_concurrent_streams", 400),
    ("grpc.server_handshake_timeout_ms", 10_000),  # TLS and HTTP/2 preface; gRPC's default is 120 s
]

Bind = Callable[["Server", Settings], Awaitable[None]]

logger = log.get(__name__)


class Server:
    """A server that `bind` fills: services, background work, and clean-up."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name, self.settings = name, settings
        self.credentials = tls.server_credentials(settings)
        self.worker_credentials = tls.worker_credentials(settings)
        tls.check_name(settings, name)
        self.registry = metric.new_registry()
        certified = bool(self.worker_credentials)
        self.gate = Gate(are_hosts_certified=certified, own_token=settings.worker_token)
        self.health = HealthServicer()
        self.needs = Needs(self.health, self.registry)
        self.actions: dict[str, Actions] = {}  # by full name of the service
        self.changes: dict[str, Changes] = {}
        self.statuses: dict[str, Source] = {}  # by the short name of the service
        self.door = Door(replace(read_limits(settings), unread=MOST_UNREAD), self.registry)
        metrics, proxies = metric.RpcMetrics(self.registry), read_networks(settings.proxies)
        self.services: list[str] = []
        self.around = Around(
            self.gate, metrics, self.actions, self.changes, self.door.uses, self.services, proxies
        )
        self.traced: set[str] = set()  # methods, by gRPC's paths
        interceptors = [*trace.server_interceptors(self.traced), self.around]
        self.grpc: Any = grpc.aio.server(interceptors=interceptors, options=OPTIONS)
        self.closers: list[Callable[[], Awaitable[None]]] = []
        self.endings: list[Callable[[], None]] = []
        self.work: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        self.running: list[asyncio.Task[None]] = []
        self.stopping = asyncio.Event()  # set when the server begins to stop: endless streams end on it
        self.address = self.workers_address = ""

    def add(
        self,
        service: Any,
        register: Callable[[Any, Any], None],
        servicer: Any,
        needs: Mapping[str, Need],
        authenticate: Authenticate,
        actions: Actions | None = None,
        changes: Changes | None = None,
        recognise: Recognise | None = None,
    ) -> None:
        """Add a service. `service` is its descriptor, `register` the generated add_…Servicer_to_server.

        actions: storage of the actions of admins and organisers. changes: storage of changes made
        once. recognise: finds the owners of ended tokens, who are told the answers to their changes.
        """
        self.gate.add(service, needs, authenticate, recognise)
        register(servicer, self.grpc)
        self.services.append(service.full_name)
        # an endless stream is not traced: its span would never end
        self.traced |= {
            f"/{service.full_name}/{method.name}" for method in service.methods if not method.server_streaming
        }
        if changes:
            self.changes[service.full_name] = changes
        if actions:
            self.actions[service.full_name] = actions
            self.gate.add(action_servicer.SERVICE, action_servicer.NEEDS, authenticate)

    def add_status(self, name: str, source: Source, authenticate: Authenticate) -> None:
        """Add the figures of a service to `GetStatus`. name: registry, tournament, matchmaking or engine."""
        self.statuses[name] = source
        self.gate.add(service_status.SERVICE, service_status.NEEDS, authenticate)

    def background(
        self, name: str, every: float, body: Callable[[], Awaitable[None]], *, vital: bool = False
    ) -> None:
        """Call `body` repeatedly, `every` seconds apart, from start to stop; errors are logged.

        name: unique among the services on this server, such as `sweep of registry`.
        vital: the service is not ready if the last success is more than STALE seconds ago.
        """
        if name in self.work:
            raise ValueError(f"{name} is done in the background already; each service names its own.")
        done = time.monotonic()

        async def loop() -> None:
            nonlocal done
            while True:
                try:
                    await body()
                    done = time.monotonic()
                except Exception:
                    logger.exception("background work failed", work=name)
                await asyncio.sleep(every)

        async def is_fresh() -> None:
            if (age := time.monotonic() - done) > STALE + 10 * every:
                raise TimeoutError(f"{name} was last done {age:.0f} s ago.")

        self.work[name] = loop
        if vital:
            self.needs.add(name, is_fresh)

    def on_stop(self, close: Callable[[], Awaitable[None]]) -> None:
        """Register a function to call after the last RPC has ended, in reverse order."""
        self.closers.append(close)

    def on_stopping(self, end: Callable[[], None]) -> None:
        """Register a function to call when the server begins to stop, such as one that ends open streams."""
        self.endings.append(end)

    async def start(self) -> None:
        """Listen; `address` and, if set, `workers_address` then have the real ports."""
        self._register_common()
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self.grpc)
        names = (*self.services, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self.grpc)
        self.address = self._listen(self.settings.listen, self.credentials)
        if self.worker_credentials:
            self.workers_address = self._listen(self.settings.listen_workers, self.worker_credentials)
        self.door.start()
        await self.grpc.start()
        self.background("health", LOOK, self.needs.look)
        self.background("streams", open_stream.REVIEW_SECONDS, self.around.streams.review)
        self.running = [asyncio.create_task(loop(), name=name) for name, loop in self.work.items()]
        for name in ("", *self.services):
            await self.health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def _register_common(self) -> None:
        """Add the services that a server has once, however many services are bound to it."""
        register: Any
        if self.actions:
            register = action_pb2_grpc.add_ActionServiceServicer_to_server
            register(action_servicer.ActionServicer(list(dict.fromkeys(self.actions.values()))), self.grpc)
            self.services.append(action_servicer.SERVICE.full_name)
        if self.statuses:
            register = status_pb2_grpc.add_StatusServiceServicer_to_server
            register(StatusServicer(self.statuses, self.needs), self.grpc)
            self.services.append(service_status.SERVICE.full_name)

    def _listen(self, address: str, credentials: Any) -> str:
        """Listen on an address; return HOST:PORT with the real port."""
        try:
            if credentials:
                port = self.grpc.add_secure_port(address, credentials)
            else:
                port = self.grpc.add_insecure_port(address)
        except RuntimeError as err:
            setting = "MAUMAU_LISTEN" if address == self.settings.listen else "MAUMAU_LISTEN_WORKERS"
            raise PortInUse(
                f"{address} cannot be listened on: another program has it, or it is not an"
                f" address of this machine; {setting} chooses another."
            ) from err
        self.door.ports.add(port)
        return f"{address.rpartition(':')[0]}:{port}"

    async def stop(self, grace: float = GRACE) -> None:
        """Report NOT_SERVING, end running calls or cut them after `grace` seconds, then close everything."""
        self.stopping.set()
        for end in self.endings:
            end()
        await self.health.enter_graceful_shutdown()
        await _end_tasks(self.running)
        await self.grpc.stop(grace)
        await self.around.changing.wait(grace)
        await asyncio.to_thread(self.door.close)
        await asyncio.to_thread(self.needs.lane.close)
        for close in reversed(self.closers):
            await close()


async def _end_tasks(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel tasks until they have ended: Python 3.11 loses a cancellation that comes as a wait ends."""
    waiting = set(tasks)
    while waiting:
        for task in waiting:
            task.cancel()
        _, waiting = await asyncio.wait(waiting, timeout=RECANCEL_SECONDS)


def run(bind: Bind, name: str) -> None:
    """Run a service until SIGTERM or SIGINT; a refusal to start is one line on stderr and exit code 1."""
    try:
        settings = setting.from_environment()
        log.configure(name, settings.log)
        trace.start_tracing(name)
        for sentence in setting.unknown(os.environ):
            logger.warning(sentence)
        _collect_seldom()
        _share_heaps()
        asyncio.run(_serve(bind, name, settings))
    except MaumauError as err:
        sys.stderr.write(f"error: {err}\n")
        raise SystemExit(1) from None


def _collect_seldom() -> None:
    """Exempt imported objects from the collection of cycles, and collect seldom: calls make few cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)


def _share_heaps() -> None:
    """Share few heaps among threads: with a heap for each, glibc keeps freed memory that others need."""
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)  # other C libraries have a single heap anyway
    if set_option:
        set_option(M_ARENA_MAX, HEAPS)


async def _serve(bind: Bind, name: str, settings: Settings) -> None:
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    await asyncio.to_thread(redis.refuse_clusters, (settings.redis_url, settings.broker_url))
    server = Server(name, settings)
    await bind(server, settings)
    page = _metrics_page(server)
    server.door.ports.add(page.server.server_port)
    try:
        await server.start()
        say_ready(server.name, server.address, page.address, server.settings.ready_file)
        if file := server.settings.ready_file:
            server.running.append(asyncio.create_task(heartbeat.keep_beating(file), name="heartbeat"))
        await ended.wait()
        logger.info("stopping")
        await server.stop()
    finally:
        page.close()
        await asyncio.to_thread(trace.end_tracing)


def _metrics_page(server: Server) -> metric.MetricsPage:
    settings = server.settings
    try:
        return metric.serve(server.registry, settings.host, settings.metrics_port)
    except OSError as err:
        raise PortInUse(
            f"The metrics page cannot listen on {settings.host}:{settings.metrics_port}:"
            f" {err.strerror}; MAUMAU_METRICS_PORT chooses another port."
        ) from err


def say_ready(name: str, address: str, metrics: str, ready_file: str) -> None:
    """Write one JSON line to stdout, or atomically to the file that MAUMAU_READY_FILE names."""
    line = json.dumps({"service": name, "address": address, "metrics": metrics, "pid": os.getpid()})
    if not ready_file:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    path = Path(ready_file)
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(line + "\n")
    fresh.replace(path)
