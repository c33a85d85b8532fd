"""Logging in and out: a code that `maumau page` prints becomes a cookie."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.client import Arena
from maumau.errors import MaumauError, UnknownPageCode
from services.web.frame import Frame
from services.web.response import PRIVATE
from services.web.session import HOME, Sessions, check_form_token, safe_target


class Account:
    """Handlers. page: the arena as the page itself asks it, to exchange codes."""

    def __init__(self, page: Arena, sessions: Sessions, frame: Frame) -> None:
        self._page, self._sessions, self._frame = page, sessions, frame

    async def show_login(self, request: Request) -> Response:
        """The form; who has logged in already is led on."""
        target = safe_target(request.query_params.get("to", HOME))
        if await self._sessions.find(request):
            return RedirectResponse(target, 303, PRIVATE)
        return self._form(request, target)

    async def log_in(self, request: Request) -> Response:
        """Exchanges the code; what it may not be is said above the form."""
        form = await request.form(max_files=0, max_fields=10)
        target = safe_target(str(form.get("to", HOME)))
        try:
            made = await self._sessions.call_for_person(
                self._page.redeem_page_code, str(form.get("code", ""))
            )
        except UnknownPageCode:
            return self._form(request, target, status=400, wrong=True)
        response = RedirectResponse(target, 303, PRIVATE)
        self._sessions.open(response, made.token, made.expires_at)
        return response

    async def log_out(self, request: Request) -> Response:
        """Ends the session's token, and with it every copy of the cookie."""
        session = await self._sessions.need(request)
        check_form_token(session, (await request.form(max_files=0, max_fields=10)).get("form_token"))
        await self._sessions.call_for_person(_end, session.arena)
        response = RedirectResponse("/", 303, PRIVATE)
        self._sessions.close(response)
        return response

    def send_to_login(self, request: Request, *, had: bool) -> Response:
        """For who has not logged in: the form, which leads back to where he wanted to go."""
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        target = safe_target(wanted) if request.method == "GET" else HOME
        response = RedirectResponse(f"/login?{urlencode({'to': target})}", 303, PRIVATE)
        if had:
            self._sessions.close(response)
        return response

    def _form(self, request: Request, target: str, *, status: int = 200, wrong: bool = False) -> Response:
        return self._frame.private(request, "login", None, status, here="me", target=target, wrong=wrong)


def _end(arena: Arena) -> None:
    for token in arena.tokens():
        if token.current:
            try:
                arena.revoke_token(token.id)
            except MaumauError:  # it has ended by itself meanwhile
                return
