"""Calls for live tables: to list and watch them, and to play at them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from maumau.client.live import Table, Told, read_news, read_table
from maumau.v1 import engine_pb2 as e
from maumau.v1 import seek_pb2 as k
from services.web.call import SECONDS, ArenaCalls, sign_call
from services.web.seat import Payer, SeatView, TableWish


class LiveCalls(ArenaCalls):
    """Calls of the engine, and those that bring house bots to its tables."""

    async def list_tables(self, most: int = 0, *, ended: bool = False) -> tuple[Table, ...]:
        """Return the open live tables, or those that have ended lately; newest first, without records.

        most: 0 for as many as the engine gives at a time.
        """
        request = e.ListTablesRequest(ended=ended, page_size=most)
        found = await self._call_method("ListTables", request, "engine")
        return tuple(map(read_table, found.tables))

    async def attempts(self, day: str) -> tuple[Table, ...]:
        """Return the attempts at the deal of a day (as 2026-11-27), with their records, newest first."""
        request = e.ListTablesRequest(day=day)
        found = self._list_pages("ListTables", request, "tables", "engine")
        return tuple([read_table(each) async for each in found])

    async def get_table(self, table_id: str) -> Table:
        """Return a live table in its current state."""
        return read_table(
            (await self._call_method("GetTable", e.GetTableRequest(table_id=table_id), "engine")).table
        )

    async def watch_table(self, table_id: str, after: int = 0) -> AsyncGenerator[Table | Told]:
        """Yield the table first and last, and in between its public view after each change after a cursor."""
        request = e.WatchTableRequest(table_id=table_id, after=after)
        with self._translate_errors("engine"):
            async for part in self._stubs["engine"].WatchTable(request):
                is_table = part.HasField("table")
                yield read_table(part.table) if is_table else read_news("news", part.news)

    async def seat_view(self, token: str) -> SeatView:
        """Return what the seat of a token sees now; raise NotAsked before the deal begins."""
        found = await self._call_method("GetView", e.GetViewRequest(seat_token=token), "engine")
        window = found.window_ms if found.HasField("window_ms") else None
        view = msgspec.json.decode(found.view.line)
        return SeatView(found.cursor, view, tuple(found.clocks_ms), window)

    async def take_seat(self, token: str, claim: str = "", payer: Payer | None = None) -> None:
        """Come to a table; the seat stays taken when this call has ended.

        claim: the word of who comes by an invitation; raise SeatTaken if somebody else has come.
        """
        hello = e.PlayRequest(hello=e.PlayHello(seat_token=token, claim=claim))
        async with aclosing(self._open_play(hello, payer=payer)) as told:
            await anext(told)

    async def leave_seat(self, token: str) -> None:
        """Give a seat up, for which a stand-in plays on; nothing happens if the table has ended."""
        hello = e.PlayRequest(hello=e.PlayHello(seat_token=token))
        left = e.PlayRequest(leave=e.PlayLeave(op_id="leave"))
        async with aclosing(self._open_play(hello, left)) as told:
            async for part in told:
                if part.HasField("taken"):
                    return

    async def play_action(self, token: str, cursor: int, op_id: str, line: str) -> tuple[str, str]:
        """Answer the question of a cursor; return the reason and the words of a refusal, or two empty texts.

        op_id: a reply sent again with the same one counts once.
        """
        hello = e.PlayRequest(hello=e.PlayHello(seat_token=token))
        reply = e.PlayRequest(reply=e.PlayReply(cursor=cursor, op_id=op_id, line=line))
        async with aclosing(self._open_play(hello, reply)) as told:
            async for part in told:
                if part.HasField("refused"):
                    return part.refused.refusal.reason, part.refused.refusal.message
                if part.HasField("taken"):
                    return "", ""
        return "SEAT_TAKEN", "Another stream plays this seat now, or the table has ended."

    async def _open_play(self, *requests: Any, payer: Payer | None = None) -> AsyncGenerator[Any]:
        """Yield the messages to a seat's stream until the caller stops listening."""
        waiting = asyncio.Event()

        async def said() -> AsyncIterator[Any]:
            for request in requests:
                yield request
            await waiting.wait()

        with self._translate_errors("engine"):
            call = self._stubs["engine"].Play(said(), timeout=SECONDS, metadata=sign_call(payer))
            try:
                async for part in call:
                    yield part
            finally:
                waiting.set()
                call.cancel()

    async def create_table(self, wish: TableWish, payer: Payer) -> tuple[str, tuple[str, ...]]:
        """Create a live table; return its id and its seats' tokens."""
        request = e.CreateTableRequest(
            rules={"name": wish.rules, "variant_toml": wish.variant_toml},
            record=wish.record,
            named=wish.is_named,
            day=wish.day,
            seats=wish.seats,
            names=wish.names,
            guest=payer.guest,
            network=payer.network,
            time=e.TimeControl(
                bank_ms=wish.bank_ms,
                increment_ms=wish.increment_ms,
                window_ms=wish.window_ms,
                join_ms=wish.join_ms,
            ),
        )
        made = await self._call_method("CreateTable", request, "engine", payer)
        return made.table.id, tuple(made.seat_tokens)

    async def invite_house(self, tokens: Sequence[str], bot: str, think_ms: int, payer: Payer) -> None:
        """Have a house bot of the arena take each of these seats; raise NoHouseBot if none is free."""
        request = k.InviteHouseRequest(
            seat_tokens=tokens,
            bot_names=[bot],
            think_ms=think_ms,
            guest=payer.guest,
            network=payer.network,
        )
        await self._call_method("InviteHouse", request, "matchmaking", payer)

    async def close_table(self, table_id: str, words: str, payer: Payer) -> None:
        """End a table without a result."""
        request = e.CloseTableRequest(table_id=table_id, words=words)
        await self._call_method("CloseTable", request, "engine", payer)
