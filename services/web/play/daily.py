"""The page of the deal of the day: one attempt for everybody, and how those of the day before have gone.

Attempts of accounts and of guests are compared apart: a guest with new cookies can have another attempt.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import BadRequest, MaumauError, QuotaReached, UnknownTable
from services.shared.base import clock
from services.web.client import Arena
from services.web.delivery.frame import Frame, language_of
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.session import Session, Sessions, check_player, check_request_id
from services.web.play.day_deal import DayDeal, draw_day_deal, find_champion, list_attempts, read_attempts
from services.web.play.lobby import Wish
from services.web.play.pages import Play, word_refused_deal
from services.web.play.play_on import choose_champion
from services.web.play.seat_pass import SeatPasses
from services.web.play.seat_view import find_traits
from services.web.public.people import CHAMPIONS
from services.web.words import TONGUES, Tongue

PATH: Final = "/play/today"
SECONDS: Final = 20.0  # for which the attempts of a day are kept
SHOWN: Final = 200  # attempts of a day, the best of accounts and of guests
QUOTA: Final = "attempts at the deal of the day"
"""The quota that the engine names when somebody has had an attempt."""


def find_today() -> date:
    """Return the day in UTC."""
    return datetime.fromtimestamp(clock.now() / 1000, UTC).date()


class Daily:
    """Handlers of this page. are_guests_welcome: people without an account may play."""

    def __init__(
        self,
        play: Play,
        arena: Arena,
        sessions: Sessions,
        passes: SeatPasses,
        frame: Frame,
        *,
        are_guests_welcome: bool,
    ) -> None:
        self._play, self._arena, self._sessions, self._passes = play, arena, sessions, passes
        self._frame, self._are_guests_welcome = frame, are_guests_welcome
        self._known: tuple[date, str] | None = None  # a day's champion, which stays once it has played

    async def show(self, request: Request) -> Response:
        """Show today's deal, and how yesterday's was played."""
        return await self._page(request)

    async def _page(self, request: Request, status: int = 200, refused: str = "") -> Response:
        session, today = await self._sessions.find_session(request), find_today()
        one = draw_day_deal(today, self._passes.seal_day)
        may_play = bool(session) or self._are_guests_welcome
        response = self._frame.render_private(
            request,
            "play_today",
            session,
            status,
            here="play",
            one=one,
            champion=await self._find_champion(one),
            mine=await self._find_attempt(request, today),
            yesterday=await self._read_yesterday(today - timedelta(days=1)),
            has_calls=find_traits(one.rules).has_calls,
            is_named=self._passes.is_named(request),
            may_play=may_play,
            refused=refused,
        )
        if may_play and not session:
            self._passes.meet_guest(request, response)
        return response

    async def _find_attempt(self, request: Request, today: date) -> str:
        """Return the table of this browser's attempt; "" if there is none, or its deal never began."""
        table_id = self._passes.read_attempt(request, today.isoformat())
        if not table_id:
            return ""
        try:
            table = await self._arena.get_table(table_id)
        except UnknownTable:
            return ""
        return "" if table.state == "void" and len(table.joined) < table.seats else table_id

    async def _find_champion(self, one: DayDeal) -> str:
        """Return the bot that plays against everybody that day: that of the first attempt if any."""
        if self._known and self._known[0] == one.day:
            return self._known[1]
        if first := find_champion(list_attempts(one, await self._arena.attempts(one.day.isoformat()))):
            self._known = one.day, first
            return first
        players = await self._play.opponents.list_players(one.rules, one.seats)
        best = choose_champion(players, "")
        return best.name if best else CHAMPIONS[0]

    async def _read_yesterday(self, day: date) -> dict[str, Any]:
        """Return yesterday's deal with its attempts; none while the engine is silent."""

        async def read() -> dict[str, Any]:
            one = draw_day_deal(day, self._passes.seal_day)
            tables = list_attempts(one, await self._arena.attempts(day.isoformat()))
            champion = find_champion(tables)
            attempts = read_attempts(tables, champion)
            accounts, guests = [
                [each for each in attempts if each.is_guest is guest] for guest in (False, True)
            ]
            shown = {"attempts": accounts[:SHOWN], "guests": guests[:SHOWN]}
            return {"one": one, "champion": champion, **shown, "played": (len(accounts), len(guests))}

        return await self._frame.cache.get(("day", day.isoformat()), read, lambda _: SECONDS)

    async def sit_down(self, request: Request) -> Response:
        """Make the table of an attempt and lead to it, or say why that cannot be."""
        t, session = TONGUES[language_of(request)], await self._sessions.find_session(request)
        form = await read_form(request)
        check_player(session, form.get("form_token"), are_guests_welcome=self._are_guests_welcome)
        one = draw_day_deal(find_today(), self._passes.seal_day)
        is_named = bool(session) and form.get("named") == "1"
        try:
            self._check(request, session, one, form.get("day"), t)
            wish = Wish(
                one.rules,
                one.seats,
                await self._find_champion(one),
                has_own_calls=form.get("calls") == "own" and find_traits(one.rules).has_calls,
                start=one.start,
                is_named=is_named,
                day=one.day.isoformat(),
            )
            request_id = check_request_id(form.get("request_id"))
            seat = await self._play.open_once(request, session, request_id, wish)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            return await self._page(request, status, _word_refusal(t, error))
        response = self._play.lead_to(seat)
        self._passes.keep_attempt(response, one.day.isoformat(), seat.table_id)
        if session:
            self._passes.keep_named(response, is_named=is_named)
        return response

    def _check(
        self, request: Request, session: Session | None, one: DayDeal, given: object, t: Tongue
    ) -> None:
        """Raise BadRequest, in words, for a form of another day, or a guest without a cookie."""
        if given != one.day.isoformat():
            raise BadRequest(t("day_is_over"), field="day")
        if not session and not self._passes.read_guest(request):
            raise BadRequest(t("join_no_cookie"))


def _word_refusal(t: Tongue, error: MaumauError) -> str:
    if isinstance(error, BadRequest):
        return str(error)
    if isinstance(error, QuotaReached) and error.quota == QUOTA:
        return t("day_played")
    return word_refused_deal(t, error)
