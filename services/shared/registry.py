"""The registry, as other services ask it: who has a token, and which version of a bot may be played."""

import hmac
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from maumau.call import rpc_errors
from maumau.errors import NotValidated, UnknownBot, UnknownVersion
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.shared import clock
from services.shared.auth import VOUCHER, Identity
from services.shared.client import connect_aio

REMEMBERED = 5.0  # seconds that a token's owner is not asked for again: so long a revoked one still holds
TOKENS_KEPT = 10_000  # tokens remembered
PLAYABLE = (pb.VERSION_STATE_VALID, pb.VERSION_STATE_ACTIVE, pb.VERSION_STATE_RETIRED)
STUB: Any = registry_pb2_grpc.RegistryServiceStub


class Version(NamedTuple):
    """What the registry says of a version that may be played; empty sets mean all.

    built_sha256: of what its build step left behind, and built_platform: where; empty if nothing is stored.
    """

    id: str
    bot_name: str
    account_name: str
    sha256: str
    rules: frozenset[str]
    seats: frozenset[int]
    built_sha256: str = ""
    built_platform: str = ""

    def check(self, rules: str, seats: int) -> None:
        """NotValidated unless it may play by these rules at a table of so many."""
        if self.rules and rules not in self.rules:
            known = ", ".join(sorted(self.rules))
            raise NotValidated(f"{self.bot_name} was not validated for {rules}, only for {known}.")
        if self.seats and seats not in self.seats:
            known = ", ".join(map(str, sorted(self.seats)))
            raise NotValidated(f"{self.bot_name} was not validated for {seats} seats, only for {known}.")


class Versions:
    """With the arena's own worker token. Whatever the registry refuses is raised as it says it."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.registry = STUB(self.channel)

    async def active(self, bot_name: str) -> Version:
        """The version that a bot plays with."""
        try:
            found = await self._find(bot_name)
        except UnknownVersion as err:
            raise UnknownBot(str(err), thing=bot_name) from None
        if found.bot_name != bot_name or found.state != pb.VERSION_STATE_ACTIVE:  # it takes ids, too
            raise UnknownBot(f"There is no bot {bot_name!r}.", thing=bot_name)
        return _version(found)

    async def playable(self, key: str) -> Version:
        """The active version of the bot of this name, or the one of this id if it passed its validation."""
        found = await self._find(key)
        if found.state not in PLAYABLE:
            state = pb.VersionState.Name(found.state).removeprefix("VERSION_STATE_").lower()
            raise NotValidated(f"Version {found.number} of {found.bot_name} is {state} and cannot be played.")
        return _version(found)

    async def _find(self, key: str) -> Any:
        with rpc_errors(self.address):
            return (await self.registry.GetVersion(pb.GetVersionRequest(version_id=key))).version

    async def close(self) -> None:
        await self.channel.close()


def _version(found: Any) -> Version:
    return Version(
        found.id, found.bot_name, found.account_name, found.sha256,
        frozenset(found.rules), frozenset(found.seats), found.built_sha256, found.built_platform,
    )  # fmt: skip


class TokenOwners:
    """The arena's own tokens (`own`: by name) are known here; all others are the registry's to judge.

    vouches: hosts show their certificates here, so the registry need not see them when it is asked.
    """

    def __init__(
        self, address: str, own: Mapping[str, str], roots: bytes = b"", *, vouches: bool = False
    ) -> None:
        self.address, self.vouches = address, vouches
        self.own = {name: token for name, token in own.items() if token}
        self.known: dict[str, tuple[float, Identity]] = {}
        self.channel = connect_aio(address, roots=roots)
        self.registry = STUB(self.channel)

    async def authenticate(self, token: str) -> Identity:
        """Who has this token; raises what the registry says of it."""
        for name, own in self.own.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                return Identity(name, name, frozenset((name,)))
        until, who = self.known.get(token, (0.0, None))
        if who is None or until < time.monotonic():
            who = await self._ask(token)
            if len(self.known) >= TOKENS_KEPT:
                self.known.clear()
            self.known[token] = (time.monotonic() + min(REMEMBERED, _seconds_left(who)), who)
        return who

    async def _ask(self, token: str) -> Identity:
        sent = [("authorization", f"Bearer {token}")]
        if self.vouches:
            sent.append((VOUCHER, self.own["worker"]))
        with rpc_errors(self.address):
            answer = await self.registry.WhoAmI(pb.WhoAmIRequest(), metadata=sent)
        ends = answer.expires_at.ToMilliseconds() if answer.HasField("expires_at") else None
        scopes = frozenset(answer.scopes)
        return Identity(answer.account_id, answer.account_name, scopes, ends, host=answer.host)

    async def close(self) -> None:
        await self.channel.close()


def _seconds_left(who: Identity) -> float:
    """Until the token ends; by this machine's clock, so that the registry has the last word."""
    return REMEMBERED if who.expires_at is None else max(0.0, (who.expires_at - clock.now()) / 1000)
