"""Calls of an arena's services, with the token of the page or of a person."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, Final, Self

from maumau.client.call import rpc_errors
from maumau.v1 import (
    engine_pb2_grpc,
    matchmaking_pb2_grpc,
    registry_pb2_grpc,
    team_pb2_grpc,
    tournament_pb2_grpc,
)
from services.shared.rpc.client import connect_aio
from services.web.seat import Payer

PAGE: Final = 1000
"""Entries of a list requested at a time."""
SECONDS: Final = 5.0
"""For a call, unless it sets another: a reader waits for the page."""
STUBS: Mapping[str, Any] = {
    "registry": registry_pb2_grpc.RegistryServiceStub,
    "tournament": tournament_pb2_grpc.TournamentServiceStub,
    "matchmaking": matchmaking_pb2_grpc.MatchmakingServiceStub,
    "engine": engine_pb2_grpc.EngineServiceStub,
}
TEAM_STUB: Any = team_pb2_grpc.TeamServiceStub


class ArenaCalls:
    """The services of STUBS, each at its host:port; create it inside the running loop.

    Every call raises the service's error; ArenaUnreachable or DeadlinePassed if it does not answer.
    """

    def __init__(self, addresses: Mapping[str, str], token: str, roots: bytes = b"") -> None:
        self.addresses = {name: addresses[name] for name in STUBS}
        self._channels = {name: connect_aio(at, token, roots) for name, at in self.addresses.items()}
        self._stubs = {name: STUBS[name](channel) for name, channel in self._channels.items()}
        self._stubs["teams"] = TEAM_STUB(self._channels["registry"])
        self._own: tuple[tuple[str, str], ...] | None = None

    def with_token(self, token: str) -> Self:
        """Return a client with the token of a person, over the same channels."""
        other = copy(self)
        vars(other)["_own"] = sign_call(Payer(token))
        return other

    async def close(self) -> None:
        """End all calls and close the channels."""
        for channel in self._channels.values():
            await channel.close()

    def _translate_errors(self, service: str) -> AbstractContextManager[None]:
        """Return a context for errors of a service's calls, which name it: readers know no addresses."""
        at = self.addresses.get(service, self.addresses["registry"])  # which serves teams, too
        return rpc_errors(f"{at} ({service} service)")

    async def _call_method(
        self, method: str, request: Any, service: str = "tournament", payer: Payer | None = None
    ) -> Any:
        with self._translate_errors(service):
            call = getattr(self._stubs[service], method)
            return await call(request, timeout=SECONDS, metadata=sign_call(payer) or self._own)

    async def _list_pages(
        self, method: str, request: Any, field: str, service: str = "tournament"
    ) -> AsyncIterator[Any]:
        request.page_size = PAGE
        while True:
            found = await self._call_method(method, request, service)
            for each in getattr(found, field):
                yield each
            if not found.next_page_token:
                return
            request.page_token = found.next_page_token


def sign_call(payer: Payer | None) -> tuple[tuple[str, str], ...] | None:
    """Return the metadata of a call for an account; None for the page's own."""
    return (("authorization", f"Bearer {payer.token}"),) if payer and payer.token else None
