"""An author's bots on a ladder: which of them play there, and that they join and leave."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from services.web.private_page import PrivatePages
from services.web.session import Session


class OwnLadder:
    """Handlers; whose bot it is, the matchmaking service says."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show(self, request: Request) -> Response:
        name = request.path_params["name"]
        return await self._pages.show(request, "my_ladder", lambda session: _see(session, name))

    async def join(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "ladders", lambda one, *asked: one.matchmaking.join(*asked)
        )

    async def leave(self, request: Request) -> Response:
        return await self._pages.act_with_bot(
            request, "ladders", lambda one, *asked: one.matchmaking.leave(*asked)
        )


def _see(session: Session, name: str) -> Mapping[str, Any]:
    found = session.matchmaking.leaderboard(name)
    lines = [line for line in found.lines if line.account_name == session.account]
    joined = {line.bot_name for line in lines}
    others = [one for one in session.arena.bots(mine=True) if one.name not in joined]
    playing = [one for one in others if any(v.state == "active" for v in one.versions)]
    return {"ladder": found.ladder, "lines": lines, "bots": playing}
