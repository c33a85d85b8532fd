"""The page on which one plays a deal on that has been played: from a moment of it, or from its first card."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from maumau.bots import HOUSE
from maumau.errors import BadRequest, MaumauError
from services.web.delivery.frame import Frame, language_of
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.session import Sessions, check_player, check_request_id
from services.web.play.lobby import STRONGEST_FIRST, Wish
from services.web.play.moment import Moments, PlayedMoment
from services.web.play.opponents import Opponent
from services.web.play.pages import Play, word_refused_deal
from services.web.play.seat_pass import SeatPasses
from services.web.play.seat_view import find_traits
from services.web.words import TONGUES, Tongue


class PlayOn:
    """Handlers of this page. are_guests_welcome: people without an account may play."""

    def __init__(
        self,
        play: Play,
        moments: Moments,
        sessions: Sessions,
        passes: SeatPasses,
        frame: Frame,
        *,
        are_guests_welcome: bool,
    ) -> None:
        self._play, self._moments, self._sessions, self._passes = play, moments, sessions, passes
        self._frame, self._are_guests_welcome = frame, are_guests_welcome

    async def show_moment(self, request: Request) -> Response:
        """Show from where one plays on, and against whom."""
        moment = await self._moments.find_moment(request, request.query_params, TONGUES[language_of(request)])
        return await self._show_page(request, moment, str(request.query_params.get("bot") or ""))

    async def _show_page(
        self, request: Request, moment: PlayedMoment, bot: str = "", status: int = 200, refused: str = ""
    ) -> Response:
        session = await self._sessions.find_session(request)
        may_play = bool(session) or self._are_guests_welcome
        champion = await self._find_champion(moment)
        known = (*((champion.name,) if champion else ()), *STRONGEST_FIRST)
        response = self._frame.render_private(
            request,
            "play_from",
            session,
            status,
            here="play",
            moment=moment,
            champion=champion,
            bots=STRONGEST_FIRST,
            chosen=bot if bot in known else known[0],
            has_calls=find_traits(moment.rules, variant_toml=moment.start.variant_toml).has_calls,
            may_play=may_play,
            refused=refused,
        )
        if may_play and not session:
            self._passes.meet_guest(request, response)
        return response

    async def _find_champion(self, moment: PlayedMoment) -> Opponent | None:
        found = await self._play.opponents.list_players(moment.rules, len(moment.names))
        return choose_champion(found, moment.contest)

    async def sit_down(self, request: Request) -> Response:
        """Make the table and lead to it, or say why that cannot be."""
        t, session = TONGUES[language_of(request)], await self._sessions.find_session(request)
        form = await read_form(request)
        token = form.get("form_token")
        check_player(session, token, are_guests_welcome=self._are_guests_welcome)
        moment = await self._moments.find_moment(request, form, t)
        try:
            wish = _read_wish(form, moment, await self._find_champion(moment), t)
            request_id = check_request_id(form.get("request_id"))
            return self._play.lead_to(await self._play.open_once(request, session, request_id, wish))
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            words = str(error) if isinstance(error, BadRequest) else word_refused_deal(t, error)
            return await self._show_page(request, moment, str(form.get("bot") or ""), status, words)


def choose_champion(players: Sequence[Opponent], contest: str) -> Opponent | None:
    """Return the winner of the deal's own contest, or else the strongest bot that plays people."""
    return next((one for one in players if contest in one.won), players[0] if players else None)


def _read_wish(given: Mapping[str, Any], moment: PlayedMoment, champion: Opponent | None, t: Tongue) -> Wish:
    bot = str(given.get("bot") or "")
    if bot not in HOUSE and not (champion and bot == champion.name):
        raise BadRequest(t("play_wrong_bot"), field="bot")
    return Wish(
        moment.rules, len(moment.names), bot, has_own_calls=given.get("calls") == "own", start=moment.start
    )
