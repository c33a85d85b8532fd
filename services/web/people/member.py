"""Contests of a group at their public addresses: for members who have logged in, and for nobody else.

A page is asked for as everybody first. Only if there is nothing of that name for everybody, and the request
has a session, it is asked for with the session's token: what that finds is in caches of its own, and the
answer is kept by nobody. So a stranger's answer does not depend on what a group has.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import ExpiredToken, MissingToken, NotFound, RevokedToken, UnknownToken
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.delivery.feed import Hub
from services.web.delivery.frame import Frame
from services.web.http.response import PRIVATE
from services.web.http.route import Handler
from services.web.http.session import Sessions

ENDED: Final = (UnknownToken, ExpiredToken, RevokedToken, MissingToken)
KEPT: Final = 200  # sessions whose handlers are kept, the last ones

Make = Callable[[Arena, Frame], Mapping[str, Handler]]
"""Makes the handlers of pages by address, over an arena and a frame."""


class MemberPages:
    """Handlers with the tokens of sessions, by address. arena: the page's own."""

    def __init__(self, arena: Arena, frame: Frame, sessions: Sessions, make: Make) -> None:
        self._arena, self._frame, self._sessions, self._make = arena, frame, sessions, make
        self._kept: OrderedDict[str, tuple[Hub, Mapping[str, Handler]]] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def wrap_handler(self, path: str, handler: Handler) -> Handler:
        """Return the handler of a page that members see where there is none for everybody."""

        async def show_page(request: Request) -> Response:
            try:
                return await handler(request)
            except NotFound:
                if not (token := self._sessions.read_token(request)):
                    raise
                try:
                    return await self._show_own(path, token, request)
                except ENDED:
                    pass
                raise

        return show_page

    def prefer_handler(self, path: str, handler: Handler) -> Handler:
        """Return the handler of a list that is asked for with the session's token, if there is one."""

        async def show_page(request: Request) -> Response:
            if token := self._sessions.read_token(request):
                try:
                    return await self._show_own(path, token, request)
                except ENDED:
                    pass
            return await handler(request)

        return show_page

    async def _show_own(self, path: str, token: str, request: Request) -> Response:
        response = await self._find_handlers(token)[path](request)
        response.headers.update(PRIVATE)
        return response

    def _find_handlers(self, token: str) -> Mapping[str, Handler]:
        """Return the handlers of a session."""
        if token not in self._kept:
            hub = Hub()
            frame = Frame(hub, Cache(), self._frame.renderer, self._frame.page_url)
            self._kept[token] = hub, self._make(self._arena.with_token(token), frame)
        self._kept.move_to_end(token)
        while len(self._kept) > KEPT:
            _, (oldest, _) = self._kept.popitem(last=False)
            closing = asyncio.create_task(oldest.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
        return self._kept[token][1]

    async def close(self) -> None:
        """End the sources of all pages."""
        for hub, _ in self._kept.values():
            await hub.close()
        self._kept.clear()
        await asyncio.gather(*self._closing)
