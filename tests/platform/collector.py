"""A collector of traces: a server of OpenTelemetry's own protocol in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as pb
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc


class Span(NamedTuple):
    """A span as it came; ids in hex, links as the ids of the traces that they lead to."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    links: tuple[str, ...]
    about: dict[str, Any]


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps all spans, and what was sent as it was sent."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.sent: list[bytes] = []
        self.address = ""
        self._lock = threading.Lock()

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        with self._lock:
            self.sent.append(request.SerializeToString())
            for group in request.resource_spans:
                service = _values(group.resource.attributes)["service.name"]
                self.spans += [_span(service, one) for part in group.scope_spans for one in part.spans]
        return pb.ExportTraceServiceResponse()

    def of_trace(self, trace: str) -> list[Span]:
        return [span for span in self.spans if span.trace == trace]

    def road(self, span: Span) -> list[tuple[str, str]]:
        """Service and name of the span and of all above it, as far as they have come."""
        by_id = {one.id: one for one in self.spans}
        found = [(span.service, span.name)]
        while span := by_id.get(span.parent):  # type: ignore[assignment]
            found.append((span.service, span.name))
        return found


def _span(service: str, one: Any) -> Span:
    links = tuple(link.trace_id.hex() for link in one.links)
    ids = one.trace_id.hex(), one.span_id.hex(), one.parent_span_id.hex()
    return Span(service, one.name, *ids, links, _values(one.attributes))


def _values(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """Yield a collector that listens."""
    collector, server = Collector(), grpc.server(ThreadPoolExecutor(8))
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    collector.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield collector
    finally:
        server.stop(None).wait()
