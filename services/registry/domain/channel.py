"""Addresses other than webhooks' that are told of events: mail, and rooms of chat services. Pure.

The schemes are those of Apprise; only these are taken: none of them touches a file, a program or a bus of the
arena's machine.
"""

import hmac
import re
from hashlib import sha256
from typing import Final

from maumau.errors import BadRequest
from services.registry.domain.webhook import ASCII, LONGEST_URL

MAIL: Final = "mailto"
CHATS: Final = {
    "discord": "discord",
    "slack": "slack",
    "matrix": "matrix",
    "matrixs": "matrix",
    "mmost": "mattermost",
    "mmosts": "mattermost",
    "ntfy": "ntfy",
    "ntfys": "ntfy",
    "rocket": "rocketchat",
    "rockets": "rocketchat",
    "tgram": "telegram",
    "zulip": "zulip",
}
"""The module of Apprise's plugin by the scheme."""
PLAIN: Final = frozenset({"matrix", "mmost", "ntfy", "rocket"})
"""Schemes without TLS, for the arena's own networks."""
OWN_SERVERS: Final = PLAIN | {f"{scheme}s" for scheme in PLAIN}
"""Schemes whose addresses name a server; the others have one for all."""
MAIL_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9!#$&'*+/=^_{|}~-]+(\.[A-Za-z0-9!#$&'*+/=^_{|}~-]+)*@"
    r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]"
)
LONGEST_MAIL: Final = 254
SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}")
LANGUAGES: Final = ("en", "de")
CONFIRM: Final = "confirm"
"""The kind of the notice that asks the owner of a mail address to confirm it."""
_PAGES: Final = (
    (re.compile(r"https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/(\d+)/([\w-]+)/?"), r"discord://\1/\2"),
    (re.compile(r"https://hooks\.slack\.com/services/(\w+)/(\w+)/(\w+)/?"), r"slack://\1/\2/\3"),
)
"""Addresses as Discord and Slack show them, which take no other events than their own, and their schemes."""


def find_scheme(url: str) -> str:
    """Return the scheme of an address for mail or chat; empty for a webhook's."""
    scheme = url.partition(":")[0].lower()
    return scheme if scheme == MAIL or scheme in CHATS else ""


def is_mail(url: str) -> bool:
    return find_scheme(url) == MAIL


def read_channel(url: str) -> str:
    """Return an address in the form in which it is stored; raise BadRequest if its scheme is not taken."""
    for pattern, form in _PAGES:
        if pattern.fullmatch(url):
            return pattern.sub(form, url)
    scheme, _, rest = url.partition(":")
    if scheme.lower() == MAIL:
        return _read_mail(rest)
    if scheme.lower() in {"http", "https"}:
        return url
    if not SCHEME.fullmatch(scheme) or not rest:  # it is not repeated: it may be a secret by itself
        raise BadRequest("An address begins with https://, mailto:, discord:// or the like.", field="url")
    if scheme.lower() not in CHATS or not rest.startswith("//"):
        known = ", ".join(["https", MAIL, *CHATS])
        words = f"The arena sends nothing to addresses that begin with {scheme!r}; it knows {known}."
        raise BadRequest(words, field="url")
    if len(url) > LONGEST_URL or not ASCII.fullmatch(url):
        words = f"An address has at most {LONGEST_URL} characters, all of them visible ASCII."
        raise BadRequest(words, field="url")
    return f"{scheme.lower()}:{rest}"


def _read_mail(rest: str) -> str:
    address = rest.removeprefix("//")
    if len(address) > LONGEST_MAIL or not MAIL_ADDRESS.fullmatch(address):
        raise BadRequest("A mail address has the form mailto:ana@example.org.", field="url")
    name, _, host = address.rpartition("@")
    return f"{MAIL}:{name}@{host.lower()}"


def read_language(text: str) -> str:
    """Return the language of messages; raise BadRequest if there is none of that name."""
    if text not in ("", *LANGUAGES):
        raise BadRequest(f"Messages are in {' or '.join(LANGUAGES)}, not {text[:20]!r}.", field="language")
    return text or LANGUAGES[0]


def make_key(secret: str, purpose: str) -> str:
    """Return the part of a link that only the reader of a mail knows. purpose: what it is good for."""
    return hmac.new(secret.encode(), purpose.encode(), sha256).hexdigest()[:40]


def is_key(given: str, secret: str, purpose: str) -> bool:
    return hmac.compare_digest(given.encode(), make_key(secret, purpose).encode())


def name_confirmation(webhook_id: str, until: int) -> str:
    """Return the purpose of a link that confirms an address; the next mail's differs."""
    return f"confirm {webhook_id} {until}"


def name_end(webhook_id: str) -> str:
    """Return the purpose of a link that ends all mail of a webhook."""
    return f"stop {webhook_id}"
