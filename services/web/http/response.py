"""Responses: security headers, answers with ETags, endless streams."""

import asyncio
import hashlib
import re
import types
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager
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
STUCK: Final = 30.0  # seconds that a stream's reader may take for one message
DIRECT_SEND: Final = "maumau.direct_send"
"""The key of a request's scope with the server's own `send`: no middleware looks at the body of a stream, and
with a thousand watchers each costs a thousand calls a message."""


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
    """Server-sent events until the reader leaves; one that stops reading is cut off.

    subscribe: a context that lasts as long as the stream; what it opens pushes the messages. on_drain: called
    when a reader that was slow has taken a message. For HEAD nothing is watched.
    """

    media_type = "text/event-stream"

    def __init__(self, subscribe: Callable[["EventStream"], AbstractAsyncContextManager[Any]]) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._subscribe = subscribe
        self._slow: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        self.on_drain: Callable[[], None] = lambda: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") == "HEAD":
            await super().__call__(scope, receive, send)
            return
        self._send = scope.get(DIRECT_SEND, send)
        try:
            async with asyncio.timeout(STUCK):
                await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with asyncio.timeout(None) as self._limit, self._subscribe(self):
                await _await_disconnect(receive)
        except TimeoutError:
            if self._error:
                raise self._error from None
        finally:
            if self._slow:
                self._slow.cancel()

    @property
    def is_sending(self) -> bool:
        """True while the reader has not taken the last message: nothing can be pushed before `on_drain`."""
        return self._slow is not None

    def push(self, chunk: bytes) -> None:
        """Send a message without a switch of tasks; only for a slow reader a task waits (decision 43)."""
        steps = self._send({"type": "http.response.body", "body": chunk, "more_body": True}).__await__()
        try:
            waited = next(steps)
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - whatever this reader's connection is in: it ends, and no other does
            self._bound(0.0)
            return
        self._slow = asyncio.create_task(self._finish(steps, waited))

    def fail(self, error: Exception) -> None:
        """End the stream with an error."""
        self._error = error
        self._bound(0.0)

    async def _finish(self, steps: Generator[Any, Any, Any], waited: Any) -> None:
        """Wait until a slow reader has taken a message."""
        self._bound(STUCK)
        try:
            await _resume(steps, waited)
        except Exception:  # noqa: BLE001 - as above
            self._bound(0.0)
            return
        self._bound(None)
        self._slow = None
        self.on_drain()

    def _bound(self, seconds: float | None) -> None:
        """Let the stream end after this time, or with None not by itself."""
        if not self._limit.expired():
            now = asyncio.get_running_loop().time()
            self._limit.reschedule(None if seconds is None else now + seconds)


@types.coroutine
def _resume(steps: Generator[Any, Any, Any], waited: Any) -> Generator[Any, Any, None]:
    """Go on with an awaitable that has begun outside of a task, and waits for this future."""
    yield waited
    yield from steps


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
