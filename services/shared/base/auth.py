"""Callers: the account behind a token, its scopes, and what they suffice for."""

import re
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from maumau.errors import BadRequest, MissingToken, NotAllowed, NotYours

SCOPES = ("author", "organiser", "admin", "worker", "reader")
HOUSE = "house"
OWN = (HOUSE, "admin")
"""The arena's own accounts; all others are strangers'."""


GUEST_PREFIX: Final = "guest:"
GUEST_NAME: Final = "guest"
NETWORK_PREFIX: Final = "network:"
GUEST: Final = re.compile(r"[0-9a-f]{16,64}")


class Need(Enum):
    """The callers that an RPC admits. Organisers may do all that authors may, and admins everything."""

    PUBLIC = "anyone, with a token or without"
    ANY = "everybody with a token"
    AUTHOR = "authors"
    GUEST = "authors, and the arena's page for a guest"
    ORGANISER = "organisers"
    LEADER = "organisers of the arena or of a group"
    WORKER = "workers"
    SERVICE = "the arena's own services"
    PAGE = "the arena's page"
    ADMIN = "admins"


ENOUGH = {
    Need.PUBLIC: set(SCOPES),
    Need.ANY: set(SCOPES),
    Need.AUTHOR: {"author", "organiser", "admin"},
    Need.GUEST: {"author", "organiser", "admin", "reader"},
    Need.ORGANISER: {"organiser", "admin"},
    Need.LEADER: {"organiser", "admin"},
    Need.WORKER: {"worker", "admin"},
    Need.SERVICE: {"admin"},
    Need.PAGE: {"reader", "admin"},
    Need.ADMIN: {"admin"},
}


@dataclass(frozen=True)
class Identity:
    """The account behind a token, its scopes, and its end (milliseconds since 1970; None: never).

    token_id: id of the token, known where tokens are stored. host: whose workers use it, "" for none.
    groups, led: the account's groups, and those that it organises; team: the one that it is in, "" for none.
    They are known where the registry is asked.
    """

    account_id: str
    name: str
    scopes: frozenset[str]
    expires_at: int | None = None
    token_id: str = ""
    host: str = ""
    groups: frozenset[str] = frozenset()
    led: frozenset[str] = frozenset()
    team: str = ""

    def may(self, need: Need) -> bool:
        if need is Need.LEADER and self.led and "author" in self.scopes:
            return True
        return bool(self.scopes & ENOUGH[need]) or (need is Need.SERVICE and self.is_service)

    @property
    def owner(self) -> str:
        """The name of the owner of what the account makes: its team, or itself without one."""
        return self.team or self.name

    def owns(self, owner: str) -> bool:
        """Return True if what belongs to this account or team is the caller's."""
        return owner in (self.name, self.team) and bool(owner)

    @property
    def is_bounded(self) -> bool:
        """True if its calls and streams are limited: not those of workers, admins and the arena's page."""
        return not self.scopes & {"admin", "worker", "reader"}

    @property
    def is_of_host(self) -> bool:
        """True for a token of a host, for its workers."""
        return "worker" in self.scopes and not self.is_service

    @property
    def is_service(self) -> bool:
        """True for the worker token of the settings, which does not expire: a host's does."""
        return "worker" in self.scopes and self.expires_at is None


_caller: ContextVar[Identity | None] = ContextVar("caller", default=None)


def caller() -> Identity | None:
    """Return the caller, inside a handler; None for a public call without a token."""
    return _caller.get()


def set_caller(who: Identity) -> None:
    """Set the caller of the handler that runs next in this context."""
    _caller.set(who)


def identity() -> Identity:
    """Return the caller, inside a handler that needs a token; raise MissingToken without one."""
    if (who := _caller.get()) is None:
        raise MissingToken
    return who


def check_owner(who: Identity, owner: str, what: str, hint: str = "") -> None:
    """Raise NotYours unless the caller is the account that owns it, in the team that does, or an admin.

    what: its name, or its id. hint: a sentence added to the message.
    """
    if not who.owns(owner) and not who.may(Need.ADMIN):
        raise NotYours(" ".join(filter(None, (f"{what} belongs to {owner}, not to {who.name}.", hint))))


def find_owner(guest: str) -> Identity:
    """Return who makes a table or invites house bots: the caller, or the guest for whom the page calls.

    A guest has an account id of its own, which no account of the registry can have, so that limits by account
    hold for it; raise NotAllowed for other callers that name a guest, and for a page that names none.
    """
    who = identity()
    if not guest:
        if not who.may(Need.AUTHOR):
            raise NotAllowed("The page makes tables for guests only, and says for which.")
        return who
    if not who.may(Need.PAGE):
        raise NotAllowed("Only the arena's page has guests.")
    if not GUEST.fullmatch(guest):
        raise BadRequest("A guest is named by 16 to 64 hexadecimal digits.", field="guest")
    return replace(who, account_id=f"{GUEST_PREFIX}{guest}", name=GUEST_NAME, scopes=frozenset({"author"}))


def find_network(network: str, guest: str) -> str:
    """Return the owner by which all guests of a network are counted together; "" if none is named."""
    if not network:
        return ""
    if not guest or not GUEST.fullmatch(network):
        raise BadRequest("A network is named by 16 to 64 hexadecimal digits, for a guest.", field="network")
    return f"{NETWORK_PREFIX}{network}"
