"""Webhooks: kinds of events, addresses, secrets and signatures. Pure but for chance."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from maumau.errors import BadRequest

KINDS = (
    "bot.active",
    "bot.fault",
    "bot.refused",
    "bot.stalled",
    "bot.suspended",
    "contest.cancelled",
    "contest.decided",
    "contest.finished",
    "contest.opened",
    "contest.started",
    "ladder.overtaken",
    "webhook.disabled",
)
TEST = "test"
DISABLED = "webhook.disabled"

PREFIX = "whsec_"
SECRET_BYTES = 32
LONGEST_URL = 2000
MOST_CONTESTS = 50
LONGEST_NAME = 200
ASCII = re.compile(r"[!-~]+")
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?\.?|[0-9A-Fa-f:.]{2,45}")
DEFAULT_PORTS = {"https": 443, "http": 80}


class Target(NamedTuple):
    """The parts of a webhook's address. path: with the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


def read_target(url: str) -> Target:
    """Return the parts of an address; raise BadRequest if it is not one that can be told."""
    if len(url) > LONGEST_URL or not ASCII.fullmatch(url):
        raise _refuse_url(f"it has at most {LONGEST_URL} characters, all of them visible ASCII")
    try:
        found, port = urlsplit(url), urlsplit(url).port
    except ValueError:
        raise _refuse_url("its host or port cannot be read") from None
    if found.scheme not in DEFAULT_PORTS:
        raise _refuse_url("it begins with https://")
    if "@" in found.netloc or "#" in url or "\\" in url:
        raise _refuse_url("it has no user, no password, no fragment and no backslash")
    host = found.hostname or ""
    if not HOST.fullmatch(host):
        raise _refuse_url("it names no host")
    path = found.path or "/"
    return Target(
        found.scheme,
        host,
        DEFAULT_PORTS[found.scheme] if port is None else port,
        f"{path}?{found.query}" if found.query else path,
    )


def read_kinds(words: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds that are named, or all; the word before a dot stands for all that begin with it."""
    if not words:
        return KINDS
    found: set[str] = set()
    for word in words:
        named = {kind for kind in KINDS if kind == word or kind.startswith(f"{word}.")}
        if not named:
            raise BadRequest(f"There is no event {word[:80]!r}; there are {', '.join(KINDS)}.", field="kinds")
        found |= named
    return tuple(sorted(found))


def read_contests(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of followed contests, each once; there need be none of that name (yet)."""
    found = tuple(dict.fromkeys(names))
    if len(found) > MOST_CONTESTS or not all(0 < len(name) <= LONGEST_NAME for name in found):
        words = (
            f"A webhook follows up to {MOST_CONTESTS} contests, by names of up to {LONGEST_NAME} characters."
        )
        raise BadRequest(words, field="contests")
    return found


def new_secret() -> str:
    """Return a new secret in the form of Standard Webhooks."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign_message(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the header `webhook-signature`: HMAC-SHA256 of id, time and body, by Standard Webhooks."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b"%s.%d.%s" % (message_id.encode(), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def _refuse_url(why: str) -> BadRequest:
    return BadRequest(f"This cannot be the address of a webhook: {why}.", field="url")
