"""Changes of a spec, disqualifications, protests and their answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from maumau.client.answer import Preview, Tournament
from maumau.contest.export.protest import MAX_PROTEST_LENGTH
from maumau.errors import BadRequest, MaumauError, NameTaken, NotEntered, WrongState
from services.web.http.session import Session
from services.web.private.organiser import MAX_REASON_LENGTH, own_contest, own_page
from services.web.private.page import PrivatePages, read_field, try_preview

MAX_SPEC_LENGTH = 64 * 1024  # most characters of a typed spec
VERDICTS = ("accepted", "rejected")


class Amend:
    """Handlers of changes; the tournament service checks whose contest it is."""

    def __init__(self, pages: PrivatePages) -> None:
        self._pages = pages

    async def show_spec(self, request: Request) -> Response:
        """Show the current spec for editing."""
        name = request.path_params["name"]

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            return _draw_spec(contest, contest.own_spec_toml)

        return await self._pages.show_page(request, "edit_contest", look)

    async def check_spec(self, request: Request) -> Response:
        """Show a typed spec with its effects, or with its errors, without changing anything."""
        name = request.path_params["name"]
        session, form = await self._pages.read(request)
        values = await self._pages.sessions.call_for_person(_check_spec, session, name, _read_typed(form))
        return self._pages.frame.render_private(request, "edit_contest", session, **values)

    async def edit_spec(self, request: Request) -> Response:
        name = request.path_params["name"]

        def edit(session: Session, form: FormData) -> str:
            return own_page(session.arena.edit(name, _read_typed(form)).name)

        def again(session: Session, form: FormData, error: MaumauError) -> tuple[str, Mapping[str, Any]]:
            typed = read_field(form, "spec", most=None)
            return "edit_contest", _draw_spec(own_contest(session, name), typed, wrong=_list_wrong(error))

        return await self._pages.handle_form(request, f"{own_page(name)}/edit", edit, again=again)

    async def ask_disqualify(self, request: Request) -> Response:
        """Show which matches a disqualification forfeits, and ask for confirmation; change nothing."""
        name, bot = request.path_params["name"], request.query_params.get("bot", "")

        def look(session: Session) -> Mapping[str, Any]:
            contest = own_contest(session, name)
            entry = next((one for one in contest.entries if one.bot_name == bot), None)
            if entry is None:
                raise NotEntered(f"{bot[:80]!r} has not entered {contest.name}.")
            asked = {"tournament": name, "bot_name": bot, "reason": "to be given"}
            tried = try_preview(session, "Disqualify", **asked)
            return {"c": contest, "entry": entry, "most": MAX_REASON_LENGTH, **tried}

        return await self._pages.show_page(request, "confirm_disqualify", look)

    async def disqualify_bot(self, request: Request) -> Response:
        name = request.path_params["name"]

        def disqualify(session: Session, form: FormData) -> str:
            session.arena.disqualify(
                name, read_field(form, "bot"), read_field(form, "reason", MAX_REASON_LENGTH)
            )
            return own_page(name)

        return await self._pages.handle_form(request, own_page(name), disqualify)

    async def file_protest(self, request: Request) -> Response:
        name = request.path_params["name"]

        def file_protest(session: Session, form: FormData) -> str:
            session.arena.file_protest(
                name, read_field(form, "bot"), read_field(form, "text", MAX_PROTEST_LENGTH)
            )
            return own_page(name)

        return await self._pages.handle_form(request, own_page(name), file_protest)

    async def answer_protest(self, request: Request) -> Response:
        name = request.path_params["name"]

        def answer(session: Session, form: FormData) -> str:
            number, verdict = read_field(form, "number", 9), read_field(form, "verdict")
            if not (number.isascii() and number.isdigit()) or verdict not in VERDICTS:
                raise BadRequest(f"{number!r}, {verdict!r}: not a protest's number and an answer to it.")
            text = read_field(form, "answer", MAX_PROTEST_LENGTH)
            session.arena.answer_protest(name, int(number), text, accepted=verdict == "accepted")
            return own_page(name)

        return await self._pages.handle_form(request, own_page(name), answer)


def _check_spec(session: Session, name: str, typed: str) -> Mapping[str, Any]:
    contest = own_contest(session, name)
    found, wrong = None, tuple[str, ...]()
    try:
        found = session.arena.preview("EditTournament", tournament=name, spec_toml=typed)
    except (BadRequest, MaumauError, NameTaken, WrongState) as error:
        wrong = _list_wrong(error)
    return _draw_spec(contest, typed, found, wrong)


def _list_wrong(error: MaumauError) -> tuple[str, ...]:
    return tuple(one.sentence for one in error.violations) or (str(error),)


def _draw_spec(
    contest: Tournament, typed: str, found: Preview | None = None, wrong: Sequence[str] = ()
) -> Mapping[str, Any]:
    return {"c": contest, "typed": typed, "most": MAX_SPEC_LENGTH, "found": found, "wrong": wrong}


def _read_typed(form: FormData) -> str:
    """Return the typed spec, with line ends as in a file, not as in a form."""
    return read_field(form, "spec", MAX_SPEC_LENGTH).replace("\r\n", "\n") + "\n"
