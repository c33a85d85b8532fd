"""Who calls, and what he may: bearer tokens, scopes, and a table with one line for each RPC."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any

from maumau.errors import ArenaUnreachable, MissingToken, NotAllowed
from services.shared.guess import REFUSALS, Guesses

SCOPES = ("author", "organiser", "admin", "worker", "reader")
VOUCHER = "x-vouched-by"
"""The metadata in which a service sends its own token when it asks whose a host's is: it has seen that host's
certificate itself."""
OWN = ("house", "admin")
"""The arena's own accounts; all others are strangers'."""


class Need(Enum):
    """Whom an RPC is for. An organiser may do all that an author may, and an admin what anybody may."""

    PUBLIC = "anyone, with a token or without"
    ANY = "everybody with a token"
    AUTHOR = "authors"
    ORGANISER = "organisers"
    WORKER = "workers"
    SERVICE = "the arena's own services"
    PAGE = "the arena's page"
    ADMIN = "admins"


ENOUGH = {
    Need.PUBLIC: set(SCOPES),
    Need.ANY: set(SCOPES),
    Need.AUTHOR: {"author", "organiser", "admin"},
    Need.ORGANISER: {"organiser", "admin"},
    Need.WORKER: {"worker", "admin"},
    Need.SERVICE: {"admin"},
    Need.PAGE: {"reader", "admin"},
    Need.ADMIN: {"admin"},
}


@dataclass(frozen=True)
class Identity:
    """The account behind a token, what the token allows, and when it ends (milliseconds; None: never).

    token_id: the token itself, known where tokens are kept. host: whose workers it is for, "" for none.
    """

    account_id: str
    name: str
    scopes: frozenset[str]
    expires_at: int | None = None
    token_id: str = ""
    host: str = ""

    def may(self, need: Need) -> bool:
        return bool(self.scopes & ENOUGH[need]) or (need is Need.SERVICE and self.is_service)

    @property
    def is_bounded(self) -> bool:
        """Whether the number of its calls and streams is; not for workers, admins and the arena's page."""
        return not self.scopes & {"admin", "worker", "reader"}

    @property
    def is_of_host(self) -> bool:
        """With a host's own token, for workers."""
        return "worker" in self.scopes and not self.is_service

    @property
    def is_service(self) -> bool:
        """With the token of the settings, which does not end: a host's own one does."""
        return "worker" in self.scopes and self.expires_at is None


Authenticate = Callable[[str], Awaitable[Identity]]

_caller: ContextVar[Identity | None] = ContextVar("caller", default=None)


def caller() -> Identity | None:
    """Who calls, inside a handler; None for a public call without a token."""
    return _caller.get()


def identity() -> Identity:
    """Who calls, inside a handler that needs a token."""
    if (who := _caller.get()) is None:
        raise MissingToken
    return who


class Gate:
    """The tables of every service on one server: full method name to need, and who knows the tokens.

    are_hosts_certified: whether a host's token is accepted only from callers that show its certificate.
    """

    def __init__(self, *, are_hosts_certified: bool = False) -> None:
        self.are_hosts_certified = are_hosts_certified
        self.rules: dict[str, tuple[Need, Authenticate]] = {}
        self._guesses = Guesses()

    def add(self, service: Any, needs: Mapping[str, Need], authenticate: Authenticate) -> None:
        """`service` is a protobuf service descriptor; every one of its methods must have a line."""
        methods = {method.name for method in service.methods}
        if wrong := methods ^ needs.keys():
            raise ValueError(f"{service.full_name}: needs and methods differ in {', '.join(sorted(wrong))}")
        for name, need in needs.items():
            self.rules[f"/{service.full_name}/{name}"] = (need, authenticate)

    async def enter(
        self, method: str, metadata: Mapping[str, str], address: str = "", names: Collection[str] = ()
    ) -> None:
        """Lets the call in and sets its caller; methods without a rule (health, reflection) are open.

        address: the caller's host. names: those in the certificate that he shows.
        """
        if method not in self.rules:
            return
        need, authenticate = self.rules[method]
        token = _bearer(metadata)
        if not token:
            if need is not Need.PUBLIC:
                raise MissingToken
            return
        who = await self._known(token, address, authenticate)
        if not who.may(need):
            raise NotAllowed(
                f"Only {need.value} may do this. It takes a token with the scope {_list_enough(need)};"
                f" {who.name}'s token has {_list(who.scopes)}."
            )
        shows = self.are_hosts_certified and who.is_of_host
        if shows and not await self._is_vouched(metadata.get(VOUCHER, ""), authenticate):
            _check_host(who, names)
        _caller.set(who)

    async def _is_vouched(self, voucher: str, authenticate: Authenticate) -> bool:
        """Whether the caller is a service, by its own token. Raises ArenaUnreachable if nobody has that one:
        the service must not take this for a refusal of the host's."""
        if not voucher:
            return False
        try:
            return (await authenticate(voucher)).is_service
        except REFUSALS:
            words = "The service that asks whose a host's token is shows a token that nobody has."
            raise ArenaUnreachable(words) from None

    async def _known(self, token: str, address: str, authenticate: Authenticate) -> Identity:
        self._guesses.check(token, address)
        try:
            who = await authenticate(token)
        except REFUSALS as error:
            self._guesses.refused(token, address, error)
            raise
        self._guesses.accepted(token)
        return who


def _check_host(who: Identity, names: Collection[str]) -> None:
    if not names:
        raise NotAllowed("A host's token is accepted only with a certificate, on the port for workers.")
    if who.host and who.host not in names:
        raise NotAllowed(f"The token is for {who.host}, the certificate for {', '.join(sorted(names))}.")


def _bearer(metadata: Mapping[str, str]) -> str:
    kind, _, token = metadata.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _list_enough(need: Need) -> str:
    *others, last = (scope for scope in SCOPES if scope in ENOUGH[need])
    return f"{', '.join(others)} or {last}" if others else last


def _list(scopes: frozenset[str]) -> str:
    return " and ".join(sorted(scopes)) or "none"
