"""What happens around every RPC: request id, who calls, errors to statuses, metrics, one log line."""

import asyncio
import inspect
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import structlog

from maumau.errors import InternalFault, MaumauError
from services.shared import ident, log
from services.shared.auth import Gate
from services.shared.metric import RpcMetrics
from services.shared.status import code, status

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

logger = log.get(__name__)


class Around(grpc.aio.ServerInterceptor):  # type: ignore[misc]
    """The one interceptor of a server."""

    def __init__(self, gate: Gate, metrics: RpcMetrics) -> None:
        self.gate, self.metrics = gate, metrics

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        handler = await continuation(details)
        return handler and self._wrapped(handler, details.method)

    def _wrapped(self, handler: Any, method: str) -> Any:
        inner = handler.unary_unary or handler.stream_unary or handler.unary_stream or handler.stream_stream

        async def once(request: Any, context: Any) -> Any:
            async with self._call(method, context):
                return await inner(request, context)

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            async with self._call(method, context):
                async for message in inner(request, context):
                    yield message

        flags = (handler.request_streaming, handler.response_streaming)
        kind = "_".join("stream" if flag else "unary" for flag in flags)
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        behaviour = stream if inspect.isasyncgenfunction(inner) else once  # others write to the context
        return make(behaviour, handler.request_deserializer, handler.response_serializer)

    @asynccontextmanager
    async def _call(self, method: str, context: Any) -> AsyncIterator[None]:
        metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        request_id = _request_id(metadata.get("x-request-id", ""))
        structlog.contextvars.bind_contextvars(request_id=request_id, method=method)
        context.set_trailing_metadata((("x-request-id", request_id),))
        started, outcome = time.perf_counter(), "OK"
        try:
            await self.gate.enter(method, metadata)
            yield
        except BaseException as err:
            outcome = _outcome(err, context)
            if isinstance(err, Exception) and not isinstance(err, grpc.aio.AbortError):
                await _refuse(err, context, request_id)
            raise
        finally:
            self.metrics.ended(method, outcome, time.perf_counter() - started)


def _request_id(given: str) -> str:
    """The caller's, if it is harmless in a log; else a new one."""
    return given if REQUEST_ID.fullmatch(given) else ident.new_id("request")


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
    """Ends the call; an error that is none of ours is logged in full and told only by its request id."""
    if not isinstance(err, MaumauError):
        logger.error("unexpected error", exc_info=err)
        err = InternalFault(f"The arena made a mistake; its log has it under request id {request_id}.")
    else:
        logger.info("refused", reason=err.reason, words=str(err)[:200])
    said = status(err, request_id)
    await context.abort(said.code, said.details, (*said.trailing_metadata, ("x-request-id", request_id)))
