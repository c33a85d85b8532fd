"""Login and logout: a code that `maumau page` prints becomes a cookie."""

import re
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.client.answer import RedeemPageCodeResponse
from maumau.client.arena import Arena
from maumau.errors import (
    ExpiredToken,
    MaumauError,
    NotAllowed,
    RevokedToken,
    UnknownPageCode,
    UnknownToken,
)
from services.web.delivery.frame import Frame
from services.web.http.form import read_form
from services.web.http.response import PRIVATE
from services.web.http.route import READS
from services.web.http.session import HOME, Sessions, check_form_token, safe_target
from services.web.http.tries import Tries
from services.web.public.install import InstallPages

MAX_CODE = 20  # characters of a code in an address
TOKEN: Final = re.compile(r"mm_[A-Za-z0-9_-]{43}")


class LoginPages:
    """Handlers of login and logout. page: the arena with the page's own token, to exchange codes.

    install: knows a visitor's argument of `--arena`, and how accounts are opened. provider: the one at which
    people can log in, too, by name; empty if there is none.
    """

    def __init__(
        self,
        page: Arena,
        sessions: Sessions,
        frame: Frame,
        install: InstallPages,
        provider: str = "",
    ) -> None:
        self._page, self._sessions, self._frame, self._provider = page, sessions, frame, provider
        self._install, self._tries = install, Tries()

    async def show_login(self, request: Request) -> Response:
        """Show the form; redirect people who have logged in already."""
        target = safe_target(request.query_params.get("to", HOME))
        if await self._sessions.find_session(request):
            return RedirectResponse(target, 303, PRIVATE)
        return await self._show_form(request, target, code=request.query_params.get("code", "")[:MAX_CODE])

    async def log_in(self, request: Request) -> Response:
        """Exchange the code for a session; show the form again if the code is wrong."""
        form = await read_form(request, fields=10)
        target = safe_target(str(form.get("to", HOME)))
        code, host = str(form.get("code", "")), request.client.host if request.client else ""
        try:
            async with self._tries.count_try(host):
                made = await self._sessions.call_for_person(self._redeem_code, code)
        except UnknownPageCode:
            return await self._show_form(request, target, status=400, wrong=True)
        response = RedirectResponse(target, 303, PRIVATE)
        self._sessions.open_session(response, made.token, made.expires_at)
        return response

    def _redeem_code(self, typed: str) -> RedeemPageCodeResponse:
        """Return a session for a code, or for an account's token, which stays out of cookies itself."""
        if not TOKEN.fullmatch(token := typed.strip()):
            return self._page.redeem_page_code(typed)
        try:
            return self._page.redeem_page_code(self._page.with_token(token).create_page_code().code)
        except (UnknownToken, ExpiredToken, RevokedToken, NotAllowed) as error:
            raise UnknownPageCode from error

    async def log_out(self, request: Request) -> Response:
        """End the session's token, and with it every copy of the cookie."""
        session = await self._sessions.require_session(request)
        check_form_token(session, (await read_form(request, fields=10)).get("form_token"))
        await self._sessions.call_for_person(_end_session, session.arena)
        response = RedirectResponse("/", 303, PRIVATE)
        self._sessions.close(response)
        return response

    def send_to_login(self, request: Request, *, had: bool) -> Response:
        """Redirect to the login form, which leads back to the requested address."""
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        target = safe_target(wanted) if request.method in READS else HOME
        response = RedirectResponse(f"/login?{urlencode({'to': target})}", 303, PRIVATE)
        if had:
            self._sessions.close(response)
        return response

    async def _show_form(
        self, request: Request, target: str, *, status: int = 200, wrong: bool = False, code: str = ""
    ) -> Response:
        """Return the form. code: fills the field, as the link of `maumau page` does; only a press logs in."""
        values = {"target": target, "wrong": wrong, "code": code, "provider": self._provider}
        values |= {"arena": self._install.find_arena(request), "signup": await self._install.find_signup()}
        return self._frame.render_private(request, "login", None, status, here="me", **values)


def _end_session(arena: Arena) -> None:
    for token in arena.tokens():
        if token.current:
            try:
                arena.revoke_token(token.id)
            except MaumauError:  # it has ended by itself in the meantime
                return
