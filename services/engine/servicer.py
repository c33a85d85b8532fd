"""The contract's calls: message to domain to message."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from maumau import trace
from maumau.bot.words import clean_line
from maumau.errors import (
    BadDeal,
    BadRequest,
    DatabaseUnavailable,
    MaumauError,
    MissingToken,
    NotYours,
    UnknownTable,
)
from maumau.game import Deal
from maumau.rulebook.named import check_seats, find_rules
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc
from services.engine import fold, rulebook, wire
from services.engine.folded import Folded
from services.engine.metrics import Metrics
from services.engine.onlook import watch, watch_hands
from services.engine.replica import Replica
from services.engine.seat import OPS, SeatStream, find_seat
from services.engine.table import Head
from services.shared.auth import Need, caller, identity
from services.shared.lane import Lane

Write = Callable[[Any], Awaitable[None]]

NEEDS = {
    **dict.fromkeys(("ListVariants", "GetVariant", "Fold", "FoldMany", "Verify"), Need.PUBLIC),
    **dict.fromkeys(("Play", "GetView"), Need.PUBLIC),  # these need the token of a seat
    **dict.fromkeys(("GetTable", "ListTables", "WatchTable"), Need.ANY),
    **dict.fromkeys(("CreateTable", "CloseTable"), Need.AUTHOR),
    "OpenTable": Need.SERVICE,
}
FOLDS = 1000  # of one message
LISTED = 200  # tables of a page
LOOKED = 1000  # heads that are read at once
WORDS = 200  # characters of why a table is closed


@dataclass(kw_only=True)
class Servicer(engine_pb2_grpc.EngineServiceServicer):
    """Each handler is a translation. A fold takes microseconds, so it is made where it is asked for.

    verifying: a record may be of a whole game, which takes long enough for clocks at tables to run out.
    """

    metrics: Metrics
    replica: Replica
    verifying: Lane = field(default_factory=lambda: Lane("verify", 1))

    async def ListVariants(self, request: Any, context: Any) -> Any:
        found = await asyncio.to_thread(rulebook.list_rules)
        return pb.ListVariantsResponse(variants=[wire.summary(rules) for rules in found])

    async def GetVariant(self, request: Any, context: Any) -> Any:
        rules = find_rules(request.name, request.options_json)
        return wire.variant(rules, await asyncio.to_thread(rulebook.describe, rules))

    async def Fold(self, request: Any, context: Any) -> Any:
        return self._fold(request)

    async def FoldMany(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
        async for request in requests:
            if len(request.folds) > FOLDS:
                count = len(request.folds)
                raise BadRequest(
                    f"There are {count:,} folds in a message; {FOLDS:,} are the most.", field="folds"
                )
            answer = pb.FoldManyResponse()
            for one in request.folds:
                answer.folded.append(self._folded(one))
                await asyncio.sleep(0)  # others wait for one fold, not for all of these
            yield answer

    async def Verify(self, request: Any, context: Any) -> Any:
        found = await self.verifying(fold.verify, request.record)
        self.metrics.records.labels("wrong" if found.line else "ok").inc()
        return wire.verdict(found)

    async def CreateTable(self, request: Any, context: Any) -> Any:
        who = identity()
        head, tokens = wire.new_head(request, who.account_id, who.name)
        if not who.may(Need.ADMIN):
            await self.replica.store.hold(who.account_id, head.id, head.created_at)
        folded = await self.replica.create(head)
        trace.begin_trace("table", head.id, table=head.id)
        return pb.CreateTableResponse(table=wire.table(folded), seat_tokens=tokens)

    async def OpenTable(self, request: Any, context: Any) -> Any:
        head, tokens = wire.open_head(request)
        trace.begin_trace("table", head.id, table=head.id)
        return pb.OpenTableResponse(table=wire.table(await self.replica.create(head)), seat_tokens=tokens)

    async def GetTable(self, request: Any, context: Any) -> Any:
        return pb.GetTableResponse(table=wire.table(await self._seen(request.table_id)))

    async def ListTables(self, request: Any, context: Any) -> Any:
        listed, token = await self.replica.store.listed(ended=request.ended), request.page_token
        after = [table_id for table_id in listed if not token or table_id < token]
        found: list[Folded] = []
        size = min(request.page_size or LISTED, LISTED)
        while after and len(found) <= size:
            part, after = after[:LOOKED], after[LOOKED:]
            for head in await self.replica.store.heads(part):
                if len(found) <= size and may_see(head):  # what is not shown is not folded
                    with suppress(UnknownTable):
                        found.append(await self.replica.open(head.id))
        more = found[size - 1].head.id if len(found) > size else ""
        tables = [wire.table(folded, record=False) for folded in found[:size]]
        return pb.ListTablesResponse(tables=tables, next_page_token=more)

    async def CloseTable(self, request: Any, context: Any) -> Any:
        folded = await self._seen(request.table_id)
        if not is_owner(folded.head):
            raise NotYours("Only who made a table, and admins, can close it.")
        await self.replica.close(folded, clean_line(request.words, WORDS) or "it was closed")
        return pb.CloseTableResponse(table=wire.table(folded))

    async def GetView(self, request: Any, context: Any) -> Any:
        if request.WhichOneof("who") == "seat_token":
            folded, seat = await find_seat(self.replica, request.seat_token)
            return wire.view(folded, seat)
        if caller() is None:
            raise MissingToken
        return wire.view(await self._seen(request.table_id), None)

    async def WatchTable(self, request: Any, context: Any) -> AsyncIterator[Any]:
        folded = await self._seen(request.table_id)
        follow = watch_hands if request.hands else watch
        async with self.replica.following(folded):
            yield pb.WatchTableResponse(table=wire.table(folded))
            async for line in follow(self.replica, folded, request.after):
                yield pb.WatchTableResponse(news=wire.table_news(line))
        if not folded.lost:
            yield pb.WatchTableResponse(table=wire.table(folded))

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> None:
        stream = await self._seated(requests)
        writing = asyncio.Lock()

        async def write(part: Any) -> None:
            async with writing:
                await context.write(part)

        async with self.replica.following(stream.folded):
            await stream.join()
            seated = pb.Seated(table=wire.table(stream.folded), seat=stream.seat)
            await write(pb.PlayResponse(seated=seated))
            hearing = asyncio.create_task(_hear(stream, requests, write))
            try:
                await _tell(stream, hearing, write)
            finally:
                hearing.cancel()
                await asyncio.gather(hearing, return_exceptions=True)

    async def _seated(self, requests: AsyncIterator[Any]) -> SeatStream:
        """The stream that the first message asks for."""
        async for request in requests:
            if request.WhichOneof("part") != "hello":
                break
            hello = request.hello
            folded, seat = await find_seat(self.replica, hello.seat_token)
            return SeatStream(self.replica, folded, seat, hello.after, news=hello.news)
        raise BadRequest("The first message of a seat is hello, with the seat's token.")

    async def _seen(self, table_id: str) -> Folded:
        """A table, if its caller may see it."""
        folded = await self.replica.open(table_id)
        if not may_see(folded.head):
            raise UnknownTable(thing=table_id)
        return folded

    def _folded(self, request: Any) -> Any:
        try:
            return pb.Folded(deal=self._fold(request))
        except MaumauError as error:
            return pb.Folded(refusal=wire.refusal(error))

    def _fold(self, request: Any) -> Any:
        try:
            d = _begin(request)
            eyes = wire.EYES.get(request.eyes)
            if eyes is None:
                raise BadRequest(f"{request.eyes} are nobody's eyes.", field="eyes")
            if eyes == "seat" and request.seat >= d.seats:
                raise BadDeal(
                    f"Nobody sits at {request.seat}: the seats are 0 to {d.seats - 1}.", field="seat"
                )
            fold.carry_out(d, [(one.seat, one.action) for one in request.actions])
        except MaumauError:
            self.metrics.folds.labels("refused").inc()
            raise
        self.metrics.folds.labels("done").inc()
        self.metrics.decisions.inc(len(request.actions))
        return wire.folded(d, request.mark[:200], eyes, request.seat)


def is_owner(head: Head) -> bool:
    """Whether the caller has made this table, or is an admin."""
    who = identity()
    return who.account_id == head.account_id or who.may(Need.ADMIN)


def may_see(head: Head) -> bool:
    """Whether the caller is to know of this table."""
    return not head.unlisted or is_owner(head)


async def _tell(stream: SeatStream, hearing: asyncio.Task[None], write: Write) -> None:
    """Until nothing more is told, or the caller has said what ends the stream."""
    telling = asyncio.create_task(_say(stream, write))
    try:
        await asyncio.wait((telling, hearing), return_when=asyncio.FIRST_COMPLETED)
        if hearing.done() and not telling.done():
            hearing.result()  # the caller has no more to say, and may listen on
        await telling
    finally:
        telling.cancel()


async def _say(stream: SeatStream, write: Write) -> None:
    async for told in stream.told():
        await write(wire.told(told))


async def _hear(stream: SeatStream, requests: AsyncIterator[Any], write: Write) -> None:
    async for request in requests:
        if request.WhichOneof("part") != "reply":
            raise BadRequest("Hello is said once; what follows are replies.")
        reply = request.reply
        try:
            await stream.reply(reply.cursor, reply.op_id, reply.line)
        except DatabaseUnavailable:
            raise  # nothing is wrong with the reply: whoever comes back sends it again
        except MaumauError as error:
            refused = pb.ReplyRefused(op_id=reply.op_id[:OPS], refusal=wire.refusal(error))
            await write(pb.PlayResponse(refused=refused))
        else:
            await write(pb.PlayResponse(taken=pb.ReplyTaken(op_id=reply.op_id)))


def _begin(request: Any) -> Deal:
    if request.WhichOneof("start") == "record":
        return fold.replay_record(request.record)
    if request.WhichOneof("start") != "deal":
        raise BadRequest("A fold begins with a record or with a deal; this one has neither.")
    asked = request.deal
    if asked.rules.variant_toml:
        raise BadRequest("Only the arena's own variants are folded; play yours with the library maumau.")
    rules = find_rules(asked.rules.name, asked.rules.options_json, asked.rules.hash)
    check_seats(rules, asked.seats)
    return fold.begin(rules, asked.seats, asked.seed, asked.first)
