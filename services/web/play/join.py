"""The page to which an invitation leads: a friend sits down, as a guest or with an account."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from maumau.errors import BadRequest, BadSeatToken, MaumauError, SeatTaken, TableEnded, UnknownTable
from services.web.client import Arena
from services.web.delivery.frame import Frame, language_of
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.response import PRIVATE
from services.web.http.session import Session, Sessions, check_player
from services.web.play.invitation import read_invitation
from services.web.play.seat_pass import SeatPass, SeatPasses
from services.web.seat import Payer
from services.web.words import TONGUES, Tongue
from services.web.words.services.told import translate_words


class Join:
    """Handlers of this page. are_guests_welcome: people without an account may play."""

    def __init__(
        self, arena: Arena, sessions: Sessions, passes: SeatPasses, frame: Frame, *, are_guests_welcome: bool
    ) -> None:
        self._arena, self._sessions, self._passes, self._frame = arena, sessions, passes, frame
        self._are_guests_welcome = are_guests_welcome

    async def show_invitation(self, request: Request) -> Response:
        """Ask whether to sit down; a script takes the invitation from the address, or it is pasted."""
        return await self._show_page(request)

    async def _show_page(self, request: Request, status: int = 200, refused: str = "") -> Response:
        session = await self._sessions.find_session(request)
        may_play = bool(session) or self._are_guests_welcome
        response = self._frame.render_private(
            request, "play_join", session, status, here="play", may_play=may_play, refused=refused
        )
        if may_play and not session:
            self._passes.meet_guest(request, response)
        return response

    async def sit_down(self, request: Request) -> Response:
        """Take the seat of an invitation and lead to the table, or say why that cannot be."""
        session = await self._sessions.find_session(request)
        form = await read_form(request)
        check_player(session, form.get("form_token"), are_guests_welcome=self._are_guests_welcome)
        t = TONGUES[language_of(request)]
        try:
            token = read_invitation(form.get("invite"), t)
            await self._take_seat(request, session, token)
        except (BadRequest, BadSeatToken, UnknownTable, SeatTaken, TableEnded) as error:
            is_unknown = isinstance(error, BadSeatToken)
            status = 404 if is_unknown else problem.of_error(error, request.url.path).status
            return await self._show_page(
                request, status, await self._word_refusal(t, error, form.get("invite"))
            )
        one = SeatPass(token, is_guest=False, has_own_calls=form.get("calls") == "own", is_friend=True)
        response = RedirectResponse(f"/play/{one.table_id}", 303, PRIVATE)
        self._passes.give_pass(response, one)
        return response

    async def _take_seat(self, request: Request, session: Session | None, token: str) -> None:
        """Come to the seat; the same browser, or account, may come again."""
        if session:
            claim = self._passes.name_claim(f"account {session.account}")
        elif guest := self._passes.read_guest(request):
            claim = self._passes.name_claim(f"guest {guest}")
        else:
            raise BadRequest(TONGUES[language_of(request)]("join_no_cookie"))
        payer = Payer(token=self._sessions.read_token(request)) if session else None
        await self._arena.take_seat(token, claim, payer)

    async def _word_refusal(self, t: Tongue, error: MaumauError, given: object) -> str:
        """Return why an invitation leads nowhere, in a sentence."""
        if isinstance(error, BadRequest):
            return str(error)
        if isinstance(error, SeatTaken):
            return t("join_used")
        if isinstance(error, TableEnded):
            table = await self._arena.get_table(read_invitation(given, t).split("/")[0])
            if table.state != "void":
                return t("join_over")
            words, _ = translate_words(table.words, t.language)
            return t("join_expired", words=words)
        return t("join_gone")
