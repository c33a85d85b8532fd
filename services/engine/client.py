"""The matchmaking service, as the engine hands it the results of its tables."""

from typing import Any

from maumau.call import rpc_errors
from maumau.v1 import matchmaking_pb2_grpc, seek_pb2
from services.engine import wire
from services.engine.folded import Folded
from services.shared.client import connect_aio

STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub
DEADLINE = 10.0  # seconds


class Matchmaking:
    """With the arena's own worker token."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.stub = STUB(self.channel)

    async def report(self, folded: Folded) -> None:
        """Hands over the result of a table that is over; the same again does no harm."""
        request = seek_pb2.ReportTableRequest(result=wire.result(folded))
        with rpc_errors(self.address):
            await self.stub.ReportTable(request, timeout=DEADLINE)

    async def close(self) -> None:
        await self.channel.close()
