"""Logins at a provider that are under way: in a cookie of the browser that began them, sealed by the page."""

import base64
import hashlib
import hmac
import secrets
import time
from typing import Final, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

LASTS: Final = 600  # seconds
LONGEST: Final = 3000  # characters of a cookie


class Flow(msgspec.Struct, frozen=True):
    """A question to the provider. link: the account that is to have the login; empty for a login."""

    state: str
    nonce: str
    verifier: str
    target: str
    link: str
    at: int


class Ticket(msgspec.Struct, frozen=True):
    """The person whom the provider has named, and has no account yet. link: as in Flow."""

    issuer: str
    subject: str
    name: str
    link: str
    at: int


T = TypeVar("T", Flow, Ticket)


def begin_flow(target: str, link: str = "") -> Flow:
    """Return a new question, whose state, nonce and verifier nobody guesses."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    return Flow(state, nonce, verifier, target, link, int(time.time()))


class FlowCookies:
    """The reader and writer of these cookies, which a browser sends when the provider redirects it back."""

    def __init__(self, key: str, *, secure: bool) -> None:
        self._key, self._secure = key, secure
        self._prefix = "__Host-" if secure else ""

    def write(self, response: Response, kept: Flow | Ticket) -> None:
        """Keep it in the browser for some minutes."""
        body = base64.urlsafe_b64encode(msgspec.json.encode(kept)).decode()
        self._set(response, type(kept), f"{body}.{self._seal(type(kept), body)}", LASTS)

    def clear(self, response: Response, kind: type[Flow | Ticket]) -> None:
        """Delete it."""
        self._set(response, kind, "", 0)

    def read(self, request: Request, kind: type[T]) -> T | None:
        """Return what this page has kept in the browser, unless it is too old."""
        text = request.cookies.get(self._name(kind), "")
        body, _, seal = text.partition(".")
        if len(text) > LONGEST or not hmac.compare_digest(seal.encode(), self._seal(kind, body).encode()):
            return None
        found = msgspec.json.decode(base64.urlsafe_b64decode(body), type=kind)
        return found if abs(time.time() - found.at) < LASTS else None

    def _name(self, kind: type[Flow | Ticket]) -> str:
        return f"{self._prefix}maumau-{kind.__name__.lower()}"

    def _set(self, response: Response, kind: type[Flow | Ticket], value: str, seconds: int) -> None:
        name, secure = self._name(kind), self._secure
        response.set_cookie(
            name, value, max_age=seconds, path="/", httponly=True, samesite="lax", secure=secure
        )

    def _seal(self, kind: type[Flow | Ticket], body: str) -> str:
        said = f"{kind.__name__} {body}".encode()
        return hmac.new(self._key.encode(), said, hashlib.sha256).hexdigest()
