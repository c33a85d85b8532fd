"""Open streams, whose permission is checked again every few seconds.

A stream may last for days, while its token is revoked, its account loses a role or its entrant withdraws. So
each open stream repeatedly passes the gate and the checks that its handler added with `require`; a stream
that could no longer be opened ends with the refusal. Streams of one caller with the same checks are reviewed
together: a page has thousands of them.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import grpc

from maumau.errors import MaumauError
from services.shared.base import log
from services.shared.base.auth import Identity
from services.shared.rpc.gate import VOUCHER, Gate
from services.shared.rpc.status import code

REVIEW_SECONDS: Final = 3.0
"""Seconds between reviews. A service caches a token for five more, so a stream ends within ten."""
PASSING: Final = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}
"""Refusals that say nothing about the caller, such as an outage: the stream stays open."""

Check = Callable[[Identity | None], Awaitable[None] | None]

logger = log.get(__name__)


@dataclass(eq=False)
class OpenStream:
    """An open stream. checks: added by its handler, by subject. refusal: the reason for its end."""

    method: str
    metadata: Mapping[str, str]
    address: str
    names: frozenset[str]
    task: "asyncio.Task[Any]"
    checks: dict[Hashable, Check] = field(default_factory=dict)
    refusal: MaumauError | None = None

    @property
    def caller(self) -> Hashable:
        """The key of the gate's answer: everything that it depends on."""
        tokens = self.metadata.get("authorization"), self.metadata.get(VOUCHER)
        return self.method, tokens, self.address, self.names


_stream: ContextVar[OpenStream | None] = ContextVar("stream", default=None)


def require(check: Check, about: Hashable) -> None:
    """Add a check to the stream being served, which ends if it raises; its argument is the current caller.

    about: everything that the check depends on besides the caller and the method.
    """
    if stream := _stream.get():
        stream.checks[about] = check


class Streams:
    """The open streams of one server."""

    def __init__(self, gate: Gate) -> None:
        self._gate, self._open = gate, set[OpenStream]()

    @contextmanager
    def kept(self, stream: OpenStream) -> Iterator[None]:
        """Review the stream during the block; raise its refusal in its task if there is one."""
        self._open.add(stream)
        _stream.set(stream)
        try:
            yield
        except asyncio.CancelledError:
            if stream.refusal is None:
                raise
            stream.task.uncancel()
            raise stream.refusal from None
        finally:
            self._open.discard(stream)

    async def review(self) -> None:
        """Check all streams once; ask the gate, and each check, once for all streams of a caller."""
        asked: dict[Hashable, asyncio.Task[Identity | None]] = {}
        checked: dict[Hashable, asyncio.Task[None]] = {}
        reviewed = list(self._open)
        for stream in reviewed:
            if stream.caller not in asked:
                asked[stream.caller] = asyncio.create_task(self._identify(stream))
        await asyncio.gather(*asked.values(), return_exceptions=True)
        for stream in reviewed:
            await self._review(stream, asked[stream.caller], checked)

    async def _identify(self, stream: OpenStream) -> Identity | None:
        return await self._gate.identify(stream.method, stream.metadata, stream.address, stream.names)

    async def _review(
        self,
        stream: OpenStream,
        asked: "asyncio.Task[Identity | None]",
        checked: "dict[Hashable, asyncio.Task[None]]",
    ) -> None:
        """Check a stream. checked: the checks of this review, by caller and subject."""
        try:
            who = await asked
            for about, check in stream.checks.items():
                key = stream.caller, about
                if key not in checked:
                    checked[key] = asyncio.create_task(_run_check(check, who))
                await checked[key]
        except MaumauError as error:
            if code(type(error)) not in PASSING:
                self._end(stream, error)
        except Exception:
            logger.exception("stream not reviewed", method=stream.method)

    def _end(self, stream: OpenStream, error: MaumauError) -> None:
        """Cancel the stream; again at the next review if it is still open, as a cancellation can get lost."""
        if stream in self._open:
            stream.refusal = error
            stream.task.cancel()


async def _run_check(check: Check, who: Identity | None) -> None:
    found = check(who)
    if inspect.isawaitable(found):
        await found
