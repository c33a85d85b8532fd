"""A client of the engine service for seeks and for seats of house bots."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from maumau.client.call import rpc_errors
from maumau.contest.ladder.time_control import TimeControl
from maumau.errors import NotAsked
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc, game_pb2
from services.matchmaking.store.live_tables.seek import Seek
from services.shared.rpc.client import connect_aio

STUB: Any = engine_pb2_grpc.EngineServiceStub
DEADLINE = 10.0  # seconds


class SeatPlayer(NamedTuple):
    """A player at a seat; bot_name: "" for a person."""

    account_id: str
    account_name: str
    bot_name: str

    @property
    def shown(self) -> str:
        """The name shown to others: my-bot (ada), or ada."""
        return f"{self.bot_name} ({self.account_name})" if self.bot_name else self.account_name


class Opened(NamedTuple):
    """A new table, and the tokens of its seats in order."""

    table_id: str
    tokens: list[str]


class Engine:
    """Calls to the engine, with the arena's own worker token."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.stub = STUB(self.channel)

    async def open_table(self, seek: Seek, time: TimeControl, players: Sequence[SeatPlayer]) -> Opened:
        """Open a table by the terms of this seek, for these players by seat."""
        table = pb.CreateTableRequest(
            rules=game_pb2.RuleSet(name=seek.rules, options_json=seek.options_json, hash=seek.hash),
            seats=seek.seats,
            time=pb.TimeControl(**msgspec.structs.asdict(time)),
            names=[one.shown for one in players],
        )
        seated = [pb.TablePlayer(**one._asdict()) for one in players]
        request = pb.OpenTableRequest(table=table, players=seated, rated=seek.rated)
        with rpc_errors(self.address):
            made = await self.stub.OpenTable(request, timeout=DEADLINE)
        return Opened(made.table.id, list(made.seat_tokens))

    async def check_seats(self, tokens: Sequence[str]) -> None:
        """Raise BadSeatToken, UnknownTable or SeatTaken unless a worker may come to a seat by each token."""
        await asyncio.gather(*map(self._check_seat, tokens))

    async def _check_seat(self, token: str) -> None:
        with suppress(NotAsked), rpc_errors(self.address):  # the token is right, the deal has not begun
            await self.stub.GetView(pb.GetViewRequest(seat_token=token), timeout=DEADLINE)

    async def close(self) -> None:
        await self.channel.close()
