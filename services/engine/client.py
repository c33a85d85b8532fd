"""A client of the matchmaking service, for the results of its tables."""

from typing import Any

from maumau.client.call import rpc_errors
from maumau.v1 import matchmaking_pb2_grpc, seek_pb2
from services.engine import wire
from services.engine.folded import Folded
from services.shared.rpc.client import connect_aio

STUB: Any = matchmaking_pb2_grpc.MatchmakingServiceStub
DEADLINE = 10.0  # seconds


class Matchmaking:
    """Calls to the matchmaking service, with the arena's own worker token."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.stub = STUB(self.channel)

    async def report_result(self, folded: Folded) -> None:
        """Report the result of a table that is over; repeating it is harmless."""
        request = seek_pb2.ReportTableRequest(result=wire.build_result(folded))
        with rpc_errors(self.address):
            await self.stub.ReportTable(request, timeout=DEADLINE)

    async def close(self) -> None:
        await self.channel.close()
