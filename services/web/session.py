"""Who is logged in: a cookie with a token of the registry's, and a seal that says this page made it.

The page keeps no list of sessions: the registry knows the token, ends it with the one that made it, and every
replica of the page finds it there. The seal lets forged cookies be refused without asking anybody.
"""

import hashlib
import hmac
import re
from datetime import UTC, datetime
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from maumau.client import Arena
from maumau.errors import BadRequest, ExpiredToken, NotAllowed, RevokedToken, UnknownToken
from maumau.matchmaking import Matchmaking
from services.shared.lane import Lane

COOKIE: Final = re.compile(r"(mm_[A-Za-z0-9_-]{43})\.([0-9a-f]{64})")
REQUEST_ID: Final = re.compile(r"request_[0-9a-f]{24}")
"""The hidden field of a form that was drawn here (`maumau.link.new_request_id`)."""
PRIVATE: Final = re.compile(r"/me(/[A-Za-z0-9_.~/%-]*)?(\?[A-Za-z0-9_.~/%=&-]*)?")
"""Addresses that a login may lead to."""
HOME: Final = "/me"
CALLS: Final = 16
"""Calls for people that wait for an answer at once; those after them wait, and nobody else does."""


class NotLoggedIn(Exception):
    """This page is for somebody who has logged in. had: whether there was a cookie that holds no more."""

    def __init__(self, *, had: bool) -> None:
        super().__init__()
        self.had = had


class Session(NamedTuple):
    """Somebody who has logged in. arena, matchmaking: their calls with his token.

    form_token: it stands in his forms.
    """

    account: str
    is_organiser: bool
    expires_at: datetime | None
    form_token: str
    arena: Arena
    matchmaking: Matchmaking

    def with_request_id(self, request_id: str) -> "Session":
        """The same person, for what one form asks for: sent twice, it is made once and answered alike."""
        return self._replace(
            arena=self.arena.with_request_id(request_id),
            matchmaking=self.matchmaking.with_request_id(request_id),
        )


class Sessions:
    """Reads and writes the cookie. people, matchmaking: clients without token; key: of all replicas.

    call_for_person: threads of their own for what is asked for people: a service that is slow for them stops
    no other page.
    """

    def __init__(self, people: Arena, matchmaking: Matchmaking, key: str, *, secure: bool) -> None:
        self._people, self._matchmaking, self._key, self._secure = people, matchmaking, key, secure
        self.call_for_person = Lane("people", CALLS)
        self._name = "__Host-maumau" if secure else "maumau"

    async def need(self, request: Request) -> Session:
        """Who asks; NotLoggedIn if nobody has."""
        token = self._token(request)
        if not token:
            raise NotLoggedIn(had=self._name in request.cookies)
        arena = self._people.with_token(token)
        try:
            who = await self.call_for_person(arena.who)
        except (UnknownToken, ExpiredToken, RevokedToken):
            raise NotLoggedIn(had=True) from None
        is_organiser = "organiser" in who.scopes
        matchmaking = self._matchmaking.with_token(token)
        form_token = self._seal("form", token)
        return Session(who.account_name, is_organiser, who.expires_at, form_token, arena, matchmaking)

    async def find(self, request: Request) -> Session | None:
        """Who asks, if anybody has logged in."""
        try:
            return await self.need(request)
        except NotLoggedIn:
            return None

    def open(self, response: Response, token: str, expires_at: datetime | None) -> None:
        """From now on the browser has this session, until its token ends."""
        left = int((expires_at - datetime.now(UTC)).total_seconds()) if expires_at else None
        self._set(response, f"{token}.{self._seal('session', token)}", left)

    def close(self, response: Response) -> None:
        """The browser forgets it."""
        self._set(response, "", 0)

    def _set(self, response: Response, value: str, seconds: int | None) -> None:
        response.set_cookie(
            self._name,
            value,
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )

    def _token(self, request: Request) -> str:
        """The token of a cookie that this page made; else ""."""
        found = COOKIE.fullmatch(request.cookies.get(self._name, ""))
        if found and hmac.compare_digest(found[2], self._seal("session", found[1])):
            return found[1]
        return ""

    def _seal(self, what: str, token: str) -> str:
        return hmac.new(self._key.encode(), f"{what} {token}".encode(), hashlib.sha256).hexdigest()


def check_request_id(given: object) -> str:
    """The id that a form was drawn with; BadRequest for a form that the page did not draw."""
    if not (isinstance(given, str) and REQUEST_ID.fullmatch(given)):
        raise BadRequest("This form has no request id; load the page again.", field="request_id")
    return given


def check_form_token(session: Session, given: object) -> None:
    """NotAllowed for a form that this session was not given."""
    if not (isinstance(given, str) and hmac.compare_digest(given.encode(), session.form_token.encode())):
        raise NotAllowed("This form belongs to an earlier login; go back, reload the page and send it again.")


def safe_target(wanted: str) -> str:
    """Where a login leads: an own private page, and nowhere else, whatever the address says."""
    path = wanted.partition("?")[0].lower().replace("%2e", ".")
    is_below = PRIVATE.fullmatch(wanted) and "//" not in wanted and "/." not in path
    return wanted if is_below else HOME
