"""Channels between services: each call carries a token, a request id and a deadline.

A call made on behalf of another call keeps its request id; one made for a person carries that person's token.
"""

from typing import Any, NamedTuple

import grpc
import structlog

from maumau.client.call import OPTIONS
from maumau.process import trace
from services.shared.base import ident
from services.shared.rpc.tls import Own

DEADLINE = 30.0  # seconds, for calls without a deadline of their own
UPLOAD_DEADLINE = 120.0  # for a stream to the service; streams from it are endless by default


def connect(address: str, token: str = "", roots: bytes = b"", own: Own | None = None) -> Any:
    """Return a channel to HOST:PORT for threads and processes without a loop; create it after a fork.

    roots: PEM certificates that the server's is verified against; without any the channel is plain text. own:
    the client's own certificate.
    """
    if roots:
        credentials = grpc.ssl_channel_credentials(roots, *(own or ()))
        channel = grpc.secure_channel(address, credentials, options=OPTIONS)
    else:
        channel = grpc.insecure_channel(address, options=OPTIONS)
    return trace.trace_channel(grpc.intercept_channel(channel, _Sync(token)))


def connect_aio(address: str, token: str = "", roots: bytes = b"") -> Any:
    """Return a channel for handlers; create it inside the running loop."""
    carriers = [kind(token) for kind in (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)]
    carriers = [*trace.client_interceptors(), *carriers]
    if roots:
        credentials = grpc.ssl_channel_credentials(roots)
        return grpc.aio.secure_channel(address, credentials, options=OPTIONS, interceptors=carriers)
    return grpc.aio.insecure_channel(address, options=OPTIONS, interceptors=carriers)


class _Details(NamedTuple):
    """A mutable copy of gRPC's call details."""

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
        """Return the call's details with token and request id, and with this deadline if they have none."""
        metadata = [*(details.metadata or ()), ("x-request-id", _request_id())]
        if self.token and "authorization" not in dict(details.metadata or ()):
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


# an asyncio channel sorts its interceptors by class, so that each kind of call needs its own


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
