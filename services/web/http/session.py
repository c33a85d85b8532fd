"""Sessions: a cookie with a token of the registry, and a seal that proves this page made it.

The page keeps no list of sessions: the registry knows the token, ends it with the one that made it, and every
replica of the page can verify it there. The seal lets forged cookies be refused without a query.
"""

import hashlib
import hmac
import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from maumau.client.arena import Arena
from maumau.client.matchmaking import Matchmaking
from maumau.errors import BadRequest, ExpiredToken, NotAllowed, RevokedToken, UnknownToken
from services.shared.base.lane import Lane
from services.web.http.provider import Provider

COOKIE: Final = re.compile(r"(mm_[A-Za-z0-9_-]{43})\.([0-9a-f]{64})")
REQUEST_ID: Final = re.compile(r"request_[0-9a-f]{24}")
"""The hidden field of a form made by this page (`maumau.client.link.new_request_id`)."""
PRIVATE: Final = re.compile(r"/me(/[A-Za-z0-9_.~/%-]*)?(\?[A-Za-z0-9_.~/%=&-]*)?")
"""Addresses that a login may lead to."""
HOME: Final = "/me"
SLACK: Final = 1 << 20  # bytes of a form in addition to its files
CALLS: Final = 16
"""Concurrent calls on behalf of people; further ones wait, without affecting other pages."""


class NotLoggedIn(Exception):
    """The page requires a login. had: whether there was a cookie that is no longer valid."""

    def __init__(self, *, had: bool) -> None:
        super().__init__()
        self.had = had


class LoginParts(NamedTuple):
    """The parts of the login. people, matchmaking: clients without a token.

    key: the page's own token, which seals cookies.
    page_url: public address of the page, or "". upload_bytes: limit of a submission. names: of the
    page's host. are_guests_welcome: people without an account may play. listens: the address that the page
    listens on. provider: of logins elsewhere, if the arena has one. services_url: public address of the
    services, or "".
    """

    people: Arena
    matchmaking: Matchmaking
    key: str
    page_url: str
    upload_bytes: int
    names: Collection[str] = ()
    are_guests_welcome: bool = False
    listens: str = ""
    provider: Provider | None = None
    services_url: str = ""

    @property
    def upload_room(self) -> int:
        """The bytes of a form with a submission: files of a folder come unpacked."""
        return 2 * self.upload_bytes + SLACK


class Session(NamedTuple):
    """A person who has logged in. arena, matchmaking: clients with their token.

    form_token: a field of their forms. groups, led: the groups that they are in, and that they organise.
    team: the one that they are in, "" for none. is_organiser: they organise contests, for everybody or for a
    group.
    """

    account: str
    is_organiser: bool
    expires_at: datetime | None
    form_token: str
    arena: Arena
    matchmaking: Matchmaking
    groups: tuple[str, ...] = ()
    led: tuple[str, ...] = ()
    organises_public: bool = False
    team: str = ""

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners for whom the person acts: the account, and its team if it is in one."""
        return (self.account, self.team) if self.team else (self.account,)

    def with_request_id(self, request_id: str) -> "Session":
        """Return the session for one form: sent twice, it takes effect once and gets the same answer."""
        return self._replace(
            arena=self.arena.with_request_id(request_id),
            matchmaking=self.matchmaking.with_request_id(request_id),
        )


class Sessions:
    """The reader and writer of the cookie. people, matchmaking: clients without token; key: of all replicas.

    call_for_person: threads of their own for people's calls, so that a service slow for them delays
    no other page.
    """

    def __init__(self, people: Arena, matchmaking: Matchmaking, key: str, *, secure: bool) -> None:
        self._people, self._matchmaking, self._key, self._secure = people, matchmaking, key, secure
        self.call_for_person = Lane("people", CALLS)
        self._name = "__Host-maumau" if secure else "maumau"

    async def require_session(self, request: Request) -> Session:
        """Return the session of this request; raise NotLoggedIn if there is none."""
        token = self.read_token(request)
        if not token:
            raise NotLoggedIn(had=self._name in request.cookies)
        arena = self._people.with_token(token)
        try:
            who = await self.call_for_person(arena.who)
        except (UnknownToken, ExpiredToken, RevokedToken):
            raise NotLoggedIn(had=True) from None
        groups = tuple(one.group_name for one in who.groups)
        led = tuple(one.group_name for one in who.groups if one.role == "organiser")
        is_public = "organiser" in who.scopes
        matchmaking = self._matchmaking.with_token(token)
        form_token = self._seal_token("form", token)
        known = who.account_name, is_public or bool(led), who.expires_at, form_token, arena, matchmaking
        return Session(*known, groups=groups, led=led, organises_public=is_public, team=who.team_name)

    async def find_session(self, request: Request) -> Session | None:
        """Return the session of a request, if there is one."""
        try:
            return await self.require_session(request)
        except NotLoggedIn:
            return None

    def open_session(self, response: Response, token: str, expires_at: datetime | None) -> None:
        """Set the cookie of a session, until its token ends."""
        left = int((expires_at - datetime.now(UTC)).total_seconds()) if expires_at else None
        self._set_cookie(response, f"{token}.{self._seal_token('session', token)}", left)

    def close(self, response: Response) -> None:
        """Delete the cookie."""
        self._set_cookie(response, "", 0)

    def _set_cookie(self, response: Response, value: str, seconds: int | None) -> None:
        response.set_cookie(
            self._name,
            value,
            max_age=seconds,
            path="/",
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )

    def read_token(self, request: Request) -> str:
        """Return the token of a cookie that this page made; else an empty string."""
        found = COOKIE.fullmatch(request.cookies.get(self._name, ""))
        if found and hmac.compare_digest(found[2], self._seal_token("session", found[1])):
            return found[1]
        return ""

    def _seal_token(self, what: str, token: str) -> str:
        return hmac.new(self._key.encode(), f"{what} {token}".encode(), hashlib.sha256).hexdigest()


def check_request_id(given: object) -> str:
    """Return the request id of a form; raise BadRequest if the page did not make the form."""
    if not (isinstance(given, str) and REQUEST_ID.fullmatch(given)):
        raise BadRequest("This form has no request id; load the page again.", field="request_id")
    return given


def check_form_token(session: Session, given: object) -> None:
    """Raise NotAllowed for a form of another session."""
    if not (isinstance(given, str) and hmac.compare_digest(given.encode(), session.form_token.encode())):
        raise NotAllowed("This form belongs to an earlier login; go back, reload the page and send it again.")


def check_player(session: Session | None, given: object, *, are_guests_welcome: bool) -> None:
    """Raise unless the sender of a form may play. given: the form's token, which only a session has."""
    if session:
        check_form_token(session, given)
    elif not are_guests_welcome:
        raise NotLoggedIn(had=False)


def safe_target(wanted: str) -> str:
    """Return the target of a login: a private page of this site, whatever the address says."""
    path = wanted.partition("?")[0].lower().replace("%2e", ".")
    is_below = PRIVATE.fullmatch(wanted) and "//" not in wanted and "/." not in path
    return wanted if is_below else HOME
