"""What is sent: guarding headers, answers that a reader need not load twice, endless streams."""

import asyncio
import hashlib
import math
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
PRIVATE: Final = {"cache-control": "private, no-store", "vary": "Cookie, Accept-Language"}
"""Headers of what depends on who asks."""
STUCK: Final = (
    30.0  # seconds that a stream's reader may take for one message; it is cut off at most half as long after
)


class Guard:
    """Puts HEADERS on every answer, also on those that say what went wrong."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                had = {name for name, _ in message["headers"]}
                message["headers"] += [
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in had
                ]
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)


class EventStream(Response):
    """Server-sent events until they end or the reader goes; one who stops reading is cut off."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._sending_since = math.inf  # on the monotonic clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        telling = asyncio.create_task(self._tell(send))
        leaving = asyncio.create_task(_gone(receive))
        try:
            await self._watch(telling, leaving)
        finally:
            for task in (telling, leaving):
                task.cancel()
            await asyncio.gather(telling, leaving, return_exceptions=True)

    async def _watch(self, *tasks: asyncio.Task[None]) -> None:
        """Until one of them is done or the reader is stuck; a timer for each message would cost more."""
        while time.monotonic() - self._sending_since < STUCK:
            done, _ = await asyncio.wait(tasks, timeout=STUCK / 2, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return

    async def _tell(self, send: Send) -> None:
        self._sending_since = time.monotonic()
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        self._sending_since = math.inf
        async with aclosing(self._events) as told:
            async for chunk in told:
                self._sending_since = time.monotonic()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                self._sending_since = math.inf
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def answer(request: Request, body: str | bytes, media_type: str, **headers: Any) -> Response:
    """200 with an ETag, or 304 if the reader has this already. It is to ask again each time."""
    content = body.encode(errors="replace") if isinstance(body, str) else body
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:20]}"'
    fixed = {
        "etag": etag, "cache-control": "no-cache", "vary": "Accept-Language, Cookie",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }  # fmt: skip
    known = {each.strip() for each in request.headers.get("if-none-match", "").split(",")}
    if etag in known:
        return Response(status_code=304, headers=fixed)
    return Response(content, media_type=media_type, headers=fixed)
