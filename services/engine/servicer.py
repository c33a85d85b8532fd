"""Handlers of the contract's calls: message to domain to message."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

from maumau.errors import (
    BadDeal,
    BadRequest,
    DatabaseUnavailable,
    MaumauError,
    MissingToken,
    NotAllowed,
    NotYours,
    QuotaReached,
    UnknownTable,
)
from maumau.game import Deal
from maumau.process import trace
from maumau.protocol.words import clean_line
from maumau.rulebook.named import check_seats, find_rules
from maumau.v1 import engine_pb2 as pb
from maumau.v1 import engine_pb2_grpc
from services.engine import fold, rulebook, wire
from services.engine.folded import Folded, check_claimant
from services.engine.metrics import EngineMetrics
from services.engine.onlook import watch_hands, watch_table
from services.engine.replica import Replica
from services.engine.seat import OPS, SeatStream, check_claim, find_seat
from services.engine.table import Claimant, TableHead
from services.shared.base import clock
from services.shared.base.auth import (
    GUEST_PREFIX,
    Identity,
    Need,
    caller,
    find_network,
    find_owner,
    identity,
)
from services.shared.base.lane import Lane
from services.shared.rpc import open_stream

Write = Callable[[Any], Awaitable[None]]

NEEDS = {
    **dict.fromkeys(("ListVariants", "GetVariant", "Fold", "FoldMany", "Verify"), Need.PUBLIC),
    **dict.fromkeys(("Play", "GetView"), Need.PUBLIC),  # these need a seat token
    **dict.fromkeys(("GetTable", "ListTables", "WatchTable"), Need.ANY),
    **dict.fromkeys(("CreateTable", "CloseTable"), Need.GUEST),
    "OpenTable": Need.SERVICE,
}
FOLDS = 1000  # most folds of a message
LISTED = 200  # tables of a page
LOOKED = 1000  # heads read at a time
WORDS = 200  # characters of the reason for closing a table
ATTEMPTS = "attempts at the deal of the day"
"""The quota of attempts; the page recognises its refusal by this name."""


@dataclass(kw_only=True)
class EngineServicer(engine_pb2_grpc.EngineServiceServicer):
    """Handlers of EngineService, each a translation. A fold takes microseconds, so it runs inline.

    verifying: a thread of its own, as checking a whole game takes long enough for clocks to run out.
    """

    metrics: EngineMetrics
    replica: Replica
    verifying: Lane = field(default_factory=lambda: Lane("verify", 1))

    async def ListVariants(self, request: pb.ListVariantsRequest, context: Any) -> pb.ListVariantsResponse:
        found = await asyncio.to_thread(rulebook.list_rules)
        return pb.ListVariantsResponse(variants=[wire.build_summary(rules) for rules in found])

    async def GetVariant(self, request: pb.GetVariantRequest, context: Any) -> pb.GetVariantResponse:
        rules = find_rules(request.name, request.options_json)
        return wire.build_variant(rules, await asyncio.to_thread(rulebook.describe_variant, rules))

    async def Fold(self, request: pb.FoldRequest, context: Any) -> pb.FoldResponse:
        return self._fold_deal(request)

    async def FoldMany(
        self, requests: AsyncIterator[Any], context: Any
    ) -> AsyncIterator[pb.FoldManyResponse]:
        async for request in requests:
            if len(request.folds) > FOLDS:
                count = len(request.folds)
                raise BadRequest(
                    f"There are {count:,} folds in a message; {FOLDS:,} are the most.", field="folds"
                )
            answer = pb.FoldManyResponse()
            for one in request.folds:
                answer.folded.append(self._build_folded(one))
                await asyncio.sleep(0)  # so that others wait for one fold, not for all of these
            yield answer

    async def Verify(self, request: pb.VerifyRequest, context: Any) -> pb.VerifyResponse:
        found = await self.verifying(fold.verify_record, request.record)
        self.metrics.records.labels("wrong" if found.line else "ok").inc()
        return wire.build_verdict(found)

    async def CreateTable(self, request: pb.CreateTableRequest, context: Any) -> pb.CreateTableResponse:
        who = find_owner(request.guest)
        make = partial(wire.new_head, request, who.account_id, who.name)
        day = check_today(request.day) if request.day else None
        head, tokens = await self.verifying(make) if request.record else make()
        if not who.may(Need.ADMIN):
            await self.replica.store.reserve_table(who.account_id, head.id, head.created_at)
        if network := find_network(request.network, request.guest):
            await self.replica.store.hold_for_network(network, head.id, head.created_at)
        if day:
            await self._hold_attempt(day, head)
        folded = await self.replica.create_table(head)
        trace.begin_trace("table", head.id, table=head.id)
        return pb.CreateTableResponse(table=wire.build_table(folded), seat_tokens=tokens)

    async def _hold_attempt(self, day: date, head: TableHead) -> None:
        """Count a table as its owner's attempt at the deal of a day; raise QuotaReached after the first one.

        A table whose deal never began because no bot came does not count.
        """
        held = await self.replica.store.hold_attempt(day, head.account_id, head.id)
        if held and await self._has_never_begun(held):
            held = await self.replica.store.hold_attempt(day, head.account_id, head.id, held)
        if held:
            words = f"You have played the deal of {day}: everybody has one attempt."
            raise QuotaReached(words, quota=ATTEMPTS)

    async def _has_never_begun(self, table_id: str) -> bool:
        try:
            folded = await self.replica.open_table(table_id)
        except UnknownTable:  # it was never stored: it would be kept until the day is over
            return True
        return folded.ended and len(folded.standing.joined) < folded.head.seats

    async def OpenTable(self, request: pb.OpenTableRequest, context: Any) -> pb.OpenTableResponse:
        head, tokens = wire.open_head(request)
        trace.begin_trace("table", head.id, table=head.id)
        return pb.OpenTableResponse(
            table=wire.build_table(await self.replica.create_table(head)), seat_tokens=tokens
        )

    async def GetTable(self, request: pb.GetTableRequest, context: Any) -> pb.GetTableResponse:
        return pb.GetTableResponse(table=wire.build_table(await self._open_visible(request.table_id)))

    async def ListTables(self, request: pb.ListTablesRequest, context: Any) -> pb.ListTablesResponse:
        store, token = self.replica.store, request.page_token
        day = read_day(request.day) if request.day else None
        if day and not identity().may(Need.PAGE):
            raise NotAllowed("Only the arena's page lists attempts at a deal of the day.")
        listed = await (store.list_attempts(day) if day else store.list_tables(ended=request.ended))
        after = [table_id for table_id in listed if not token or table_id < token]
        found: list[Folded] = []
        size = min(request.page_size or LISTED, LISTED)
        while after and len(found) <= size:
            part, after = after[:LOOKED], after[LOOKED:]
            for head in await store.read_heads(part):
                if len(found) <= size and (day or may_list(head)):  # hidden tables need not be folded
                    with suppress(UnknownTable):
                        found.append(await self.replica.open_table(head.id))
        more = found[size - 1].head.id if len(found) > size else ""
        told = [
            wire.attempt(folded) if day else wire.build_table(folded, record=False) for folded in found[:size]
        ]
        return pb.ListTablesResponse(tables=told, next_page_token=more)

    async def CloseTable(self, request: pb.CloseTableRequest, context: Any) -> pb.CloseTableResponse:
        folded = await self._open_visible(request.table_id)
        if not is_owner(folded.head):
            raise NotYours("Only the player who opened a table, and admins, can close it.")
        await self.replica.close(folded, clean_line(request.words, WORDS) or "it was closed")
        return pb.CloseTableResponse(table=wire.build_table(folded))

    async def GetView(self, request: pb.GetViewRequest, context: Any) -> pb.GetViewResponse:
        if request.WhichOneof("who") == "seat_token":
            check_claim(request.claim, "claim")
            folded, seat = await find_seat(self.replica, request.seat_token)
            check_claimant(folded, seat, _name_claimant(caller())._replace(claim=request.claim))
            return wire.build_view(folded, seat)
        if caller() is None:
            raise MissingToken
        return wire.build_view(await self._open_visible(request.table_id), None)

    async def WatchTable(
        self, request: pb.WatchTableRequest, context: Any
    ) -> AsyncIterator[pb.WatchTableResponse]:
        folded = await self._open_visible(request.table_id)
        open_stream.require(lambda who: check_visible(folded.head, who or identity()), request.table_id)
        follow = watch_hands if request.hands else watch_table
        async with self.replica.follow_table(folded):
            yield pb.WatchTableResponse(table=wire.build_table(folded))
            async for line in follow(self.replica, folded, request.after):
                yield pb.WatchTableResponse(news=wire.table_news(line))
        if not folded.lost:
            yield pb.WatchTableResponse(table=wire.build_table(folded))

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> None:
        stream = await self._open_stream(requests)
        writing = asyncio.Lock()

        async def write(part: Any) -> None:
            async with writing:
                await context.write(part)

        async with self.replica.follow_table(stream.folded):
            await stream.take_seat(_name_claimant(caller(), stream.bot))
            seated = pb.Seated(table=wire.build_table(stream.folded), seat=stream.seat)
            await write(pb.PlayResponse(seated=seated))
            hearing = asyncio.create_task(_read_requests(stream, requests, write))
            try:
                await _serve_stream(stream, hearing, write)
            finally:
                hearing.cancel()
                await asyncio.gather(hearing, return_exceptions=True)

    async def _open_stream(self, requests: AsyncIterator[Any]) -> SeatStream:
        """Return the stream that the first message asks for; raise BadRequest if that is not hello."""
        async for request in requests:
            if request.WhichOneof("part") != "hello":
                break
            hello = request.hello
            folded, seat = await find_seat(self.replica, hello.seat_token)
            return SeatStream(
                self.replica,
                folded,
                seat,
                hello.after,
                news=hello.news,
                claim=hello.claim,
                bot=hello.bot_name,
            )
        raise BadRequest("The first message of a seat is hello, with the seat's token.")

    async def _open_visible(self, table_id: str) -> Folded:
        """Return a table; raise UnknownTable if it is not visible to the caller."""
        folded = await self.replica.open_table(table_id)
        check_visible(folded.head, identity())
        return folded

    def _build_folded(self, request: pb.FoldRequest) -> pb.Folded:
        try:
            return pb.Folded(deal=self._fold_deal(request))
        except MaumauError as error:
            return pb.Folded(refusal=wire.build_refusal(error))

    def _fold_deal(self, request: pb.FoldRequest) -> pb.FoldResponse:
        try:
            d = _open_deal(request)
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
        return wire.build_fold(d, request.mark[:200], eyes, request.seat)


def read_day(text: str) -> date:
    """Return a day; raise BadRequest if it is not one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"{text[:20]!r} is not a day such as 2026-11-27.", field="day") from None


def check_today(text: str) -> date:
    """Return the day of a new attempt; raise BadRequest unless it is today's, in UTC."""
    day = read_day(text)
    if day != datetime.fromtimestamp(clock.now() / 1000, UTC).date():
        raise BadRequest(f"The deal of {day} is not today's (UTC).", field="day")
    return day


def is_owner(head: TableHead) -> bool:
    """Return True if the caller made this table, or is an admin."""
    return is_owned(head, identity())


def is_owned(head: TableHead, who: Identity) -> bool:
    """Return True for the account that made this table, for admins, and for the page if a guest made it."""
    is_guests = head.account_id.startswith(GUEST_PREFIX)
    return who.account_id == head.account_id or who.may(Need.ADMIN) or (is_guests and who.may(Need.PAGE))


def may_list(head: TableHead) -> bool:
    """Return True if this table is shown to the caller in lists; one that goes on from a record never is."""
    return is_visible(head, identity()) and not head.record


def is_visible(head: TableHead, who: Identity) -> bool:
    """Return True for a listed table, and for the owner of an unlisted one.

    One that goes on from a record is also visible to the page, before which its player sits.
    """
    return not head.unlisted or is_owned(head, who) or (bool(head.record) and who.may(Need.PAGE))


def check_visible(head: TableHead, who: Identity) -> None:
    """Raise `UnknownTable` if the table is not visible to this caller."""
    if not is_visible(head, who):
        raise UnknownTable(thing=head.id)


def _name_claimant(who: Identity | None, bot: str = "") -> Claimant:
    """Return the account for which a caller comes to a seat, the bot for which a worker comes, and rights."""
    if who is None:
        return Claimant()
    account = who.name if who.may(Need.AUTHOR) else ""
    if who.may(Need.WORKER):
        return Claimant(account, bot=bot, rights="worker")
    return Claimant(account, rights="page" if who.may(Need.PAGE) else "")


async def _serve_stream(stream: SeatStream, hearing: asyncio.Task[None], write: Write) -> None:
    """Write to the caller until the stream ends, or the caller's own messages raise an error."""
    telling = asyncio.create_task(_write_lines(stream, write))
    try:
        await asyncio.wait((telling, hearing), return_when=asyncio.FIRST_COMPLETED)
        if hearing.done() and not telling.done():
            hearing.result()  # the caller may go on listening
        await telling
    finally:
        telling.cancel()


async def _write_lines(stream: SeatStream, write: Write) -> None:
    async for told in stream.stream_lines():
        await write(wire.build_told(told))


async def _read_requests(stream: SeatStream, requests: AsyncIterator[Any], write: Write) -> None:
    async for request in requests:
        part = request.WhichOneof("part")
        if part not in ("reply", "leave"):
            raise BadRequest("Hello is said once; what follows are replies.")
        reply = getattr(request, part)
        try:
            if part == "leave":
                await stream.leave_seat(reply.op_id)
            else:
                await stream.handle_reply(reply.cursor, reply.op_id, reply.line)
        except DatabaseUnavailable:
            raise  # the reply may be fine: the caller will send it again
        except MaumauError as error:
            refused = pb.ReplyRefused(op_id=reply.op_id[:OPS], refusal=wire.build_refusal(error))
            await write(pb.PlayResponse(refused=refused))
        else:
            await write(pb.PlayResponse(taken=pb.ReplyTaken(op_id=reply.op_id)))


def _open_deal(request: pb.FoldRequest) -> Deal:
    if request.WhichOneof("start") == "record":
        return fold.replay_record(request.record)
    if request.WhichOneof("start") != "deal":
        raise BadRequest("A fold begins with a record or with a deal; this one has neither.")
    asked = request.deal
    if asked.rules.variant_toml:
        raise BadRequest("Only the arena's own variants are folded; play yours with the library maumau.")
    rules = find_rules(asked.rules.name, asked.rules.options_json, asked.rules.hash)
    check_seats(rules, asked.seats)
    return fold.open_deal(rules, asked.seats, asked.seed, asked.first)
