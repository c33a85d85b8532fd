"""Login at an OpenID Connect provider: begun here, answered there, and bound to an account."""

import hmac
from collections.abc import Callable
from typing import Any, Final

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.client.answer import CreateLoginAccountResponse, RedeemPageCodeResponse
from maumau.client.arena import Arena
from maumau.errors import LoginRefused, MaumauError, UnknownLogin
from services.web.http import problem
from services.web.http.flow import Flow, FlowCookies, Ticket, begin_flow
from services.web.http.form import read_form
from services.web.http.provider import Person, Provider
from services.web.http.response import PRIVATE
from services.web.http.session import HOME, Session, check_request_id, safe_target
from services.web.people.join import MOST_CODE
from services.web.private.page import PrivatePages, read_field

NEW, LOGINS = "/login/oidc/new", "/me/logins"
MOST_ANSWER: Final = 2000  # characters of a part of the answer
NO_TICKET: Final = "This login took too long, or began in another browser. Log in once more."


class OidcPages:
    """Handlers of these pages. page: the arena with the page's own token, which alone vouches for people.

    provider: None if the arena has none. find_arena: returns a visitor's argument of `--arena`, or "".
    """

    def __init__(
        self,
        page: Arena,
        pages: PrivatePages,
        cookies: FlowCookies,
        provider: Provider | None,
        find_arena: Callable[[Request], str],
    ) -> None:
        self._page, self._pages, self._cookies, self._given = page, pages, cookies, provider
        self._find_arena = find_arena
        self._call = pages.sessions.call_for_person

    async def begin(self, request: Request) -> Response:
        """Redirect to the provider, to log in."""
        return await self._begin(begin_flow(safe_target(request.query_params.get("to", HOME))))

    async def begin_link(self, request: Request) -> Response:
        """Redirect to the provider, to give the account that is logged in another way in."""
        session = await self._pages.sessions.require_session(request)
        return await self._begin(begin_flow(LOGINS, session.account))

    async def end(self, request: Request) -> Response:
        """Read the provider's answer: open the session, or ask what is missing for an account."""
        flow = self._cookies.read(request, Flow)
        person = await self._read(request, flow)
        assert flow
        response = await self._go_on(request, flow, person)
        self._cookies.clear(response, Flow)
        return response

    async def show_new(self, request: Request) -> Response:
        """Show the form of a new account, with the name that the provider suggests."""
        ticket = self._need_ticket(request)
        return await self._form(request, ticket.name)

    async def open_account(self, request: Request) -> Response:
        """Open an account and log in; show the form again if it is refused."""
        form = await read_form(request, fields=10)
        ticket = self._need_ticket(request)
        name, code = read_field(form, "name", 40), read_field(form, "code", MOST_CODE)
        try:
            page = self._page.with_request_id(check_request_id(form.get("request_id")))
            made = await self._call(page.create_login_account, ticket.issuer, ticket.subject, name, code)
            entered = await self._call(self._page.open_login, ticket.issuer, ticket.subject)
        except MaumauError as error:
            return await self._form(request, name, code, error)
        return self._welcome(request, name, made, entered)

    async def show_logins(self, request: Request) -> Response:
        """Show the logins of an account, and the one that may be added."""
        provider, ticket = self._provider, self._cookies.read(request, Ticket)

        def look(session: Session) -> dict[str, object]:
            offered = ticket if ticket and ticket.link == session.account else None
            return {"logins": session.arena.logins(), "offered": offered, "provider": provider.name}

        return await self._pages.show_page(request, "my_logins", look)

    async def link(self, request: Request) -> Response:
        """Give the account that is logged in the login that the provider has just named."""

        def link(session: Session, _form: FormData) -> str:
            ticket = self._need_ticket(request)
            if ticket.link != session.account:
                raise LoginRefused(NO_TICKET)
            as_author = not session.organises_public
            self._page.link_login(session.account, ticket.issuer, ticket.subject, as_author=as_author)
            return LOGINS

        response = await self._pages.handle_form(request, LOGINS, link)
        if isinstance(response, RedirectResponse):
            self._cookies.clear(response, Ticket)
        return response

    @property
    def _provider(self) -> Provider:
        if self._given is None:
            raise HTTPException(404)
        return self._given

    async def _begin(self, flow: Flow) -> Response:
        address = await self._provider.make_address(flow.state, flow.nonce, flow.verifier)
        response = RedirectResponse(address, 303, PRIVATE)
        self._cookies.write(response, flow)
        return response

    async def _read(self, request: Request, flow: Flow | None) -> Person:
        """Return the person of an answer; raise LoginRefused if it is none to this browser's question."""
        provider, given = self._provider, request.query_params
        state, code, issuer = (given.get(one, "")[:MOST_ANSWER] for one in ("state", "code", "iss"))
        if flow is None or not hmac.compare_digest(state.encode(), flow.state.encode()):
            raise LoginRefused(NO_TICKET)
        if not code:
            raise LoginRefused("The provider has not logged you in.")
        return await provider.redeem(code, flow.nonce, flow.verifier, issuer)

    async def _go_on(self, request: Request, flow: Flow, person: Person) -> Response:
        ticket = Ticket(person.issuer, person.subject, person.name, flow.link, flow.at)
        if flow.link:
            return self._continue(request, LOGINS, ticket)
        try:
            made = await self._call(self._page.open_login, person.issuer, person.subject)
        except UnknownLogin:
            return self._continue(request, NEW, ticket)
        response = self._continue(request, flow.target)
        self._pages.sessions.open_session(response, made.token, made.expires_at)
        return response

    def _continue(self, request: Request, target: str, ticket: Ticket | None = None) -> Response:
        """Return a page that goes on by itself: a redirect from the provider would carry no session."""
        response = self._pages.frame.render_private(request, "oidc_continue", None, target=target)
        if ticket:
            self._cookies.write(response, ticket)
        return response

    def _need_ticket(self, request: Request) -> Ticket:
        if (ticket := self._cookies.read(request, Ticket)) is None or self._provider is None:
            raise LoginRefused(NO_TICKET)
        return ticket

    def _welcome(
        self, request: Request, name: str, made: CreateLoginAccountResponse, entered: RedeemPageCodeResponse
    ) -> Response:
        shown: dict[str, Any] = {
            "name": name,
            "group": made.group_name,
            "token": made.token,
            "ends_at": made.expires_at,
            "arena": self._find_arena(request),
        }
        response = self._pages.frame.render_private(request, "joined", None, **shown)
        self._pages.sessions.open_session(response, entered.token, entered.expires_at)
        self._cookies.clear(response, Ticket)
        return response

    async def _form(
        self, request: Request, name: str, code: str = "", error: MaumauError | None = None
    ) -> Response:
        status = problem.of_error(error, request.url.path).status if error else 200
        signup = (await self._call(self._page.info)).registration
        values = {
            "name": name,
            "code": code,
            "error": error,
            "signup": signup,
            "provider": self._provider.name,
        }
        return self._pages.frame.render_private(request, "oidc_new", None, status, **values)
