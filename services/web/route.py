"""Routes of pages, which are Starlette's: a page gives no model that FastAPI could describe."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

Handler = Callable[[Request], Awaitable[Response]]


class PageRoute(Route):
    """Puts itself into the scope of a request, as FastAPI does with its own routes, but not with these."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = self
        await super().handle(scope, receive, send)


def add_page(app: FastAPI, path: str, handler: Handler, methods: Sequence[str] = ("GET",)) -> None:
    """methods: GET comes with HEAD."""
    app.router.routes.append(PageRoute(path, handler, methods=list(methods), include_in_schema=False))
