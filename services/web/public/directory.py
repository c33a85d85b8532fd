"""Pages of authors and teams, and the search over bots, contests and those who own bots."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import NotFound, UnknownAccount, UnknownTeam
from services.web.client import Arena
from services.web.delivery.frame import Frame
from services.web.public.bot import public_bot

SHOWN: Final = 50  # entries of a page
KINDS: Final = ("bots", "contests", "authors")
LONGEST: Final = 40
Find = Callable[[str, int, str], Awaitable[tuple[tuple[object, ...], str]]]
UNNAMED: Final = re.compile(r"[^a-z0-9_-]")


class DirectoryPages:
    """Handlers of these pages; the services know what the caller may see."""

    def __init__(self, arena: Arena, frame: Frame) -> None:
        self._arena, self._frame, self._cache = arena, frame, frame.cache

    async def author(self, request: Request) -> Response:
        """Show an account or a team with its bots; one without either is unknown."""
        name, after = request.path_params["name"], request.query_params.get("after", "")
        found, older = await self._cache.get(
            ("author", name, after), lambda: self._arena.find_bots("", SHOWN, after, name)
        )
        team = await self._cache.get(("team", name), lambda: self._find_team(name))
        if not found and team is None and not after:
            raise UnknownAccount(f"There is no author {name[:80]!r}.", thing=name)
        shown = {"name": name, "bots": tuple(map(public_bot, found)), "team": team}
        return self._frame.render_page(request, "author", here="", older=older, after=after, **shown)

    async def _find_team(self, name: str) -> object:
        try:
            return await self._arena.team(name)
        except (UnknownTeam, NotFound):
            return None

    async def search(self, request: Request) -> Response:
        """Show names that contain what was typed; a kind that is chosen is shown page by page."""
        asked = request.query_params
        typed, kind, after = (
            asked.get("q", "")[:LONGEST].strip(),
            asked.get("kind", ""),
            asked.get("after", ""),
        )
        wanted = (kind,) if kind in KINDS else KINDS
        part = typed.lower()
        found = {}
        for one in wanted if part else ():
            # no name of a bot or an account has other characters
            if one == "contests" or not UNNAMED.search(part):
                found[one] = await self._find(one, part, after if kind in KINDS else "")
        return self._frame.render_page(
            request, "search", here="", typed=typed, kind=kind, after=after, found=found
        )

    async def _find(self, kind: str, part: str, after: str) -> object:
        finders: Mapping[str, Find] = {
            "bots": self._arena.find_bots,
            "contests": self._arena.find_contests,
            "authors": self._arena.find_authors,
        }
        find = finders[kind]
        return await self._cache.get(("search", kind, part, after), lambda: find(part, SHOWN, after))
