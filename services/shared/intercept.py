"""What happens around every RPC: request id, who calls, errors to statuses, metrics, one log line."""

import asyncio
import inspect
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import structlog

from maumau import trace
from maumau.errors import InternalFault, MaumauError, TooManyCalls, TooManyStreams
from services.shared import action, change, ident, log
from services.shared.action import Actions
from services.shared.auth import Gate, caller
from services.shared.change import Changes, Changing
from services.shared.metric import RpcMetrics
from services.shared.rate import Rates
from services.shared.status import code, status

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
MAX_STREAMS, MAX_CALLS = 20, 20
"""Streams and calls that an author's account, or an address without a token, may have open on one server."""
CALLS_A_SECOND, BURST = 50.0, 500
"""How often it may call, streams aside: on average, and at once after a rest."""
BOUNDS: tuple[tuple[int, type[MaumauError]], ...] = ((MAX_CALLS, TooManyCalls), (MAX_STREAMS, TooManyStreams))

logger = log.get(__name__)


@dataclass
class Call:
    """One that is served. request: None if it is a stream. is_noted: who made it is noted, or will be."""

    method: str
    request: Any
    request_id: str
    is_noted: bool = False


class Around(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """The one interceptor of a server. actions, changes: by service."""

    def __init__(
        self, gate: Gate, metrics: RpcMetrics, actions: Mapping[str, Actions], changes: Mapping[str, Changes]
    ) -> None:
        self.gate, self.metrics, self.actions, self.changes = gate, metrics, actions, changes
        self.changing = Changing()
        self._rates = Rates(CALLS_A_SECOND, BURST)
        self._open: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        return handler and self._wrapped(handler, details.method)

    def _wrapped(self, handler: Any, method: str) -> Any:
        inner = handler.unary_unary or handler.stream_unary or handler.unary_stream or handler.stream_stream

        flags = (handler.request_streaming, handler.response_streaming)
        serialize = handler.response_serializer

        async def once(request: Any, context: Any) -> Any:
            call = Call(method, None if handler.request_streaming else request, _request_id(context))
            async with self._served(call, context):
                with self._admitted(context, streams=any(flags)):
                    if not any(flags) and (kept := self._changes(call)):
                        return await self._change(call, context, kept, inner, serialize)
                    return await inner(request, context)

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            async with self._served(Call(method, None, _request_id(context)), context):
                with self._admitted(context, streams=True):
                    async for message in inner(request, context):
                        yield message

        kind = "_".join("stream" if flag else "unary" for flag in flags)
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        behaviour = stream if inspect.isasyncgenfunction(inner) else once  # others write to the context
        return make(behaviour, handler.request_deserializer, _unless_bytes(serialize))

    def _changes(self, call: Call) -> Changes | None:
        """Where it is kept that this was changed; None where asking again is another change."""
        service, _, name = call.method[1:].partition("/")
        if change.is_preview(call.request):
            return None
        if service in self.changes and change.is_made_once(
            name, self.gate.rules[call.method][0], call.request_id
        ):
            return self.changes[service]
        return None

    async def _change(self, call: Call, context: Any, kept: Changes, inner: Any, serialize: Any) -> bytes:
        """The answer, encoded, to a change that is made once for its request id."""
        who = caller()
        asked = change.new_change(call.method, who.account_id if who else "", call.request_id, call.request)

        async def make() -> tuple[bytes, bool]:
            outcome = "OK"
            try:
                answer = await inner(call.request, context)
            except BaseException as err:
                outcome = _outcome(err, context)
                raise
            finally:
                asked.is_over = True
                await self._note(call, outcome)
            return serialize(answer), change.has_token(answer)

        call.is_noted = True  # where it is made
        try:
            return await self.changing.answer(kept, asked, make)
        except asyncio.CancelledError:
            logger.info("the caller has gone; what was begun is done all the same")
            raise

    @contextmanager
    def _admitted(self, context: Any, *, streams: bool) -> Iterator[None]:
        """Refuses calls beyond the limits, which some callers do not have."""
        who = caller()
        if who and not who.is_bounded:
            yield
            return
        owner = who.account_id if who else _address(context)
        under_way = self._open[streams]
        most, refusal = BOUNDS[streams]
        if under_way[owner] >= most or not (streams or self._rates.take(owner)):
            raise refusal
        under_way[owner] += 1
        try:
            yield
        finally:
            under_way[owner] -= 1
            if not under_way[owner]:
                del under_way[owner]

    @asynccontextmanager
    async def _served(self, call: Call, context: Any) -> AsyncIterator[None]:
        method = call.method
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=method)
        trace.annotate_span(request_id=call.request_id)
        context.set_trailing_metadata((("x-request-id", call.request_id),))
        started, outcome = time.perf_counter(), "OK"
        try:
            try:
                names = _names(context) if self.gate.are_hosts_certified else ()
                await self.gate.enter(method, _metadata(context), _address(context), names)
                yield
            except BaseException as err:
                outcome = _outcome(err, context)
                raise
            finally:  # before the caller hears of it
                self.metrics.ended(method, outcome, time.perf_counter() - started)
                if not call.is_noted:
                    await self._note(call, outcome)
        except grpc.aio.AbortError:
            raise
        except Exception as err:
            await _refuse(err, context, call.request_id)
            raise

    async def _note(self, call: Call, outcome: str) -> None:
        service, _, name = call.method[1:].partition("/")
        who = caller()
        if change.is_preview(call.request):  # nothing is done
            return
        if who and service in self.actions and action.is_action(name, who):
            asked = call.method, who, call.request, outcome, call.request_id
            await action.note(self.actions[service], *asked)


def _unless_bytes(serialize: Callable[[Any], bytes] | None) -> Callable[[Any], bytes] | None:
    """A handler that tells many the same may encode it once."""
    return serialize and (lambda message: message if isinstance(message, bytes) else serialize(message))


def _metadata(context: Any) -> dict[str, str]:
    return {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}


def _request_id(context: Any) -> str:
    """The caller's, if it is harmless in a log; else a new one."""
    given = _metadata(context).get("x-request-id", "")
    return given if REQUEST_ID.fullmatch(given) else ident.new_id("request")


def _address(context: Any) -> str:
    """The caller's host, without its port: `ipv4:127.0.0.1:4711`."""
    return str(context.peer()).rpartition(":")[0]


def _names(context: Any) -> set[str]:
    """Those in the certificate that the caller shows; gRPC has checked it. None without one."""
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
    """Ends the call; an error that is not ours is logged in full, and the caller gets only its request id."""
    if not isinstance(err, MaumauError):
        logger.error("unexpected error", exc_info=err)
        err = InternalFault(f"The arena made a mistake; its log has it under request id {request_id}.")
    else:
        logger.info("refused", reason=err.reason, words=str(err)[:200])
    said = status(err, request_id)
    await context.abort(said.code, said.details, (*said.trailing_metadata, ("x-request-id", request_id)))
