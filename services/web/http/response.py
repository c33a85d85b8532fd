"""Responses: security headers, answers with ETags, endless streams."""

import asyncio
import hashlib
import math
import re
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
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
EMBED: Final = "/embed/"
"""Addresses below which pages may stand in frames of other sites; they have no script, form or cookie."""
FRAMED: Final = {
    **{name: value for name, value in HEADERS.items() if name != "x-frame-options"},
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
        " frame-ancestors *"
    ),
    "cross-origin-resource-policy": "cross-origin",
}
"""The headers of HEADERS as they are below EMBED."""
PRIVATE: Final = {"cache-control": "private, no-store", "vary": "Cookie, Accept-Language"}
"""Headers of answers that depend on the person."""
TAG: Final = re.compile(r'"[^"]*"')  # an ETag without the sign that it is weak
STUCK: Final = (
    30.0  # seconds that a stream's reader may take for one message; it is cut off at most half as long after
)


class Guard:
    """A middleware that puts HEADERS on every answer, including errors; below EMBED those of FRAMED."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = find_headers(scope.get("path", ""))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                had = {name for name, _ in message["headers"]}
                message["headers"] += [
                    (name.encode(), value.encode())
                    for name, value in headers.items()
                    if name.encode() not in had
                ]
            await send(message)

        await self._app(scope, receive, guarded if scope["type"] == "http" else send)


def find_headers(path: str) -> dict[str, str]:
    """Return the security headers of an answer at a path."""
    return FRAMED if path.startswith(EMBED) else HEADERS


class EventStream(Response):
    """Server-sent events until they end or the reader leaves; one that stops reading is cut off.

    For HEAD nothing is watched.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[bytes, None]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._events = events
        self._sending_since = math.inf  # on the monotonic clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            await self._send_headers(send)
            return
        telling = asyncio.create_task(self._send_events(send))
        leaving = asyncio.create_task(_await_disconnect(receive))
        try:
            await self._await_tasks(telling, leaving)
        finally:
            for task in (telling, leaving):
                task.cancel()
            await asyncio.gather(telling, leaving, return_exceptions=True)

    async def _send_headers(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _await_tasks(self, *tasks: asyncio.Task[None]) -> None:
        """Wait until a task is done or the reader is stuck; a timer for each message would cost more."""
        while time.monotonic() - self._sending_since < STUCK:
            done, _ = await asyncio.wait(tasks, timeout=STUCK / 2, return_when=asyncio.FIRST_COMPLETED)
            if done:
                return

    async def _send_events(self, send: Send) -> None:
        self._sending_since = time.monotonic()
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        self._sending_since = math.inf
        async with aclosing(self._events) as told:
            async for chunk in told:
                self._sending_since = time.monotonic()
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                self._sending_since = math.inf
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _await_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def build_answer(
    request: Request, body: str | bytes, media_type: str, modified: datetime | None = None, **headers: Any
) -> Response:
    """Return 200 with an ETag, or 304 if the reader has that version. Caches must revalidate.

    modified: since when the content is as it is, if that is known; it counts for a reader without an ETag.
    """
    content = body.encode(errors="replace") if isinstance(body, str) else body
    etag = f'W/"{hashlib.sha256(content).hexdigest()[:20]}"'
    fixed = {
        "etag": etag,
        "cache-control": "no-cache",
        "vary": "Accept-Language, Cookie",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if modified:
        fixed["last-modified"] = format_datetime(modified.astimezone(UTC), usegmt=True)
    if _has_version(request, etag) or (modified and _has_since(request, modified)):
        return Response(status_code=304, headers=fixed)
    return Response(content, media_type=media_type, headers=fixed)


def _has_version(request: Request, etag: str) -> bool:
    """Return True if a reader has this version, or any (`*`), by the weak comparison of RFC 9110, 8.8.3.2."""
    asked = ",".join(request.headers.getlist("if-none-match")).strip()
    return asked == "*" or etag.removeprefix("W/") in TAG.findall(asked)


def _has_since(request: Request, modified: datetime) -> bool:
    """Return True if a reader without an ETag has what was last modified at this very moment.

    A later moment does not count: when a result is taken back, a feed is older than it was.
    """
    if "if-none-match" in request.headers:
        return False
    try:
        known = parsedate_to_datetime(request.headers.get("if-modified-since", ""))
    except (ValueError, OverflowError):  # such as a time zone of centuries
        return False
    return known.tzinfo is not None and modified.replace(microsecond=0) == known
