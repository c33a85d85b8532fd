"""Nobody else's page sends a form here: what is sent must come from a page of ours, and be short enough."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.web.problem import Problem

READS: Final = {"GET", "HEAD", "OPTIONS"}
SHORT: Final = 256 * 1024  # bytes of a form without a file
REFUSED: Final = (
    "Forms are accepted only from this arena's own pages; open the page again and send it from there."
)
TOO_LONG: Final = "This is larger than the {} that the arena accepts."

Refuse = Callable[[Request, Problem], Response]


class OwnForms:
    """Refuses what other sites send, before anything of it is read.

    page_url: where people reach the page, for a proxy that changes the name of the host. limits: bytes that a
    path takes, if more than SHORT. refuse: makes the answer.
    """

    def __init__(self, app: ASGIApp, page_url: str, limits: dict[str, int], refuse: Refuse) -> None:
        self._app, self._page_url, self._limits, self._refuse = app, page_url, limits, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in READS:
            await self._app(scope, receive, send)
            return
        headers, request = Headers(scope=scope), Request(scope)
        most = self._limits.get(scope["path"], SHORT)
        if not is_own(headers, self._page_url):
            problem = Problem(403, "FOREIGN_FORM", "foreign form", REFUSED, scope["path"])
            await self._refuse(request, problem)(scope, receive, send)
            return
        if int(headers.get("content-length") or 0) > most:
            problem = Problem(413, "TOO_LONG", "too long", _too_long(most), scope["path"])
            await self._refuse(request, problem)(scope, receive, send)
            return
        left = most

        async def receive_counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, _too_long(most))
            return message

        await self._app(scope, receive_counted, send)


def _too_long(most: int) -> str:
    return TOO_LONG.format(f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB")


def is_own(headers: Headers, page_url: str) -> bool:
    """Whether a page of this site sends it. A browser says so; what says nothing is not a browser's form."""
    if said := headers.get("sec-fetch-site"):
        return said == "same-origin"
    origin = headers.get("origin", "")
    found = urlsplit(origin)
    if found.scheme not in {"http", "https"} or not found.netloc:
        return False
    return origin.lower() == page_url or found.netloc.lower() == headers.get("host", "").lower()
