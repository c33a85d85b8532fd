"""An author's own pages: his bots."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from services.web.frame import Frame
from services.web.session import Sessions


class Mine:
    """Handlers; each asks the arena with the token of whoever has logged in."""

    def __init__(self, sessions: Sessions, frame: Frame) -> None:
        self._sessions, self._frame = sessions, frame

    async def home(self, request: Request) -> Response:
        session = await self._sessions.need(request)
        bots = await asyncio.to_thread(session.arena.bots, mine=True)
        return self._frame.private(request, "me", session, bots=bots)
