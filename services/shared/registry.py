"""The registry, as other services ask it: who has a token."""

import hmac
import time
from collections.abc import Mapping
from typing import Any

from maumau.call import rpc_errors
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.shared.auth import Identity
from services.shared.client import connect_aio

REMEMBERED = 30.0  # seconds that a token's owner is not asked for again
TOKENS_KEPT = 10_000  # tokens remembered
STUB: Any = registry_pb2_grpc.RegistryServiceStub


class TokenOwners:
    """The arena's own tokens (`own`: by name) are known here; all others are the registry's to judge."""

    def __init__(self, address: str, own: Mapping[str, str]) -> None:
        self.address = address
        self.own = {name: token for name, token in own.items() if token}
        self.known: dict[str, tuple[float, Identity]] = {}
        self.channel = connect_aio(address)
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
            self.known[token] = (time.monotonic() + REMEMBERED, who)
        return who

    async def _ask(self, token: str) -> Identity:
        bearer = (("authorization", f"Bearer {token}"),)
        with rpc_errors(self.address):
            answer = await self.registry.WhoAmI(pb.WhoAmIRequest(), metadata=bearer)
        ends = answer.expires_at.ToMilliseconds() if answer.HasField("expires_at") else None
        return Identity(answer.account_id, answer.account_name, frozenset(answer.scopes), ends)

    async def close(self) -> None:
        await self.channel.close()
