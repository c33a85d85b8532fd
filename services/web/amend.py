"""What an organiser changes after a look at what hangs on it: a spec before its opening, who may play."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.answer import Preview, Tournament
from maumau.errors import BadRequest, NameTaken, NotEntered, WrongState
from services.web.organise import MAX_REASON_LENGTH, own_contest, own_page
from services.web.private_page import PrivatePages, said, try_preview
from services.web.session import Session

MAX_SPEC_LENGTH = 64 * 1024  # characters that may be typed


class Amend:
    """Handlers; whose contest it is, the tournament service says."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_spec(self, request: Request) -> Response:
        """The spec as it stands, to be edited."""
        name = request.path_params["name"]

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            return _draw_spec(contest, contest.spec_toml)

        return await self._pages.show(request, "edit_contest", look)

    async def check_spec(self, request: Request) -> Response:
        """The same with what would change, or what is wrong with it; nothing is changed."""
        name = request.path_params["name"]
        session, form = await self._pages.read(request)
        values = await self._pages.sessions.call_for_person(_check, session, name, _typed(form))
        return self._pages.frame.private(request, "edit_contest", session, **values)

    async def edit(self, request: Request) -> Response:
        name = request.path_params["name"]

        def edit(session: Session, form: FormData) -> str:
            return own_page(session.arena.edit(name, _typed(form)).name)

        return await self._pages.act(request, f"{own_page(name)}/edit", edit)

    async def ask_disqualify(self, request: Request) -> Response:
        """Says which matches a disqualification takes, and asks; looking at it changes nothing."""
        name, bot = request.path_params["name"], request.query_params.get("bot", "")

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            entry = next((one for one in contest.entries if one.bot_name == bot), None)
            if entry is None:
                raise NotEntered(f"{bot[:80]!r} has not entered {contest.name}.")
            asked = {"tournament": name, "bot_name": bot, "reason": "to be given"}
            tried = try_preview(session, "Disqualify", **asked)
            return {"c": contest, "entry": entry, "most": MAX_REASON_LENGTH, **tried}

        return await self._pages.show(request, "confirm_disqualify", look)

    async def disqualify(self, request: Request) -> Response:
        name = request.path_params["name"]

        def disqualify(session: Session, form: FormData) -> str:
            session.arena.disqualify(name, said(form, "bot"), said(form, "reason", MAX_REASON_LENGTH))
            return own_page(name)

        return await self._pages.act(request, own_page(name), disqualify)


def _check(session: Session, name: str, typed: str) -> Mapping[str, Any]:
    contest = own_contest(session, name)
    found, wrong = None, tuple[str, ...]()
    try:
        found = session.arena.preview("EditTournament", tournament=name, spec_toml=typed)
    except (BadRequest, NameTaken, WrongState) as error:
        wrong = tuple(one.sentence for one in error.violations) or (str(error),)
    return _draw_spec(contest, typed, found, wrong)


def _draw_spec(
    contest: Tournament, typed: str, found: Preview | None = None, wrong: Sequence[str] = ()
) -> Mapping[str, Any]:
    return {"c": contest, "typed": typed, "most": MAX_SPEC_LENGTH, "found": found, "wrong": wrong}


def _typed(form: FormData) -> str:
    """As it was typed, with line ends as a file has them, not as forms send them."""
    return said(form, "spec", MAX_SPEC_LENGTH).replace("\r\n", "\n") + "\n"
