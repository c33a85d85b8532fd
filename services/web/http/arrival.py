"""Limits on requests: their number by address, and the time to read and send them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.shared.base.peer import Peer, find_source, make_peer
from services.shared.rpc.connection import Uses
from services.web.http.length import read_length
from services.web.http.problem import RETRY
from services.web.http.response import DIRECT_SEND, HEADERS

BODY_SECONDS, BODY_RATE = 20.0, 16 * 1024
"""Seconds for a body, and announced bytes per additional second."""
UNANNOUNCED: Final = 4 << 20  # assumed bytes of a body of unannounced length
SEND_SECONDS: Final = 60.0
"""Seconds for the reader to take one message of an answer; event streams have a limit of their own."""
STREAMS: Final = "/stream"
TOO_SLOW: Final = "The form did not come in time; send it again."
TOO_MANY: Final = "Too many pages are open from your address; close one and load this again.\n"
FULL: Final = "As many pages are open as this arena can keep up to date; load this again later.\n"
SHARE_OF_STREAMS: Final = 2 / 3
"""Of all connections, for event streams from all addresses together: the rest is for pages and the API."""


class Arrivals:
    """The outermost middleware: it sees real peers, before a proxy's headers replace them.

    uses: uses of connections. most: requests at once from an address. connections: that the process may have
    at once. is_proxy: tells hosts whose requests are of many callers.
    """

    def __init__(
        self, app: ASGIApp, uses: Uses, most: int, connections: int, is_proxy: Callable[[str], bool]
    ) -> None:
        self._app, self._uses, self._most, self._is_proxy = app, uses, most, is_proxy
        self._open: Counter[str] = Counter()
        self._streams, self._most_streams = 0, int(SHARE_OF_STREAMS * connections)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope.get("client"):
            await self._app(scope, receive, send)
            return
        peer = make_peer(*scope["client"])
        source = find_source(peer.host)
        is_stream = scope["path"].startswith(STREAMS)
        if refused := self._explain_refusal(source, peer.host, is_stream=is_stream):
            await PlainTextResponse(refused, 503, {**HEADERS, "retry-after": str(RETRY)})(
                scope, receive, send
            )
            return
        self._open[source] += 1
        self._streams += is_stream
        try:
            await self._answer_request(peer, scope, receive, send)
        finally:
            self._streams -= is_stream
            self._open[source] -= 1
            if not self._open[source]:
                del self._open[source]

    def _explain_refusal(self, source: str, host: str, *, is_stream: bool) -> str:
        """Return why this request has no room, or an empty string if it has."""
        if self._open[source] >= self._most and not self._is_proxy(host):
            return TOO_MANY
        return FULL if is_stream and self._streams >= self._most_streams else ""

    async def _answer_request(self, peer: Peer, scope: Scope, receive: Receive, send: Send) -> None:
        body = Body(receive, find_deadline(Headers(scope=scope)))
        self._uses.begin(peer)
        scope[DIRECT_SEND] = send
        try:
            await self._app(
                scope, body.receive, send if scope["path"].startswith(STREAMS) else _limit_send(send)
            )
        finally:
            self._uses.end(peer)
            if not body.is_whole:  # the connection cannot be reused: the next look closes it
                self._uses.forget(peer)


class Body:
    """The body of a request, with a deadline."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._receive, self._until = receive, asyncio.get_running_loop().time() + seconds
        self.is_whole = not seconds

    async def receive(self) -> Message:
        """Return the next message; raise a 408 if it does not come in time."""
        if self.is_whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, TOO_SLOW) from None
        self.is_whole = not message.get("more_body", False)
        return message


def find_deadline(headers: Headers) -> float:
    """Return the seconds that the body of a request may take; 0 without a body."""
    if "transfer-encoding" in headers:
        return BODY_SECONDS + UNANNOUNCED / BODY_RATE
    length = read_length(headers)
    return BODY_SECONDS + length / BODY_RATE if length else 0.0


def _limit_send(send: Send) -> Send:
    """Return a `send` that raises ConnectionAbortedError if the reader does not read."""

    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)
        except TimeoutError:
            raise ConnectionAbortedError("the reader does not read") from None

    return send_in_time
