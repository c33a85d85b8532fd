"""The page on which somebody deletes the account that is logged in, by typing its name."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.errors import BadRequest, MaumauError
from services.web.delivery.frame import language_of
from services.web.http import problem
from services.web.http.response import PRIVATE
from services.web.http.session import Session, check_request_id
from services.web.private.page import PrivatePages, read_field
from services.web.words import TONGUES

PLACE: Final = "/me/delete"


class DeletionPage:
    """Handlers of this page."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show(self, request: Request) -> Response:
        """Show what is deleted and what stays, with the form."""
        return await self._pages.show_page(request, "my_deletion", _find_values)

    async def delete_account(self, request: Request) -> Response:
        """Delete the account of the session, if its name was typed, and end the session."""
        session, form = await self._pages.read(request)
        typed, asking = (
            read_field(form, "name"),
            session.with_request_id(check_request_id(form.get("request_id"))),
        )
        try:
            if typed != session.account:
                raise BadRequest(TONGUES[language_of(request)]("deletion_other_name"), field="name")
            await self._pages.sessions.call_for_person(asking.arena.delete_account, typed)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            values = {"error": error}
            return self._pages.frame.render_private(request, "my_deletion", session, status, **values)
        response = RedirectResponse("/", 303, PRIVATE)
        self._pages.sessions.close(response)
        return response


def _find_values(_: Session) -> Mapping[str, Any]:
    return {"error": None}
