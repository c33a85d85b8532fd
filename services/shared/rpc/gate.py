"""Authentication and authorisation: bearer tokens, and a table with a line for each RPC."""

import hmac
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from maumau.errors import ArenaUnreachable, MissingToken, NotAllowed
from services.shared.base.auth import ENOUGH, SCOPES, Identity, Need, set_caller
from services.shared.rpc.guess import REFUSALS, Guesses
from services.shared.store.change import is_secret

VOUCHER = "x-vouched-by"
"""The metadata key for a service's own token in a query for a host's token: the service has verified that
host's certificate itself."""
ASKER = "x-asked-by"
"""The metadata in which a service sends its own token when it asks whose a token is: it has counted its own
callers' guesses, which must not become its own."""

Authenticate = Callable[[str], Awaitable[Identity]]
Recognise = Callable[[str], Awaitable[Identity | None]]
"""A function that returns the owner of a token, even if it is no longer valid."""


class Gate:
    """The gate of a server: for each full method name its need, and the function that authenticates.

    are_hosts_certified: whether a host's token is accepted only with its certificate.
    own_token: the token of the arena's services, "" if unknown.
    """

    def __init__(self, *, are_hosts_certified: bool = False, own_token: str = "") -> None:
        self.are_hosts_certified, self._own_token = are_hosts_certified, own_token
        self.rules: dict[str, tuple[Need, Authenticate]] = {}
        self._recognisers: dict[str, Recognise] = {}
        self._guesses = Guesses()

    def add(
        self,
        service: Any,
        needs: Mapping[str, Need],
        authenticate: Authenticate,
        recognise: Recognise | None = None,
    ) -> None:
        """Add a service's methods. Raise ValueError unless each method of its descriptor has a need.

        recognise: finds former callers, for methods whose answers contain no token.
        """
        methods = {method.name for method in service.methods}
        if wrong := methods ^ needs.keys():
            raise ValueError(f"{service.full_name}: needs and methods differ in {', '.join(sorted(wrong))}")
        for name, need in needs.items():
            self.rules[f"/{service.full_name}/{name}"] = (need, authenticate)
        for method in service.methods:
            if recognise and not is_secret(method.output_type):
                self._recognisers[f"/{service.full_name}/{method.name}"] = recognise

    async def enter(
        self, method: str, metadata: Mapping[str, str], address: str = "", names: Collection[str] = ()
    ) -> None:
        """Admit a call and set its caller; methods without a rule (health, reflection) are open.

        address: the caller's host. names: those in the caller's certificate.
        """
        if who := await self.identify(method, metadata, address, names):
            set_caller(who)

    async def identify(
        self, method: str, metadata: Mapping[str, str], address: str = "", names: Collection[str] = ()
    ) -> Identity | None:
        """Return the caller, None without a token; raise the refusal if the call is not allowed."""
        if method not in self.rules:
            return None
        need, authenticate = self.rules[method]
        token = _bearer(metadata)
        if not token:
            if need is not Need.PUBLIC:
                raise MissingToken
            return None
        who = await self._known(token, "" if self._is_own(metadata.get(ASKER, "")) else address, authenticate)
        await self._check(who, method, metadata, names)
        return who

    async def recognise(
        self, method: str, metadata: Mapping[str, str], names: Collection[str] = ()
    ) -> Identity | None:
        """Return who could make this call with the token before it ended; None if nobody could.

        That admits them to nothing but the answer of a change that they have made.
        """
        recognise = self._recognisers.get(method)
        who = await recognise(_bearer(metadata)) if recognise else None
        with suppress(NotAllowed):
            if who:
                await self._check(who, method, metadata, names)
                return who
        return None

    async def _check(
        self, who: Identity, method: str, metadata: Mapping[str, str], names: Collection[str]
    ) -> None:
        """Raise NotAllowed unless the scopes suffice for the method and the certificate for the host."""
        need, authenticate = self.rules[method]
        if not who.may(need):
            raise NotAllowed(
                f"Only {need.value} may do this. It takes a token with the scope {_list_enough(need)};"
                f" {who.name}'s token has {_list(who.scopes)}."
            )
        shows = self.are_hosts_certified and who.is_of_host
        if shows and not await self._is_vouched(metadata.get(VOUCHER, ""), authenticate):
            _check_host(who, names)

    async def _is_vouched(self, voucher: str, authenticate: Authenticate) -> bool:
        """Return True if the voucher is a service's own token.

        Raise ArenaUnreachable if it is unknown: otherwise the service would take that for a refusal of the
        host's token.
        """
        if not voucher:
            return False
        try:
            return (await authenticate(voucher)).is_service
        except REFUSALS:
            words = "The service that asks whose a host's token is shows a token that nobody has."
            raise ArenaUnreachable(words) from None

    def _is_own(self, token: str) -> bool:
        """Return True for the token of the arena's services, without a query."""
        return bool(self._own_token) and hmac.compare_digest(token.encode(), self._own_token.encode())

    async def _known(self, token: str, address: str, authenticate: Authenticate) -> Identity:
        """Return a token's owner; failed guesses count for the address, "" for none."""
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
