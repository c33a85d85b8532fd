"""The registry, as the tournament service asks it: who has a token, and which version a bot plays with."""

import hmac
import time
from collections.abc import Mapping
from typing import Any

from maumau.call import rpc_errors
from maumau.errors import NotValidated, UnknownBot, UnknownVersion
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.shared.auth import Identity
from services.shared.client import connect_aio
from services.tournament.organiser import Version

REMEMBERED = 30.0  # seconds that a token's owner is not asked for again
TOKENS_KEPT = 10_000  # tokens remembered
PLAYABLE = (pb.VERSION_STATE_VALID, pb.VERSION_STATE_ACTIVE, pb.VERSION_STATE_RETIRED)
STUB: Any = registry_pb2_grpc.RegistryServiceStub


class Registry:
    """The arena's own tokens (`own`: by name) are known here; all others are the registry's to judge."""

    def __init__(self, address: str, own: Mapping[str, str]) -> None:
        self.own = {name: token for name, token in own.items() if token}
        self.channels = [connect_aio(address, own["worker"]), connect_aio(address)]
        self.registry, self.others = (STUB(channel) for channel in self.channels)
        self.known: dict[str, tuple[float, Identity]] = {}
        self.address = address

    async def authenticate(self, token: str) -> Identity:
        """Who has this token; raises what the registry says of it."""
        for name, own in self.own.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                return Identity(name, name, frozenset((name,)))
        until, who = self.known.get(token, (0.0, None))
        if who is None or until < time.monotonic():
            who = await self._who(token)
            if len(self.known) >= TOKENS_KEPT:
                self.known.clear()
            self.known[token] = (time.monotonic() + REMEMBERED, who)
        return who

    async def _who(self, token: str) -> Identity:
        bearer = (("authorization", f"Bearer {token}"),)
        with rpc_errors(self.address):
            answer = await self.others.WhoAmI(pb.WhoAmIRequest(), metadata=bearer)
        ends = answer.expires_at.ToMilliseconds() if answer.HasField("expires_at") else None
        return Identity(answer.account_id, answer.account_name, frozenset(answer.scopes), ends)

    async def active(self, bot_name: str) -> Version:
        """The version that a bot plays with; raises what the registry says if there is none."""
        try:
            with rpc_errors(self.address):
                found = (await self.registry.GetVersion(pb.GetVersionRequest(version_id=bot_name))).version
        except UnknownVersion as err:
            raise UnknownBot(str(err)) from None
        if (
            found.bot_name != bot_name or found.state != pb.VERSION_STATE_ACTIVE
        ):  # it takes a version's id too
            raise UnknownBot(f"There is no bot {bot_name!r}.")
        return _version(found)

    async def valid(self, version_id: str) -> Version:
        """A version that passed its validation and may be played, whether its bot plays with it or not."""
        with rpc_errors(self.address):
            found = (await self.registry.GetVersion(pb.GetVersionRequest(version_id=version_id))).version
        if found.state not in PLAYABLE:
            state = pb.VersionState.Name(found.state).removeprefix("VERSION_STATE_").lower()
            raise NotValidated(f"Version {found.number} of {found.bot_name} is {state} and cannot be played.")
        return _version(found)

    async def suspend(self, version_id: str, words: str) -> None:
        """Takes a version out of play until its validation deals were played again."""
        with rpc_errors(self.address):
            await self.registry.SuspendVersion(pb.SuspendVersionRequest(version_id=version_id, words=words))

    async def close(self) -> None:
        for channel in self.channels:
            await channel.close()


def _version(found: Any) -> Version:
    return Version(
        found.id, found.bot_name, found.account_name, found.sha256,
        frozenset(found.rules), frozenset(found.seats),
    )  # fmt: skip
