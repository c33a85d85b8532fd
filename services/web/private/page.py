"""The common part of private pages: session, form, and the answer to a refusal."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.errors import BadRequest, MaumauError, NotAllowed, WrongState
from services.web.delivery.frame import Frame
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.response import PRIVATE
from services.web.http.session import Session, Sessions, check_form_token, check_request_id

FIELDS = 100  # most fields of a form
PROSE = ("text", "answer", "reason")
"""Fields whose text a refusal shows, so that it need not be written once more."""

Look = Callable[[Session], Mapping[str, Any]]
Do = Callable[[Session, FormData], str]
Again = Callable[[Session, FormData, MaumauError], tuple[str, Mapping[str, Any]]]
"""The template of a refused form, and its values with what was typed and the error."""


class PrivatePages:
    """The frame of private pages: calls to the arena in threads, with the token of the person logged in."""

    def __init__(self, sessions: Sessions, frame: Frame) -> None:
        self.sessions, self.frame = sessions, frame

    async def show_page(self, request: Request, template: str, look: Look) -> Response:
        """Show a page of data that this person may see."""
        session = await self.sessions.require_session(request)
        found = await self.sessions.call_for_person(look, session)
        return self.frame.render_private(request, template, session, **found)

    async def handle_form(
        self, request: Request, back: str, do: Do, files: int = 0, again: Again | None = None
    ) -> Response:
        """Carry out a form and redirect to the address that `do` returns; a refusal has a way back.

        again: what shows the form once more, as it was typed, with the error; without it a refusal is a page.

        `do` makes one change; if the form is sent again, by a double click or from the browser's history, the
        change is not repeated and the redirect is the same.
        """
        session, form = await self.read(request, files)
        try:
            asking = session.with_request_id(check_request_id(form.get("request_id")))
            target = await self.sessions.call_for_person(do, asking, form)
        except MaumauError as error:
            return await self._show_refusal(request, back, session, error, form, again)
        finally:
            await form.close()
        return RedirectResponse(target, 303, PRIVATE)

    async def _show_refusal(
        self,
        request: Request,
        back: str,
        session: Session,
        error: MaumauError,
        form: FormData,
        again: Again | None,
    ) -> Response:
        """Show the form again with what was typed, or a page if it has none or the person may not see it."""
        status = problem.of_error(error, request.url.path).status
        if again:
            with suppress(MaumauError):
                template, values = await self.sessions.call_for_person(again, session, form, error)
                return self.frame.render_private(request, template, session, status, **values)
        typed = [text for field in PROSE if isinstance(text := form.get(field), str) and text.strip()]
        return self.frame.render_private(
            request, "refused", session, status, back=back, error=error, typed=typed
        )

    async def act_with_bot(
        self, request: Request, folder: str, change: Callable[[Session, str, str], Any]
    ) -> Response:
        """Carry out a form that names a bot, for the contest or ladder in the address."""
        name = request.path_params["name"]
        back = f"/me/{folder}/{quote(name, safe='')}"

        def carry_out(session: Session, form: FormData) -> str:
            change(session, name, read_field(form, "bot"))
            return back

        return await self.handle_form(request, back, carry_out)

    async def read(self, request: Request, files: int = 0) -> tuple[Session, FormData]:
        """Return the sender's session and the form; raise NotAllowed if the form is of another session."""
        session = await self.sessions.require_session(request)
        form = await read_form(request, files=files, fields=FIELDS)
        try:
            check_form_token(session, form.get("form_token"))
        except NotAllowed:
            await form.close()
            raise
        return session, form


def try_preview(session: Session, change: str, **asked: Any) -> dict[str, Any]:
    """Return the preview of a change (`found`), or why it cannot be made now (`refused`), for a template."""
    try:
        return {"found": session.arena.preview(change, **asked), "refused": ""}
    except WrongState as error:
        return {"found": None, "refused": error}


def read_field(form: FormData, name: str, most: int | None = 200) -> str:
    """Return a field without surrounding blanks; "" if it is missing.

    most: characters, above which BadRequest is raised; None if something else limits it.
    """
    value = form.get(name, "")
    if not isinstance(value, str):
        return ""
    if most is not None and len(value) > most:
        words = f"{name}: {len(value)} characters are more than the {most} there may be."
        raise BadRequest(words, field=name)
    return value.strip()
