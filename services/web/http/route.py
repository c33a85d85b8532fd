"""Routes of pages, by Starlette: pages have no model that FastAPI could describe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final
from urllib.parse import quote

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]
READS: Final = ("GET", "HEAD")
STREAM: Final = "/stream"


class PageRoute(Route):
    """A route that puts itself into the request's scope, as FastAPI does with its own routes only."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self
        await super().handle(scope, receive, send)


class HeadReads:
    """A middleware that lets HEAD read what GET reads below a root: FastAPI's routes take GET alone.

    The server, which still sees HEAD, sends the headers and leaves out the body (RFC 9110, 9.3.2).
    """

    def __init__(self, app: ASGIApp, root: str) -> None:
        self._app, self._root = app, root

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or not scope["path"].startswith(self._root):
            await self._app(scope, receive, send)
            return
        read = {**scope, "method": "GET"}
        try:
            await self._app(read, receive, send)
        finally:
            scope.update({name: value for name, value in read.items() if name != "method"})


def add_page(app: FastAPI, path: str, handler: Handler, methods: Sequence[str] = ("GET",)) -> None:
    """Add a page. methods: GET includes HEAD."""
    app.router.routes.append(PageRoute(path, handler, methods=list(methods), include_in_schema=False))


def list_methods(app: FastAPI, scope: Scope, told: str) -> list[str]:
    """Return the methods taken at the address of a request: those of one route, and of other routes.

    HEAD is taken wherever GET is.
    """
    routes = [one for one in app.router.routes if one.matches(scope)[0] != Match.NONE]
    found = {method for one in routes for method in getattr(one, "methods", None) or ()}
    found |= {method for method in told.split(", ") if method}
    return sorted(found.union(READS) if "GET" in found or not found else found)


def stream_of(path: str) -> str:
    """Return the address of the stream of the page at an address."""
    return f"{STREAM}{path}".rstrip("/")


def write_path(request: Request) -> str:
    """Return the path of the requested page as it stands in links, whatever the request has escaped."""
    names = {name: quote(str(value), safe="") for name, value in request.path_params.items()}
    found: str = request.scope["route"].path_format.format(**names)
    return found
