"""What happens around every RPC: request id, who calls, errors to statuses, metrics, one log line."""

import asyncio
import inspect
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import grpc
import structlog

from maumau.errors import InternalFault, MaumauError, TooManyCalls, TooManyStreams
from services.shared import action, ident, log
from services.shared.action import Actions
from services.shared.auth import Gate, caller
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


class Around(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """The one interceptor of a server."""

    def __init__(self, gate: Gate, metrics: RpcMetrics, actions: Mapping[str, Actions]) -> None:
        self.gate, self.metrics, self.actions = gate, metrics, actions
        self._rates = Rates(CALLS_A_SECOND, BURST)
        self._open: tuple[Counter[str], Counter[str]] = (Counter(), Counter())

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        return handler and self._wrapped(handler, details.method)

    def _wrapped(self, handler: Any, method: str) -> Any:
        inner = handler.unary_unary or handler.stream_unary or handler.unary_stream or handler.stream_stream

        flags = (handler.request_streaming, handler.response_streaming)

        async def once(request: Any, context: Any) -> Any:
            async with self._call(method, context, None if handler.request_streaming else request):
                with self._admitted(context, streams=any(flags)):
                    return await inner(request, context)

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            async with self._call(method, context):
                with self._admitted(context, streams=True):
                    async for message in inner(request, context):
                        yield message

        kind = "_".join("stream" if flag else "unary" for flag in flags)
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        behaviour = stream if inspect.isasyncgenfunction(inner) else once  # others write to the context
        return make(behaviour, handler.request_deserializer, _unless_bytes(handler.response_serializer))

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
    async def _call(self, method: str, context: Any, request: Any = None) -> AsyncIterator[None]:
        """request: None if it is a stream."""
        metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        request_id = _request_id(metadata.get("x-request-id", ""))
        structlog.contextvars.bind_contextvars(request_id=request_id, method=method)
        context.set_trailing_metadata((("x-request-id", request_id),))
        started, outcome = time.perf_counter(), "OK"
        try:
            try:
                await self.gate.enter(method, metadata)
                yield
            except BaseException as err:
                outcome = _outcome(err, context)
                raise
            finally:  # before the caller hears of it
                self.metrics.ended(method, outcome, time.perf_counter() - started)
                await self._note(method, request, outcome, request_id)
        except grpc.aio.AbortError:
            raise
        except Exception as err:
            await _refuse(err, context, request_id)
            raise

    async def _note(self, method: str, request: Any, outcome: str, request_id: str) -> None:
        service, _, name = method[1:].partition("/")
        who = caller()
        if who and service in self.actions and action.is_action(name, self.gate.rules[method][0], who):
            await action.note(self.actions[service], method, who, request, outcome, request_id)


def _unless_bytes(serialize: Callable[[Any], bytes] | None) -> Callable[[Any], bytes] | None:
    """A handler that tells many the same may encode it once."""
    return serialize and (lambda message: message if isinstance(message, bytes) else serialize(message))


def _request_id(given: str) -> str:
    """The caller's, if it is harmless in a log; else a new one."""
    return given if REQUEST_ID.fullmatch(given) else ident.new_id("request")


def _address(context: Any) -> str:
    """The caller's host, without its port: `ipv4:127.0.0.1:4711`."""
    return str(context.peer()).rpartition(":")[0]


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
