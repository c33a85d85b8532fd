"""A gRPC server in this process, for tests of what calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any

import grpc


@contextmanager
def serve_servicer(add: Callable[[Any, grpc.Server], None], servicer: object) -> Iterator[str]:
    """Yield a server's address while it serves; add: the generated `add_…Servicer_to_server`."""
    server = grpc.server(futures.ThreadPoolExecutor(4))
    add(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()
