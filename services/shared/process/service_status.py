"""Status of services: counts by state, read once for all concurrent callers.

Ages and bounds are milliseconds. The gauges of the metrics page read the same stores.
"""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from maumau.errors import MaumauError
from maumau.v1 import status_pb2 as pb
from maumau.v1 import status_pb2_grpc
from services.shared.base import log
from services.shared.base.auth import Need
from services.shared.process.health import Needs

SERVICE = pb.DESCRIPTOR.services_by_name["StatusService"]
NEEDS = {"GetStatus": Need.ANY}
PATIENCE = 1.5  # seconds for a service's figures: a page waits for two
KEPT = 1.0  # seconds for which an answer is reused
MAX_COUNTED = 10_000  # things counted of a state; beyond that the answer says that there are more

BLOCK_STANDSTILL, NO_WORKER, WORKER_SUSPENDED = 120_000, 120_000, 300_000
VERSION_WAIT, EVENT_WAIT, VOID_BLOCK = 900_000, 30_000, 0
"""Ages in ms above which something is late, as in deploy/monitoring/rules.yml."""

logger = log.get(__name__)


class StateCount(Struct, frozen=True):
    """The number of things in a state, and the age of the oldest in ms; it is late above `bound`."""

    thing: str
    state: str
    count: int
    oldest: int | None = None
    bound: int | None = None


class WaitCount(Struct, frozen=True):
    """The number of things that waited less than `up_to` ms, but not less than the one before; None: more."""

    thing: str
    up_to: int | None
    count: int


class Rate(NamedTuple):
    """A number per second, averaged over the last five minutes."""

    thing: str
    per_second: float


class Counted(Struct, frozen=True):
    """A number of things, and since when the first is so, ms since 1970; 0 if there is none."""

    count: int
    since: int


class Figures(NamedTuple):
    """The figures of a service. A count above MAX_COUNTED means only that there are more."""

    states: Sequence[StateCount]
    waits: Sequence[WaitCount] = ()
    rates: Sequence[Rate] = ()


Source = Callable[[], Awaitable[Figures]]


def age_of(since: int, now: int) -> int | None:
    """Return the age in ms; None if `since`, ms since 1970, is 0."""
    return max(0, now - since) if since else None


class StatusServicer(status_pb2_grpc.StatusServiceServicer):
    """Handlers of StatusService for all services on one server. sources: by the name of the service."""

    def __init__(self, sources: Mapping[str, Source], needs: Needs) -> None:
        self._sources, self._needs = sources, needs
        self._asked_at = float("-inf")  # on the monotonic clock
        self._answer: asyncio.Future[pb.GetStatusResponse] | None = None

    async def GetStatus(self, request: Any, context: Any) -> Any:
        if self._answer is None or (self._answer.done() and time.monotonic() - self._asked_at > KEPT):
            self._asked_at, self._answer = time.monotonic(), asyncio.ensure_future(self._ask())
        return await asyncio.shield(self._answer)

    async def _ask(self) -> pb.GetStatusResponse:
        said = pb.GetStatusResponse()
        found = await asyncio.gather(*(_read(name, source) for name, source in self._sources.items()))
        for name, figures in zip(self._sources, found, strict=True):
            if figures is not None:
                said.services.append(name)
                _add(said, name, figures)
        for need, words in sorted(self._needs.words.items()):
            said.needs.add(need=need, up=not words)  # the reason may name addresses, so it is only logged
        return said


async def _read(name: str, source: Source) -> Figures | None:
    """Return a service's figures; None if it cannot read them now."""
    try:
        return await asyncio.wait_for(source(), PATIENCE)
    except MaumauError as err:
        logger.warning("status not read", service=name, reason=err.reason, words=str(err))
    except TimeoutError:
        logger.warning("status not read", service=name, reason="TIMEOUT", words="a store does not answer")
    return None


def _add(said: pb.GetStatusResponse, service: str, figures: Figures) -> None:
    for one in figures.states:
        said.states.add(
            service=service,
            thing=one.thing,
            state=one.state,
            count=min(one.count, MAX_COUNTED),
            has_more=one.count > MAX_COUNTED,
            oldest_ms=one.oldest,
            bound_ms=one.bound,
        )
    for wait in figures.waits:
        more = wait.count > MAX_COUNTED
        said.waits.add(
            thing=wait.thing, up_to_ms=wait.up_to, count=min(wait.count, MAX_COUNTED), has_more=more
        )
    for rate in figures.rates:
        said.rates.add(thing=rate.thing, per_second=rate.per_second)
