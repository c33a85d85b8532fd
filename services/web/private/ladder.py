"""An author's bots on a ladder: the list of those that play, joining and leaving."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from services.web.http.session import Session
from services.web.private.page import PrivatePages


class OwnLadder:
    """Handlers of an author's ladder pages; the matchmaking service checks who owns the bot."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_ladder(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show_page(request, "my_ladder", lambda session: _load_ladder(session, name))

    async def join_ladder(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "ladders", lambda session, *names: session.matchmaking.join(*names)
        )

    async def leave_ladder(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "ladders", lambda session, *names: session.matchmaking.leave(*names)
        )


def _load_ladder(session: Session, name: str) -> Mapping[str, Any]:
    found = session.matchmaking.leaderboard(name)
    lines = [line for line in found.lines if line.account_name in session.owners]
    joined = {line.bot_name for line in lines}
    others = [one for one in session.arena.bots(mine=True) if one.name not in joined]
    playing = [one for one in others if any(v.state == "active" for v in one.versions)]
    return {"ladder": found.ladder, "lines": lines, "bots": playing}
