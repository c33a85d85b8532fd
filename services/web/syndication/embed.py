"""The handlers of pages that stand in frames of other sites: a ladder, and a contest's table and bracket."""

from starlette.requests import Request
from starlette.responses import Response

from services.web.client import Arena
from services.web.delivery.frame import Frame
from services.web.public.contest import Contest, ContestSource
from services.web.public.ladder import LadderSource

MOST, USUAL = 100, 10
"""Lines of a table in a frame: at most, and unless the address says how many."""


class EmbedPages:
    """Handlers below `/embed`. They raise the arena's errors, which `app` turns into pages."""

    def __init__(self, arena: Arena, frame: Frame) -> None:
        self._arena, self._frame = arena, frame

    async def send_ladder(self, request: Request) -> Response:
        """Send the first lines of a ladder."""
        name = read_name(request)
        view = await self._frame.cache.get(
            ("ladder", name, "", ""), LadderSource(self._arena, name).load_view
        )
        lines = view.lines[: read_top(request)]
        left = len(view.lines) - len(lines)
        return self._frame.render_framed(request, "embed_ladder", view=view, lines=lines, left=left)

    async def send_table(self, request: Request) -> Response:
        """Send the first lines of a contest's table, or who has entered."""
        view = await self._find_contest(request)
        lines = view.standings[: read_top(request)]
        left = len(view.standings) - len(lines)
        return self._frame.render_framed(request, "embed_table", view=view, lines=lines, left=left)

    async def send_bracket(self, request: Request) -> Response:
        """Send the bracket of a contest, if it has one."""
        return self._frame.render_framed(request, "embed_bracket", view=await self._find_contest(request))

    async def _find_contest(self, request: Request) -> Contest:
        one = ContestSource(self._arena, read_name(request))
        return await self._frame.cache.get(("contest", read_name(request)), one.load_view)


def read_name(request: Request) -> str:
    """Return the name in the address."""
    name: str = request.path_params["name"]
    return name


def read_top(request: Request) -> int:
    """Return how many lines the address asks for, as far as a frame has them."""
    typed = request.query_params.get("top", "")
    wanted = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 6 else 0
    return min(wanted, MOST) or USUAL
