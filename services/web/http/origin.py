"""A check of forms: they must come from a page of this site, or end mails by their link, and be short."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.web.http.length import read_length
from services.web.http.problem import Problem

FORM: Final = "POST"
"""The only method that changes anything; the routes refuse all others but those that read."""
READ_ONLY: Final = "/api/"
"""The beginning of the addresses at which no route takes a form, so that it is refused as a wrong method."""
ONE_CLICK: Final = "/mail/stop/"
"""The beginning of the addresses to which a mail program posts (RFC 8058), with the key that lets it."""
SHORT: Final = 256 * 1024  # bytes of a form without a file
REFUSED: Final = (
    "Forms are accepted only from this arena's own pages; open the page again and send it from there."
)
TOO_LONG: Final = "This is larger than the {} that the arena accepts."

Refuse = Callable[[Request, Problem], Response]


class OwnForms:
    """A middleware that refuses forms of other sites before any of it is read.

    page_url: public address of the page, for a proxy that changes the host. limits: bytes that a
    path accepts, if more than SHORT. refuse: makes the answer.
    """

    def __init__(self, app: ASGIApp, page_url: str, limits: dict[str, int], refuse: Refuse) -> None:
        self._app, self._page_url, self._limits, self._refuse = app, page_url, limits, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_no_form(scope):
            await self._app(scope, receive, send)
            return
        headers, request = Headers(scope=scope), Request(scope)
        most = self._limits.get(scope["path"], SHORT)
        if not (is_own(headers, self._page_url) or is_one_click(headers, scope["path"])):
            problem = Problem(403, "FOREIGN_FORM", "foreign form", REFUSED, scope["path"])
            await self._refuse(request, problem)(scope, receive, send)
            return
        if read_length(headers) > most:
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


def is_no_form(scope: Scope) -> bool:
    """Return True for a request that the routes answer or refuse without any check of its origin."""
    method, path = str(scope["method"]), str(scope["path"])
    return method != FORM or path.startswith(READ_ONLY)


def _too_long(most: int) -> str:
    return TOO_LONG.format(f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB")


def is_one_click(headers: Headers, path: str) -> bool:
    """Return True for the end of mails by its link, if it does not come from a page of another site.

    Mail programs and their servers send none of the headers that browsers add to forms. Nobody is logged in
    there: the key in the address is all that counts.
    """
    return path.startswith(ONE_CLICK) and not headers.get("sec-fetch-site") and not headers.get("origin")


def is_own(headers: Headers, page_url: str) -> bool:
    """Return True if a page of this site sent the request, by the headers that every browser adds."""
    if said := headers.get("sec-fetch-site"):
        return said == "same-origin"
    origin = headers.get("origin", "")
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    if found.scheme not in {"http", "https"} or not found.netloc:
        return False
    return origin.lower() == page_url or found.netloc.lower() == headers.get("host", "").lower()
