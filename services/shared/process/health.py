"""Health of services, by name, over gRPC: liveness and readiness.

`""` and the names of the services report that the process answers (liveness). `readiness` reports that all
its vital needs answer, too. Each need has a name of its own as well, such as `database` or `broker`.
"""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from grpc_health.v1 import health, health_pb2
from prometheus_client import CollectorRegistry, Gauge

from services.shared.base import log
from services.shared.base.lane import Lane

READINESS = "readiness"
EVERY, PATIENCE = 5.0, 5.0
"""Seconds between two checks, and for a need to answer."""
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING

THREADS = 8
"""Threads for blocking probes: needs that hang, of one service or several, leave room for others."""

Probe = Callable[[], Awaitable[Any]]

logger = log.get(__name__)


class HealthServicer(health.aio.HealthServicer):  # type: ignore[misc]
    """Handlers of the health service; gRPC's own has none for List."""

    def __init__(self) -> None:
        super().__init__()
        self._names = {"": None}  # in the order in which they were set

    async def set(self, service: str, status: Any) -> None:
        self._names[service] = None
        await super().set(service, status)

    async def List(self, request: Any, context: Any) -> health_pb2.HealthListResponse:
        asked = {name: health_pb2.HealthCheckRequest(service=name) for name in self._names}
        found = {name: await self.Check(one, context) for name, one in asked.items()}
        return health_pb2.HealthListResponse(statuses=found)


class Needs:
    """The needs of a service, each with a probe that raises an error if the need is unavailable."""

    def __init__(self, health: Any, registry: CollectorRegistry) -> None:
        self.health = health
        self.probes: dict[str, list[tuple[Probe, bool]]] = {}  # several if services share a process
        self.lane = Lane("health", THREADS)  # a lane of its own: a busy service is not unhealthy
        self.words: dict[str, str] = {}  # latest error of each; "" if it answers
        self.up = Gauge(
            "maumau_need_up", "1 if what the service needs answers.", ("need",), registry=registry
        )

    def add(self, name: str, probe: Probe, *, vital: bool = True) -> None:
        """Add a need. vital: whether the service is not ready without it.

        Services in one process may have needs of the same name, such as `database`: it is up if all answer.
        """
        self.probes.setdefault(name, []).append((probe, vital))

    def add_call(self, name: str, body: Callable[[], Any], *, vital: bool = True) -> None:
        """Add a need with a blocking probe."""
        self.add(name, partial(self.lane, body), vital=vital)

    async def look(self) -> None:
        """Probe all needs at once, and log changes."""
        asked = [(name, *each) for name, all_of_it in self.probes.items() for each in all_of_it]
        heard = await asyncio.gather(*(_ask(probe) for _, probe, _ in asked))
        answers = [(name, words, vital) for (name, _, vital), words in zip(asked, heard, strict=True)]
        for name in self.probes:
            said = dict.fromkeys(words for other, words, _ in answers if other == name and words)
            words = "; ".join(said)
            if words and words != self.words.get(name):
                logger.warning("a need does not answer", need=name, words=words)
            elif not words and self.words.get(name):
                logger.info("a need answers again", need=name)
            self.words[name] = words
            self.up.labels(name).set(not words)
            await self._set(name, well=not words)
        is_away = any(vital and words for _, words, vital in answers)
        await self._set(READINESS, well=not is_away)

    async def _set(self, name: str, *, well: bool) -> None:
        await self.health.set(name, SERVING if well else NOT_SERVING)


async def _ask(probe: Probe) -> str:
    """Return the error of a probe; "" if it succeeds."""
    try:
        await asyncio.wait_for(probe(), PATIENCE)
    except Exception as err:  # noqa: BLE001 - any error means that the need is unavailable
        return str(err)[:200] or f"{type(err).__name__} after {PATIENCE:.0f} s"
    return ""
