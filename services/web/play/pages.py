"""The handlers of play: the choice of a game, the table of a player, an action, leaving.

A person who has logged in plays under the account's name; where the settings allow it, others are guests,
whose tables are counted by their browser, and by the address they come from.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

import msgspec
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from maumau.bots import USUAL_OPPONENT
from maumau.errors import (
    BadRequest,
    MaumauError,
    NoHouseBot,
    NotYours,
    QuotaReached,
    TableEnded,
    TooManyCalls,
    UnknownTable,
)
from maumau.game import variants
from services.shared.base.auth import GUEST_NAME
from services.shared.base.peer import find_source
from services.shared.base.rate import Rates
from services.web.client import Arena
from services.web.delivery.cache import Cache
from services.web.delivery.frame import Frame, Live, LivePage, as_markup, language_of
from services.web.delivery.render import digest, tell_refusal
from services.web.delivery.stream import seen_id
from services.web.http import problem
from services.web.http.form import read_form
from services.web.http.response import PRIVATE
from services.web.http.session import NotLoggedIn, Session, Sessions, check_player, check_request_id
from services.web.play.invitation import Base, find_base, make_invitations
from services.web.play.lobby import (
    PLAYER_LEFT,
    STRONGEST_FIRST,
    Wish,
    make_lobby,
    open_table,
    read_rules,
    read_wish,
)
from services.web.play.moment import Start
from services.web.play.opponents import Opponents
from services.web.play.seat_pass import SeatPass, SeatPasses
from services.web.play.seat_view import PARTS, PlayView, SeatSource, draw_seat, publish_newer
from services.web.public.people import LISTED, Person, rank_people
from services.web.seat import Payer
from services.web.words import TONGUES, WORDS, Tongue

LINE: Final = 300  # characters of an action
DEALS_A_SECOND, DEALS = 0.1, 12
"""Tables that a person may open: per second on average, and at once after a rest."""
CLASS_A_SECOND, CLASS = 1.0, 60
"""These rates for all people at one address together, such as a school class."""
REMEMBERED: Final = 60.0  # seconds for which a form that is sent again leads to the same table
PEOPLE_SECONDS: Final = 20.0  # for which the board of people is kept
MOST_PICKED: Final = 40  # characters of the steps in an address


class HouseRules(NamedTuple):
    """Settings of play. page_url: the page's public address, or "". listens: the address it listens on."""

    are_guests_welcome: bool
    page_url: str = ""
    listens: str = ""


class Play:
    """Handlers of these pages."""

    def __init__(
        self, arena: Arena, sessions: Sessions, passes: SeatPasses, frame: Frame, house: "HouseRules"
    ) -> None:
        self._arena, self._sessions, self._passes, self._frame = arena, sessions, passes, frame
        self._house, self._are_guests_welcome = house, house.are_guests_welcome
        self._rates, self._opened = Rates(DEALS_A_SECOND, DEALS), Cache()
        self.opponents = Opponents(arena, frame.cache)
        self._rates_of_class = Rates(CLASS_A_SECOND, CLASS)
        self._page = LivePage("play_table", "play", self._find_live)

    # --- the choice of a game ---

    async def show_lobby(self, request: Request) -> Response:
        """Show the choice of a game; an address that asks for what there is not shows the usual one."""
        t = TONGUES[language_of(request)]
        try:
            return await self._show_lobby(request, await self._read_wish(request.query_params, t))
        except BadRequest as error:
            return await self._show_lobby(request, Wish(), 400, str(error))

    async def _read_wish(self, given: Mapping[str, Any], t: Tongue) -> Wish:
        """Return what a form or an address asks for; bots that play people are asked for only if one is."""
        name = given.get("bot")
        known = not name or name in STRONGEST_FIRST
        submitted = () if known else await self.opponents.list_players(read_rules(given, t))
        return read_wish(given, t, submitted)

    async def _show_lobby(
        self, request: Request, wish: Wish, status: int = 200, refused: str = ""
    ) -> Response:
        """Return the page. refused: what was refused, in the reader's language."""
        session = await self._sessions.find_session(request)
        values = {
            "lobby": make_lobby(wish, language_of(request), await self.opponents.list_players(wish.rules)),
            "bots": STRONGEST_FIRST,
            "people": await self._frame.cache.get("people", self._rank_people, lambda _: PEOPLE_SECONDS),
            "is_named": self._passes.is_named(request),
            "refused": refused,
        }
        may_play = bool(session) or self._are_guests_welcome
        response = self._frame.render_private(
            request, "play", session, status, here="play", may_play=may_play, **values
        )
        if may_play and not session:
            self._passes.meet_guest(request, response)  # so that a form sent twice comes from one guest
        return response

    async def _rank_people(self) -> tuple[Person, ...]:
        """Return the board of people; nobody while the engine is silent."""
        with suppress(MaumauError):
            return rank_people(await self._arena.list_tables(LISTED, ended=True), datetime.now(UTC))
        return ()

    async def deal_table(self, request: Request) -> Response:
        """Make a table and lead to it; a form sent twice leads to the same one."""
        t, session = TONGUES[language_of(request)], await self._sessions.find_session(request)
        form = await read_form(request)
        token = form.get("form_token")
        check_player(session, token, are_guests_welcome=self._are_guests_welcome)
        try:
            wish = await self._read_wish(form, t)
        except BadRequest as error:
            return await self._show_lobby(request, Wish(), 400, str(error))
        try:
            request_id = check_request_id(form.get("request_id"))
            one = await self.open_once(request, session, request_id, wish)
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            return await self._show_lobby(request, wish, status, word_refused_deal(t, error))
        response = self.lead_to(one)
        if session:
            self._passes.keep_named(response, is_named=wish.is_named)
        return response

    def lead_to(self, one: SeatPass) -> Response:
        """Return the way to a table, with the cookie of the seat."""
        response = RedirectResponse(f"/play/{one.table_id}", 303, PRIVATE)
        self._passes.give_pass(response, one)
        return response

    async def open_once(
        self, request: Request, session: Session | None, request_id: str, wish: Wish
    ) -> SeatPass:
        """Make the table of a form, once however often the form is sent."""
        source = find_source(request.client.host if request.client else "")
        if session:
            payer, name = Payer(token=self._sessions.read_token(request)), session.account
        else:
            guest = self._passes.read_guest(request) or source  # without cookies, an address is one guest
            network = self._passes.name_network(source)
            payer, name = Payer(guest=self._passes.name_guest(guest), network=network), GUEST_NAME

        async def open_one() -> SeatPass:
            if not (self._rates.take(payer.guest or name) and self._rates_of_class.take(source)):
                raise TooManyCalls("Many tables were opened from this address just now; wait a minute.")
            return await open_table(self._arena, wish, name, payer)

        return await self._opened.get((payer, request_id), open_one, lambda _: REMEMBERED)

    # --- the table ---

    def _find_live(self, request: Request) -> Live:
        return self._build_live(request, self._passes.require_pass(request))

    def _build_live(self, request: Request, one: SeatPass) -> Live:
        base = self._find_base(request) if one.invites else Base("", is_local=False)
        source = self._build_source(request, one)
        key = "play", one.token, str(one), str(base)
        return Live(key, PARTS, source.load_view, source.update_feed, draw_seat)

    def _build_source(self, request: Request, one: SeatPass) -> SeatSource:
        friends = make_invitations(one.invites, self._find_base(request)) if one.invites else ()
        return SeatSource(self._arena, one, friends)

    def _find_base(self, request: Request) -> Base:
        return find_base(request, self._house.page_url, self._house.listens)

    async def show_table(self, request: Request) -> Response:
        """Show the table to its player. `why` in the address names a card that may not be laid."""
        return await self._show_table(request, self._passes.require_pass(request))

    async def stream_table(self, request: Request) -> Response:
        """Return the stream of a player's table."""
        return await self._frame.stream_live(self._page, request)

    async def _show_table(
        self, request: Request, one: SeatPass, status: int = 200, refused: str = "", detail: str = ""
    ) -> Response:
        view, language = await self._build_source(request, one).load_view(), language_of(request)
        live, render = self._build_live(request, one), self._frame.renderer.render_part
        parts = {name: render(name, language, view=view, silent=0, picks=()) for name in live.parts}
        seen = seen_id([digest(text) for text in parts.values()])
        picks = _read_picks(request, view)
        refused = refused or view.tell_bars(TONGUES[language]).get(request.query_params.get("why", ""), "")
        if picks:
            parts["play_hand"] = render("play_hand", language, view=view, silent=0, picks=picks)
        stream = f"/stream/play/{one.table_id}"
        return self._frame.render_private(
            request,
            "play_table",
            None,
            status,
            here="play",
            view=view,
            parts=as_markup(parts),
            stream=stream,
            seen=seen,
            deal=draw_seat(view, language),
            pair=None,
            refused=refused,
            detail=detail,
            form_token=self._passes.make_form_token(one),
        )

    async def play_action(self, request: Request) -> Response:
        """Play an action. A script gets words if it was refused; without one the table is shown again."""
        one = self._passes.require_pass(request)
        form = await read_form(request)
        self._passes.check_form_token(one, form.get("form_token"))
        cursor, line = _read_action(form)
        op_id = hashlib.sha256(f"{cursor} {line}".encode()).hexdigest()[:32]
        reason, detail = await self._arena.play_action(one.token, cursor, op_id, line)
        await self._refresh_view(request, one)
        t = TONGUES[language_of(request)]
        words = _word_refusal(t, reason) if reason else ""
        detail = detail if reason in ("ILLEGAL_ACTION", "UNREADABLE_ACTION") else ""
        status = 409 if reason else 200
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"words": words, "detail": detail}, status, PRIVATE)
        if reason:
            return await self._show_table(request, one, status, words, detail)
        return RedirectResponse(f"/play/{one.table_id}", 303, PRIVATE)

    async def _refresh_view(self, request: Request, one: SeatPass) -> None:
        """Show the answer to whoever follows this seat, before the watch of the table says it."""
        live = self._build_live(request, one)
        if feed := self._frame.hub.find_feed(live.key):
            publish_newer(feed, await live.load())

    async def play_again(self, request: Request) -> Response:
        """Make another table like one that is over, and lead to it."""
        one, session = self._passes.require_pass(request), await self._sessions.find_session(request)
        form = await read_form(request)
        self._passes.check_form_token(one, form.get("form_token"))
        if not (session or self._are_guests_welcome):
            raise NotLoggedIn(had=False)
        view, t = await self._build_source(request, one).load_view(), TONGUES[language_of(request)]
        friends = 0 if one.is_friend else len(one.invites)
        bot = view.bot or USUAL_OPPONENT
        table = view.table
        if table.begun_lines and not table.record:
            raise BadRequest(t("from_over"))
        start = Start(table.start, one.seat, table.variant_toml) if table.begun_lines else None
        wish = Wish(table.rules, table.seats, bot, one.has_own_calls, friends, start, table.named)
        try:
            request_id = check_request_id(form.get("request_id"))
            return self.lead_to(await self.open_once(request, session, request_id, wish))
        except MaumauError as error:
            status = problem.of_error(error, request.url.path).status
            usual = wish if table.rules in variants() else Wish()
            return await self._show_lobby(request, usual, status, word_refused_deal(t, error))

    async def leave_table(self, request: Request) -> Response:
        """Let a player leave: the table ends, so that its bots are free; among people it goes on."""
        one = self._passes.require_pass(request)
        form = await read_form(request)
        self._passes.check_form_token(one, form.get("form_token"))
        try:
            if one.is_among_people:
                await self._arena.leave_seat(one.token)
            else:
                await self._close_table(request, one)
        except (TableEnded, UnknownTable):
            pass
        response = RedirectResponse("/play", 303, PRIVATE)
        self._passes.take_back(response, one.table_id)
        return response

    async def _close_table(self, request: Request, one: SeatPass) -> None:
        owner = Payer() if one.is_guest else Payer(token=self._sessions.read_token(request))
        try:
            await self._arena.close_table(one.table_id, PLAYER_LEFT, owner)
        except NotYours:
            raise NotYours("Only the account that opened this table can end it; log in again.") from None


def _read_picks(request: Request, view: PlayView) -> tuple[int, ...]:
    """Return the steps of a choice in the address, if they are of the question that is asked now."""
    if request.query_params.get("at") != str(view.cursor):
        return ()
    words = request.query_params.get("of", "")[:MOST_PICKED].split(".")
    return tuple(int(word) for word in words if word.isascii() and word.isdigit() and len(word) < 4)


def _read_action(form: FormData) -> tuple[int, str]:
    """Return the cursor of the question and the reply of a form; raise BadRequest if it has none."""
    cursor = str(form.get("cursor") or "")
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise BadRequest("This form does not say which question it answers; load the page again.")
    number = str(form.get("number") or "").strip()
    act = str(form.get("act") or form.get("typed") or (f"react:{number}" if number else "")).strip()
    if not act or len(act) > LINE:
        raise BadRequest(f"An action has 1 to {LINE} characters.", field="act")
    call = str(form.get("call") or "")
    called = act if call not in ("!", "!!") or act.endswith("!") else act + call
    also = [str(each)[:LINE] for each in form.getlist("also")]
    reply: Mapping[str, Any] = {"act": called, "also": also}
    return int(cursor), msgspec.json.encode(reply).decode() if also else called


def _word_refusal(t: Tongue, reason: str) -> str:
    return t(f"no_{reason}" if f"no_{reason}" in WORDS else "no_OTHER")


def word_refused_deal(t: Tongue, error: MaumauError) -> str:
    """Return why no table was made, in a sentence."""
    if isinstance(error, QuotaReached):
        return t("play_quota")
    if isinstance(error, TooManyCalls):
        return t("play_too_often")
    return t("play_no_bot") if isinstance(error, NoHouseBot) else tell_refusal(t, error)
