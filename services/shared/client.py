"""Channels between services: every call carries token, request id and a deadline.

A call made while another is served goes under the same request id.
"""

from typing import Any, NamedTuple

import grpc
import structlog

from maumau import trace
from maumau.call import OPTIONS
from services.shared import ident
from services.shared.tls import Own

DEADLINE = 30.0  # seconds, for a call whose caller names none
UPLOAD_DEADLINE = 120.0  # the same for a stream to the service; streams from it are endless unless told


def connect(address: str, token: str = "", roots: bytes = b"", own: Own | None = None) -> Any:
    """A channel to HOST:PORT for threads and processes without a loop; make it after a fork.

    roots: certificates in PEM that the server's is checked against; without any it speaks plain text. own:
    what it shows of itself.
    """
    if roots:
        credentials = grpc.ssl_channel_credentials(roots, *(own or ()))
        channel = grpc.secure_channel(address, credentials, options=OPTIONS)
    else:
        channel = grpc.insecure_channel(address, options=OPTIONS)
    return trace.trace_channel(grpc.intercept_channel(channel, _Sync(token)))


def connect_aio(address: str, token: str = "", roots: bytes = b"") -> Any:
    """A channel for handlers; make it inside the running loop."""
    carriers = [kind(token) for kind in (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)]
    carriers = [*trace.client_interceptors(), *carriers]
    if roots:
        credentials = grpc.ssl_channel_credentials(roots)
        return grpc.aio.secure_channel(address, credentials, options=OPTIONS, interceptors=carriers)
    return grpc.aio.insecure_channel(address, options=OPTIONS, interceptors=carriers)


class _Details(NamedTuple):
    """What gRPC's own call details have; theirs cannot be changed."""

    method: Any
    timeout: Any
    metadata: Any
    credentials: Any
    wait_for_ready: Any
    compression: Any


class _Carrier:
    def __init__(self, token: str) -> None:
        self.token = token

    def on(self, details: Any, deadline: float | None) -> _Details:
        """The call's details with token and request id, and with this deadline if they have none."""
        metadata = [*(details.metadata or ()), ("x-request-id", _request_id())]
        if self.token:
            metadata.append(("authorization", f"Bearer {self.token}"))
        timeout = deadline if details.timeout is None else details.timeout
        rest = (getattr(details, name, None) for name in ("credentials", "wait_for_ready", "compression"))
        return _Details(details.method, timeout, metadata, *rest)


def _request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id") or ident.new_id("request"))


class _Sync(
    _Carrier,
    grpc.UnaryUnaryClientInterceptor,  # type: ignore[misc]
    grpc.UnaryStreamClientInterceptor,  # type: ignore[misc]
    grpc.StreamUnaryClientInterceptor,  # type: ignore[misc]
    grpc.StreamStreamClientInterceptor,  # type: ignore[misc]
):
    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(self.on(details, DEADLINE), request)

    def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(self.on(details, None), request)

    def intercept_stream_unary(self, continuation: Any, details: Any, requests: Any) -> Any:
        return continuation(self.on(details, UPLOAD_DEADLINE), requests)

    def intercept_stream_stream(self, continuation: Any, details: Any, requests: Any) -> Any:
        return continuation(self.on(details, None), requests)


# an asyncio channel sorts its interceptors by class, so that each kind of call needs one of its own


class _UnaryUnary(_Carrier, grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return await continuation(self.on(details, DEADLINE), request)


class _UnaryStream(_Carrier, grpc.aio.UnaryStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
        return await continuation(self.on(details, None), request)


class _StreamUnary(_Carrier, grpc.aio.StreamUnaryClientInterceptor):  # type: ignore[misc]
    async def intercept_stream_unary(self, continuation: Any, details: Any, requests: Any) -> Any:
        return await continuation(self.on(details, UPLOAD_DEADLINE), requests)


class _StreamStream(_Carrier, grpc.aio.StreamStreamClientInterceptor):  # type: ignore[misc]
    async def intercept_stream_stream(self, continuation: Any, details: Any, requests: Any) -> Any:
        return await continuation(self.on(details, None), requests)
