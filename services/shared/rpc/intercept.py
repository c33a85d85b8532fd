"""The frame of every RPC: request id, caller, limits, errors as statuses, metrics, one log line."""

import asyncio
import inspect
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import grpc
import structlog

from maumau.errors import InternalFault, MaumauError, MissingToken, NotAllowed, TooManyCalls, TooManyStreams
from maumau.process import trace
from services.shared.base import ident, log
from services.shared.base.address import (
    FORWARDED,
    caller_address,
    find_address,
    set_caller_address,
)
from services.shared.base.auth import Identity, caller
from services.shared.base.metric import RpcMetrics
from services.shared.base.peer import Network, Peer, read_peer
from services.shared.base.rate import Rates
from services.shared.rpc.connection import Uses
from services.shared.rpc.gate import Gate
from services.shared.rpc.guess import ENDED
from services.shared.rpc.open_stream import OpenStream, Streams
from services.shared.rpc.payload import Payloads
from services.shared.rpc.status import code, status
from services.shared.rpc.unknown import refuse_fields, refuse_unknown
from services.shared.store import action, change
from services.shared.store.action import Actions
from services.shared.store.change import Changes, Changing

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
MAX_STREAMS, MAX_CALLS = 20, 20
"""Streams and calls that an author's account, or an address without a token, may have open on a server."""
CALLS_A_SECOND, BURST = 50.0, 500
"""Calls that it may make, streams among them: per second on average, and at once after a rest."""
MAX_FIELDS = 100  # header fields of a request; no client of the arena sends more than a dozen
UNBOUNDED = "/grpc.health.v1.Health/Check"
"""A method without limits: a refusal would cost as much as the answer, and could pass for an outage.

Where a cluster hides callers' addresses, its own probes have the same address as strangers.
"""
UNPACED = "/maumau.v1.EngineService/Play"
"""A method whose requests never wait: a seat replies to questions, and its bank would pay for the wait."""
TOO_MANY = (TooManyCalls, TooManyStreams)
BOUNDS: tuple[tuple[int, type[MaumauError]], ...] = ((MAX_CALLS, TooManyCalls), (MAX_STREAMS, TooManyStreams))

Recall = Callable[[MaumauError], Awaitable[bytes]]

logger = log.get(__name__)


@dataclass
class Call:
    """A call being served. metadata: its text fields. is_noted: its action is noted, or will be.

    request: None until it is read, and if it is a stream. known: the answer to a change that was made before,
    found without admitting the caller. request_id: the caller's if it is safe in a log, else a new one.
    """

    method: str
    metadata: Mapping[str, str]
    request: Any = None
    is_noted: bool = False
    known: bytes | None = None
    request_id: str = field(init=False)

    def __post_init__(self) -> None:
        given = self.metadata.get("x-request-id", "")
        self.request_id = given if REQUEST_ID.fullmatch(given) else ident.new_id("request")


class Around(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """The interceptor of a server.

    actions, changes: by service. uses: requests on connections. services: the full names of all on this
    server. proxies: whose X-Forwarded-For is trusted.
    """

    def __init__(
        self,
        gate: Gate,
        metrics: RpcMetrics,
        actions: Mapping[str, Actions],
        changes: Mapping[str, Changes],
        uses: Uses,
        services: Sequence[str] = (),
        proxies: Sequence[Network] = (),
    ) -> None:
        self._services = services
        self.proxies = proxies
        self.gate, self.metrics, self.actions, self.changes = gate, metrics, actions, changes
        self.changing = Changing()
        self.streams = Streams(gate)
        self._uses, self._payloads = uses, Payloads(CALLS_A_SECOND, BURST)
        self._rates = Rates(CALLS_A_SECOND, BURST)
        self._open: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        fields = details.invocation_metadata
        if len(fields) > MAX_FIELDS:
            return refuse_fields(len(fields), MAX_FIELDS, self._uses)
        handler = await continuation(details)
        if handler is None:
            return refuse_unknown(details.method, self._services)
        metadata = {key: value for key, value in fields if isinstance(value, str)}
        return self._wrapped(handler, details.method, metadata)

    def _wrapped(self, handler: Any, method: str, metadata: Mapping[str, str]) -> Any:
        inner = handler.unary_unary or handler.stream_unary or handler.unary_stream or handler.stream_stream

        flags = (handler.request_streaming, handler.response_streaming)
        decode, serialize = handler.request_deserializer, handler.response_serializer

        async def once(request: Any, context: Any) -> Any:
            call = Call(method, metadata)

            async def recall(refusal: MaumauError) -> bytes:
                read = partial(self._payloads.read, decode, request)
                return await self._recall(call, context, read, refusal)

            async with self._served(call, context, None if any(flags) else recall):
                if call.known is not None:
                    return call.known
                with self._admitted(call, streams=any(flags)) as owner:
                    if any(flags):
                        asked = self._read_stream(request, handler, owner, method)
                        with self.streams.kept(self._stream(call, context)):
                            return await inner(asked, context)
                    call.request = self._payloads.read(decode, request, owner)
                    if kept := self._changes(call):
                        return await self._change(call, context, kept, inner, serialize)
                    return await inner(call.request, context)

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            call = Call(method, metadata)
            async with self._served(call, context):
                with self._admitted(call, streams=True) as owner:
                    asked = self._read_stream(request, handler, owner, method)
                    with self.streams.kept(self._stream(call, context)):
                        async for message in inner(asked, context):
                            yield message

        kind = "_".join("stream" if flag else "unary" for flag in flags)
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        behaviour = stream if inspect.isasyncgenfunction(inner) else once  # others write to the context
        return make(behaviour, None, _unless_bytes(serialize))  # the request is decoded after the gate

    def _read_stream(self, request: Any, handler: Any, owner: str, method: str) -> Any:
        """Return the one request of a stream of answers, or an iterator over a stream of requests."""
        if handler.request_streaming:
            is_paced = method != UNPACED
            return self._payloads.read_each(handler.request_deserializer, request, owner, is_paced=is_paced)
        return self._payloads.read(handler.request_deserializer, request, owner)

    def _stream(self, call: Call, context: Any) -> OpenStream:
        task = asyncio.current_task()
        assert task  # every handler runs in one
        return OpenStream(
            call.method, call.metadata, caller_address().block, frozenset(self._names(context)), task
        )

    def _names(self, context: Any) -> Collection[str]:
        return _names(context) if self.gate.are_hosts_certified else ()

    def _changes(self, call: Call) -> Changes | None:
        """Return the storage of a change that is made once; None if repeating it is another change."""
        service, _, name = call.method[1:].partition("/")
        if change.is_preview(call.request):
            return None
        if service in self.changes and change.is_made_once(
            name, self.gate.rules[call.method][0], call.request_id
        ):
            return self.changes[service]
        return None

    async def _change(self, call: Call, context: Any, kept: Changes, inner: Any, serialize: Any) -> bytes:
        """Return the encoded answer to a change that is made once per request id."""
        asked = _new_change(call, caller())

        async def make() -> tuple[bytes, bool]:
            answer = await inner(call.request, context)
            return serialize(answer), change.has_token(answer)

        async def note(err: BaseException | None) -> None:
            await self._note(call, _outcome(err, context) if err else "OK")

        call.is_noted = True  # it is noted where it is made
        try:
            return await self.changing.answer(kept, asked, make, note)
        except asyncio.CancelledError:
            logger.info("the caller has gone; what was begun is done all the same")
            raise

    async def _recall(
        self, call: Call, context: Any, read: Callable[[str], Any], refusal: MaumauError
    ) -> bytes:
        """Return the answer to a change that its caller made with a token that has ended since.

        Such a change may have ended the token itself. Raise the refusal if there is no answer: the caller
        is admitted to nothing, and counts as one without a token.
        """
        if kept := self._changes(call):
            with self._admitted(call, streams=False) as owner:
                who = await self.gate.recognise(call.method, call.metadata, self._names(context))
                if who:
                    call.request = read(owner)
                    known = await self.changing.recall(kept, _new_change(call, who))
                    if known is not None:
                        return known
        raise refusal

    @contextmanager
    def _admitted(self, call: Call, *, streams: bool) -> Iterator[str]:
        """Refuse calls beyond the limits; yield the owner they count for, "" for callers without limits."""
        who = caller()
        if call.method == UNBOUNDED or (who and not who.is_bounded):
            yield ""
            return
        owner = who.account_id if who else caller_address().block
        under_way = self._open[streams]
        most, refusal = BOUNDS[streams]
        if under_way[owner] >= most:
            raise refusal
        self._count_call(owner)
        self._payloads.check(owner)
        under_way[owner] += 1
        try:
            yield owner
        finally:
            under_way[owner] -= 1
            if not under_way[owner]:
                del under_way[owner]

    def _count_call(self, owner: str) -> None:
        if not self._rates.take(owner):
            raise TooManyCalls

    @contextmanager
    def _used(self, peer: Peer | None) -> Iterator[None]:
        """Record that the caller's connection has a request under way."""
        if peer is None:
            yield
            return
        self._uses.begin(peer)
        try:
            yield
        finally:
            self._uses.end(peer)

    @asynccontextmanager
    async def _served(self, call: Call, context: Any, recall: Recall | None = None) -> AsyncIterator[None]:
        """Serve a call in the frame. recall: finds the answer for a caller whose token has ended."""
        method = call.method
        set_caller_address(find_address(str(context.peer()), call.metadata.get(FORWARDED, ""), self.proxies))
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=method)
        trace.annotate_span(request_id=call.request_id)
        context.set_trailing_metadata((("x-request-id", call.request_id),))
        started, outcome, peer = time.perf_counter(), "OK", read_peer(context.peer())
        try:
            try:
                with self._used(peer):
                    await self._enter(call, context, recall)
                    if peer and (who := caller()):
                        self._uses.identify(peer, who.account_id, is_trusted=not who.is_bounded)
                    yield
            except BaseException as err:
                outcome = _outcome(err, context)
                raise
            finally:  # before the caller gets the answer
                self.metrics.ended(method, outcome, time.perf_counter() - started)
                if not call.is_noted:
                    await self._note(call, outcome)
        except grpc.aio.AbortError:
            raise
        except Exception as err:
            await _refuse(err, context, call.request_id)
            raise

    async def _enter(self, call: Call, context: Any, recall: Recall | None) -> None:
        """Admit the caller, or set the answer that an ended token may still be told."""
        address, names = caller_address().block, self._names(context)
        try:
            await self.gate.enter(call.method, call.metadata, address, names)
        except ENDED as refusal:
            if recall is None:
                raise
            call.known = await recall(refusal)
        except (MissingToken, NotAllowed):  # each is a line of the log
            self._count_call(address)
            raise

    async def _note(self, call: Call, outcome: str) -> None:
        service, _, name = call.method[1:].partition("/")
        who = caller()
        if change.is_preview(call.request):  # nothing was changed
            return
        if who and service in self.actions and action.is_action(name, who):
            asked = call.method, who, call.request, outcome, call.request_id
            await action.note(self.actions[service], *asked)


def _new_change(call: Call, who: Identity | None) -> change.Change:
    asker = who.account_id if who else f"at {caller_address().block}"
    return change.new_change(call.method, asker, call.request_id, call.request)


def _unless_bytes(serialize: Callable[[Any], bytes] | None) -> Callable[[Any], bytes] | None:
    """Return a serializer that passes bytes on: a handler may encode a message once for many."""
    return serialize and (lambda message: message if isinstance(message, bytes) else serialize(message))


def _names(context: Any) -> set[str]:
    """Return the names in the caller's certificate, which gRPC has verified; empty without one."""
    shown = context.auth_context()
    found = (*shown.get("x509_subject_alternative_name", ()), *shown.get("x509_common_name", ()))
    return {name.decode(errors="replace") for name in found if name}


def _outcome(err: BaseException, context: Any) -> str:
    if isinstance(err, MaumauError):
        return str(code(type(err)).name)
    if isinstance(err, (asyncio.CancelledError, GeneratorExit)):
        left = context.time_remaining()
        return "CANCELLED" if left is None or left > 0 else "DEADLINE_EXCEEDED"
    if isinstance(err, grpc.aio.AbortError):
        return str(getattr(context.code(), "name", "UNKNOWN"))
    return "INTERNAL"


async def _refuse(err: Exception, context: Any, request_id: str) -> None:
    """Abort the call; an unexpected error is logged in full, and the caller gets only its request id."""
    if not isinstance(err, MaumauError):
        logger.error("unexpected error", exc_info=err)
        err = InternalFault(f"The arena made a mistake; its log has it under request id {request_id}.")
    elif not isinstance(err, TOO_MANY):  # these are counted; a log line for each would be a flood, too
        logger.info("refused", reason=err.reason, words=str(err)[:200])
    said = status(err, request_id)
    await context.abort(said.code, said.details, (*said.trailing_metadata, ("x-request-id", request_id)))
