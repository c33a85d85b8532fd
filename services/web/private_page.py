"""What private pages share: who asks, the form that he sends, and what is said if it is refused."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.errors import BadRequest, MaumauError, NotAllowed, WrongState
from services.web import problem
from services.web.frame import Frame
from services.web.response import PRIVATE
from services.web.session import Session, Sessions, check_form_token, check_request_id

FIELDS = 100  # of a form, at most

Look = Callable[[Session], Mapping[str, Any]]
Do = Callable[[Session, FormData], str]


class PrivatePages:
    """Asks the arena in threads, each time with the token of whoever has logged in."""

    def __init__(self, sessions: Sessions, frame: Frame) -> None:
        self.sessions, self.frame = sessions, frame

    async def show(self, request: Request, template: str, look: Look) -> Response:
        """A page of what this person may see."""
        session = await self.sessions.need(request)
        found = await self.sessions.call_for_person(look, session)
        return self.frame.private(request, template, session, **found)

    async def act(self, request: Request, back: str, do: Do, files: int = 0) -> Response:
        """Carries out a form and leads to the address that `do` gives; a refusal has a way back.

        `do` makes one change; the same form sent again, by a double click or from the browser's history,
        makes it no second time and leads to the same address.
        """
        session, form = await self.read(request, files)
        try:
            asking = session.with_request_id(check_request_id(form.get("request_id")))
            target = await self.sessions.call_for_person(do, asking, form)
        except MaumauError as error:
            found = problem.of_error(error, request.url.path)
            return self.frame.private(
                request, "refused", session, found.status, back=back, text=str(error),
            )  # fmt: skip
        finally:
            await form.close()
        return RedirectResponse(target, 303, PRIVATE)

    async def act_with_bot(
        self, request: Request, folder: str, change: Callable[[Session, str, str], Any]
    ) -> Response:
        """Carries out a form that names a bot, for what the address names: a contest or a ladder."""
        name = request.path_params["name"]
        back = f"/me/{folder}/{quote(name, safe='')}"

        def carry_out(session: Session, form: FormData) -> str:
            change(session, name, said(form, "bot"))
            return back

        return await self.act(request, back, carry_out)

    async def read(self, request: Request, files: int = 0) -> tuple[Session, FormData]:
        """Who sends a form, and what; a form of another session is refused."""
        session = await self.sessions.need(request)
        form = await request.form(max_files=files, max_fields=FIELDS)
        try:
            check_form_token(session, form.get("form_token"))
        except NotAllowed:
            await form.close()
            raise
        return session, form


def try_preview(session: Session, change: str, **asked: Any) -> dict[str, Any]:
    """What a change would come to (`found`), or why it cannot be made now (`refused`), for a template."""
    try:
        return {"found": session.arena.preview(change, **asked), "refused": ""}
    except WrongState as error:
        return {"found": None, "refused": str(error)}


def said(form: FormData, name: str, most: int | None = 200) -> str:
    """A field as it was typed, without blanks at its ends; "" if there is none.

    most: characters; BadRequest if it has more. None where something else bounds it.
    """
    value = form.get(name, "")
    if not isinstance(value, str):
        return ""
    if most is not None and len(value) > most:
        words = f"{name}: {len(value)} characters are more than the {most} there may be."
        raise BadRequest(words, field=name)
    return value.strip()
