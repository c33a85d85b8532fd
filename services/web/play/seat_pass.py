"""The cookies with which a browser plays, sealed so that only this page can have made them.

A seat's cookie is bound to the addresses of its table and of its stream, so that a browser sends it nowhere
else, and holds the seat's token: the page keeps no list of seats, and every replica of it can go on with a
table. A guest's cookie is a word by which the arena counts what this browser has; it is kept for a day.
"""

import hashlib
import hmac
import re
import secrets
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from maumau.errors import NotAllowed, UnknownTable
from services.web.http.route import STREAM

SECONDS: Final = 2 * 86_400  # as long as the engine keeps a table
GUEST_SECONDS: Final = 86_400  # for which nothing of a guest is kept longer
YEAR: Final = 365 * 86_400
VALUE: Final = re.compile(
    r"((table_[a-z0-9]{1,40}):[0-9]{1,2}:[A-Za-z0-9_-]{20,80})\.([gaf][01])"
    r"(?:\.((?:[0-9]:[A-Za-z0-9_-]{20,80}~){1,9}))?\.([0-9a-f]{64})",
    re.ASCII,
)
"""Token with colons for its slashes, which cookies may not have; flags; seats of friends; seal."""
TABLE_ID: Final = re.compile(r"table_[a-z0-9]{1,40}", re.ASCII)
DAY, NAMED = "maumau-day", "maumau-named"
"""Cookies without a secret: the attempt at the deal of the day, and the wish to be named."""
GUEST: Final = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})", re.ASCII)


class SeatPass(NamedTuple):
    """A seat that a browser plays.

    is_guest: of a guest's table. has_own_calls: the player says “Mau!”. is_friend: by an invitation.
    invites: tokens of the seats to which this player invites friends.
    """

    token: str
    is_guest: bool
    has_own_calls: bool
    is_friend: bool = False
    invites: tuple[str, ...] = ()

    @property
    def table_id(self) -> str:
        return self.token.split("/")[0]

    @property
    def seat(self) -> int:
        return int(self.token.split("/")[1])

    @property
    def is_among_people(self) -> bool:
        """True if other people may sit at the table."""
        return self.is_friend or bool(self.invites)

    @property
    def flags(self) -> str:
        """The flags as the cookie has them."""
        return ("f" if self.is_friend else "g" if self.is_guest else "a") + str(int(self.has_own_calls))


class SeatPasses:
    """Writer and reader of the cookies. key: of all replicas of the page."""

    def __init__(self, key: str, *, secure: bool) -> None:
        self._key, self._secure = key, secure
        self._name = "__Secure-maumau-seat" if secure else "maumau-seat"
        self._guest_name = "__Secure-maumau-guest" if secure else "maumau-guest"

    # --- seats ---

    def give_pass(self, response: Response, one: SeatPass) -> None:
        """Set the cookie of a seat."""
        value = f"{one.token.replace('/', ':')}.{one.flags}"
        if one.invites:
            seats = [token.partition("/")[2].replace("/", ":") + "~" for token in one.invites]
            value += f".{''.join(seats)}"
        seconds = GUEST_SECONDS if one.is_guest or one.is_friend else SECONDS
        self._store_cookie(response, one.table_id, f"{value}.{self._seal_text('seat', value)}", seconds)

    def take_back(self, response: Response, table_id: str) -> None:
        """Delete the cookie of a table."""
        self._store_cookie(response, table_id, "", 0)

    def require_pass(self, request: Request) -> SeatPass:
        """Return the seat that this browser has at the table in the address; raise UnknownTable if none."""
        table_id = str(request.path_params["id"])
        found = VALUE.fullmatch(request.cookies.get(self._name, ""))
        if found and found[2] == table_id and self._is_sealed("seat", found[0]):
            token, _, flags, friends, _ = found.groups()
            invites = [f"{table_id}/{one.replace(':', '/')}" for one in (friends or "").split("~") if one]
            return SeatPass(
                token.replace(":", "/"), flags[0] == "g", flags[1] == "1", flags[0] == "f", tuple(invites)
            )
        raise UnknownTable(thing=table_id[:80])

    def make_form_token(self, one: SeatPass) -> str:
        """Return the hidden field of the forms of a seat."""
        return self._seal_text("seat form", one.token)

    def check_form_token(self, one: SeatPass, given: object) -> None:
        """Raise NotAllowed for a form that is not of this seat."""
        if not (
            isinstance(given, str) and hmac.compare_digest(given.encode(), self.make_form_token(one).encode())
        ):
            raise NotAllowed("This form belongs to another table; go back and reload the page.")

    # --- guests ---

    def read_guest(self, request: Request) -> str:
        """Return the word of this browser; "" if it has none from this page."""
        found = GUEST.fullmatch(request.cookies.get(self._guest_name, ""))
        return found[1] if found and self._is_sealed("guest", found[0]) else ""

    def meet_guest(self, request: Request, response: Response) -> str:
        """Return the word of this browser, which gets one unless it has it."""
        if word := self.read_guest(request):
            return word
        word = secrets.token_hex(16)
        self._set_cookie(
            response, self._guest_name, f"{word}.{self._seal_text('guest', word)}", "/play", GUEST_SECONDS
        )
        return word

    def name_guest(self, word: str) -> str:
        """Return the word by which the arena counts what a browser has."""
        return self._seal_text("counted guest", word)[:32]

    def name_network(self, source: str) -> str:
        """Return the word by which the arena counts what an address has; it does not tell the address."""
        return self._seal_text("network", source)[:32]

    def name_claim(self, who: str) -> str:
        """Return the word with which a browser, or an account, comes to a seat by an invitation."""
        return self._seal_text("claim", who)[:32]

    # --- the deal of the day, and names ---

    def seal_day(self, word: str, day: str) -> str:
        """Return digits that follow from a day, a word and this arena's secret."""
        return self._seal_text(word, day)

    def keep_attempt(self, response: Response, day: str, table_id: str) -> None:
        """Let this browser find its attempt at the deal of a day again."""
        self._set_cookie(response, DAY, f"{day}:{table_id}", "/play/today", GUEST_SECONDS)

    def read_attempt(self, request: Request, day: str) -> str:
        """Return the table of this browser's attempt at the deal of a day; "" if it has none."""
        of, _, table_id = request.cookies.get(DAY, "").partition(":")
        return table_id if of == day and TABLE_ID.fullmatch(table_id) else ""

    def keep_named(self, response: Response, *, is_named: bool) -> None:
        """Remember whether this person wants to be named on the board."""
        self._set_cookie(response, NAMED, "1" if is_named else "", "/play", YEAR if is_named else 0)

    def is_named(self, request: Request) -> bool:
        """Return True if this person has chosen to be named, the last time."""
        return request.cookies.get(NAMED) == "1"

    # --- both ---

    def _store_cookie(self, response: Response, table_id: str, value: str, seconds: int) -> None:
        for path in (f"/play/{table_id}", f"{STREAM}/play/{table_id}"):
            self._set_cookie(response, self._name, value, path, seconds)

    def _set_cookie(self, response: Response, name: str, value: str, path: str, seconds: int) -> None:
        response.set_cookie(
            name,
            value,
            max_age=seconds,
            path=path,
            httponly=True,
            samesite="strict",
            secure=self._secure,
        )

    def _is_sealed(self, what: str, cookie: str) -> bool:
        value, _, seal = cookie.rpartition(".")
        return hmac.compare_digest(seal, self._seal_text(what, value))

    def _seal_text(self, what: str, text: str) -> str:
        return hmac.new(self._key.encode(), f"{what} {text}".encode(), hashlib.sha256).hexdigest()
