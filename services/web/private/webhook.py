"""Webhooks of the person logged in: listed, made with a secret that is shown once, tested, removed."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.client.answer import CreateWebhookResponse
from maumau.errors import BadRequest
from services.web.http.session import Session
from services.web.private.page import PrivatePages, read_field
from services.web.words.people.webhook import EVENTS

PLACE = "/me/webhooks"
LONGEST_URL, LONGEST_CONTESTS = 2000, 5000


class OwnWebhooks:
    """Handlers of these pages; the registry checks whose webhook it is."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_all(self, request: Request) -> Response:
        def look(session: Session) -> Mapping[str, Any]:
            return {"hooks": session.arena.webhooks(), "events": EVENTS, "typed": {}}

        return await self._pages.show_page(request, "my_webhooks", look)

    async def show_webhooks(self, request: Request) -> Response:
        name = request.path_params["id"]

        def look(session: Session) -> Mapping[str, Any]:
            found = session.arena.webhook(name)
            return {"hook": found.webhook, "deliveries": found.deliveries, "secret": ""}

        return await self._pages.show_page(request, "my_webhook", look)

    async def create_webhook(self, request: Request) -> Response:
        """Make one and show its secret: this page is an answer to a form, so its address does not show it."""
        made: list[CreateWebhookResponse] = []

        def create(session: Session, form: FormData) -> str:
            kinds = [kind for kind in form.getlist("kinds") if isinstance(kind, str)]
            if not kinds:
                raise BadRequest("Choose at least one event.", field="kinds")
            names = [line.strip() for line in read_field(form, "contests", LONGEST_CONTESTS).splitlines()]
            url = read_field(form, "url", LONGEST_URL)
            language = read_field(form, "language", 10)
            followed = [name for name in names if name]
            for name in followed:
                session.arena.tournament(name)  # one that there is not, or not for them, cannot be followed
            made.append(session.arena.create_webhook(url, kinds, followed, language))
            return PLACE

        answer = await self._pages.handle_form(request, PLACE, create)
        if not made or not isinstance(answer, RedirectResponse):
            return answer
        session = await self._pages.sessions.require_session(request)
        shown: dict[str, Any] = {"hook": made[0].webhook, "deliveries": (), "secret": made[0].secret}
        return self._pages.frame.render_private(request, "my_webhook", session, **shown)

    async def test_webhook(self, request: Request) -> Response:
        name = request.path_params["id"]
        back = f"{PLACE}/{quote(name, safe='')}"

        def test(session: Session, _form: FormData) -> str:
            session.arena.test_webhook(name)
            return back

        return await self._pages.handle_form(request, back, test)

    async def remove_webhook(self, request: Request) -> Response:
        name = request.path_params["id"]

        def remove(session: Session, _form: FormData) -> str:
            session.arena.delete_webhook(name)
            return PLACE

        return await self._pages.handle_form(request, f"{PLACE}/{quote(name, safe='')}", remove)
