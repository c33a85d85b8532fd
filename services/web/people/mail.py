"""Links in mails of the arena: one confirms an address, the other ends the mails. Neither needs a login.

A link is opened by programs that look at mails, too; so it shows a button, and only a press has an effect.
"""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from maumau.client.arena import Arena
from maumau.errors import MaumauError
from services.web.http import problem
from services.web.http.form import read_form
from services.web.private.page import PrivatePages

CONFIRM, STOP = "confirm", "stop"


class MailPages:
    """Handlers of these pages. page: the arena with the page's own token."""

    def __init__(self, page: Arena, pages: PrivatePages) -> None:
        self._pages = pages
        self._calls: dict[str, Callable[[str, str], str]] = {CONFIRM: page.confirm_mail, STOP: page.stop_mail}
        self.ask_confirm, self.ask_stop = partial(self._ask, CONFIRM), partial(self._ask, STOP)
        self.confirm, self.stop = partial(self._act, CONFIRM), partial(self._act, STOP)

    async def _ask(self, kind: str, request: Request) -> Response:
        return self._show(request, kind, 200, done="", error=None)

    async def _act(self, kind: str, request: Request) -> Response:
        """Do what the link is for; a refusal says why, such as that it was used."""
        await read_form(request, fields=10)
        given = request.path_params["id"], request.path_params["key"]
        try:
            url = await self._pages.sessions.call_for_person(self._calls[kind], *given)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            return self._show(request, kind, status, done="", error=error)
        return self._show(request, kind, 200, done=url.removeprefix("mailto:"), error=None)

    def _show(
        self, request: Request, kind: str, status: int, *, done: str, error: MaumauError | None
    ) -> Response:
        values = {"kind": kind, "done": done, "error": error}
        return self._pages.frame.render_private(request, "mail_link", None, status, **values)
