"""Joining by a code: a new account in a group, or a further group for an existing account."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import CreateAccountResponse, RedeemPageCodeResponse
from maumau.client.arena import Arena
from maumau.errors import MaumauError, TooManyCalls, UnknownInvitation
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.session import Session, check_request_id
from services.web.http.tries import Tries
from services.web.private.page import PrivatePages, read_field

MOST_CODE: Final = 40  # characters of the form's field


class CodePages:
    """Handlers of `/join`. page: the arena with the page's own token, which opens accounts by codes.

    arena: without a token, for that of a new account. find_arena: returns a visitor's argument of `--arena`,
    or "".
    """

    def __init__(
        self, page: Arena, arena: Arena, pages: PrivatePages, find_arena: Callable[[Request], str]
    ) -> None:
        self._page, self._arena, self._pages, self._tries = page, arena, pages, Tries()
        self._find_arena = find_arena

    async def show_form(self, request: Request) -> Response:
        """Show the form, with the code of the address in it."""
        code = str(request.path_params.get("code", ""))[:MOST_CODE]
        return self._show_form(request, await self._pages.sessions.find_session(request), code)

    async def open_account(self, request: Request) -> Response:
        """Open an account with a code, log in with it, and show its token; show the form again if refused."""
        form = await read_form(request, fields=10)
        code, name = read_field(form, "code", MOST_CODE), read_field(form, "name", 40)
        try:
            made = await self._open_account(request, form, name, code)
            entered = await self._pages.sessions.call_for_person(self._log_in, made.token)
        except TooManyCalls:
            raise
        except MaumauError as error:
            session = await self._pages.sessions.find_session(request)
            status = problem.of_error(error, request.url.path).status
            return self._show_form(request, session, code, name, error, status)
        response = self._pages.frame.render_private(
            request,
            "joined",
            None,
            name=name,
            group=made.group_name,
            token=made.token,
            ends_at=made.expires_at,
            arena=self._find_arena(request),
        )
        self._pages.sessions.open_session(response, entered.token, entered.expires_at)
        return response

    async def join_group(self, request: Request) -> Response:
        """Join a further group with the account that is logged in."""

        def join_with_code(session: Session, form: FormData) -> str:
            group = session.arena.join_group(read_field(form, "code", MOST_CODE))
            return f"/me/groups/{quote(group.name, safe='')}"

        return await self._pages.handle_form(request, "/join", join_with_code)

    async def _open_account(
        self, request: Request, form: FormData, name: str, code: str
    ) -> CreateAccountResponse:
        """Return the new account; a form sent twice makes one, and has the same answer."""
        page = self._page.with_request_id(check_request_id(form.get("request_id")))
        async with self._tries.count_try(request.client.host if request.client else ""):
            if not code:
                raise UnknownInvitation
            return await self._pages.sessions.call_for_person(page.create_account, name, code)

    def _log_in(self, token: str) -> RedeemPageCodeResponse:
        """Return a session's token; the account's own stays out of the browser's cookies."""
        return self._page.redeem_page_code(self._arena.with_token(token).create_page_code().code)

    def _show_form(
        self,
        request: Request,
        session: Session | None,
        code: str,
        name: str = "",
        error: MaumauError | None = None,
        status: int = 200,
    ) -> Response:
        values = {"code": code, "name": name, "error": error, "here": "me"}
        return self._pages.frame.render_private(request, "join", session, status, **values)
