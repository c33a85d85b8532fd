"""The pages on a real port, before an arena whose answers a test sets."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
import uvicorn
from prometheus_client import CollectorRegistry

from bench.support.patience import Deadline, patient
from maumau.client.arena import Arena as People
from maumau.client.matchmaking import Matchmaking
from services.matchmaking.app import bind as bind_matchmaking
from services.registry.app import bind as bind_registry
from services.tournament.app import bind as bind_tournament
from services.web.app import build_app
from services.web.client import Arena
from services.web.http.provider import Provider
from services.web.http.session import LoginParts
from tests.support.arenas.tournament import Arena as Services
from tests.support.fake import FakeArena
from tests.support.loop import Loop
from tests.web.visitor import READER, House

SILENCE = 60
"""Seconds that a test waits for an event of a stream."""


class Reply(NamedTuple):
    """An answer: status, headers by small letters, text."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Site:
    """A reader of the pages at 127.0.0.1:port."""

    def __init__(self, port: int, arena: FakeArena, registry: CollectorRegistry, loop: Loop) -> None:
        self.port, self.arena, self.registry, self._loop = port, arena, registry, loop

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, method: str = "GET", **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patient(20))
        try:
            connection.request(
                method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
            )
            found = connection.getresponse()
            return Reply(found.status, {k.lower(): v for k, v in found.getheaders()}, found.read().decode())
        finally:
            connection.close()

    @contextmanager
    def watching(self, path: str, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
        """Yield the events of a stream as they come: {"id", "event", "data"}, beats left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patient(20))
        connection.request("GET", path, headers={n.replace("_", "-"): v for n, v in headers.items()})
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        try:
            yield _events(answer)
        finally:
            answer.close()
            connection.close()

    def change(self) -> None:
        """Wakes the arena's watchers."""
        self._loop.loop.call_soon_threadsafe(self.arena.change)


def _events(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    silence = Deadline(SILENCE)  # beats come all the same
    while line := answer.readline():
        text = line.decode().rstrip("\n")
        if text:
            name, _, value = text.partition(": ")
            event[name] = json.loads(value) if name == "data" else value
        elif event.get("event") not in (None, "beat"):
            yield event
            event, silence = {}, Deadline(SILENCE)
        else:
            assert not silence.has_passed(), f"for {SILENCE} s nothing but beats"
            event = {}


@pytest.fixture(scope="session")
def web_loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


@contextmanager
def serve(web_loop: Loop, app: Any) -> Iterator[int]:
    """Yield the port on which the pages are served."""
    config = uvicorn.Config(app, port=0, log_config=None, lifespan="on", timeout_graceful_shutdown=0)
    server = uvicorn.Server(config)

    async def start() -> tuple[asyncio.Task[None], int]:
        task = asyncio.create_task(server._serve())
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.005)
        return task, server.servers[0].sockets[0].getsockname()[1]

    async def stop(task: asyncio.Task[None]) -> None:
        server.should_exit = True
        await task

    task, port = web_loop.run(start())
    try:
        yield port
    finally:
        web_loop.run(stop(task))


@pytest.fixture
def site(web_loop: Loop) -> Iterator[Site]:
    """Yield the pages of an empty arena, without log-in."""
    arena, registry = FakeArena(), CollectorRegistry()
    with People("127.0.0.1:1", "127.0.0.1:1") as people, Matchmaking("127.0.0.1:1") as matchmaking:
        app = build_app(arena, registry, LoginParts(people, matchmaking, READER, "", 8 << 20))
        with serve(web_loop, app) as port:
            yield Site(port, arena, registry, web_loop)


@pytest.fixture(scope="package")
def services(web_loop: Loop, valkey: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Registry, tournament and matchmaking service, and a worker that a test calls."""
    folder = tmp_path_factory.mktemp("services")
    services = Services(web_loop, folder, "", valkey, reader_token=READER, sweep=5.0)
    services.settings = replace(services.settings, engine_address=services.address)
    services.start(bind_registry, bind_tournament, bind_matchmaking)
    yield services
    services.stop()


@pytest.fixture(scope="package")
def house(web_loop: Loop, services: Services) -> Iterator[House]:
    """Yield the pages before real services, for people who log in."""
    with opened_house(web_loop, services) as house:
        yield house


@contextmanager
def opened_house(
    web_loop: Loop, services: Services, page_url: str = "", provider: Provider | None = None
) -> Iterator[House]:
    """Yield a page of its own before these services."""
    addresses = dict.fromkeys(("registry", "tournament", "matchmaking", "engine"), services.address)
    arena = web_loop.run(_connected(addresses))
    with People(services.address, services.address) as people, Matchmaking(services.address) as matchmaking:
        login = LoginParts(people, matchmaking, READER, page_url, 1 << 20, provider=provider)
        app = build_app(arena, CollectorRegistry(), login)
        with serve(web_loop, app) as port:
            yield House(port, services)
    web_loop.run(arena.close())


async def _connected(addresses: dict[str, str]) -> Arena:
    return Arena(addresses, READER)
