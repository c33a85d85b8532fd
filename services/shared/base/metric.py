"""Metrics of a process: its registry, the page that serves them, and the usual four of an RPC server."""

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, start_http_server

from maumau.process import trace


def new_registry() -> CollectorRegistry:
    """Return a registry with the process's own CPU, memory and files."""
    registry = CollectorRegistry(auto_describe=True)
    ProcessCollector(registry=registry)
    return registry


def new_counter(
    registry: CollectorRegistry, name: str, words: str, label: str = "", values: Iterable[str] = ()
) -> Counter:
    """Return a counter with at most one label, which has a closed set of values.

    All of them are exported as 0 from the start. To Prometheus, a series that begins with its first event has
    not increased, so that a rule on `increase` would miss that event.
    """
    counter = Counter(name, words, [label] if label else [], registry=registry)
    for value in values:
        counter.labels(value)
    return counter


def observe(histogram: Histogram, seconds: float, **ids: str) -> None:
    """Observe a duration; the ids, and the trace's, are the bucket's exemplar in OpenMetrics."""
    histogram.observe(seconds, {**ids, **trace.make_exemplar()})


class MetricsPage(NamedTuple):
    """A metrics page being served."""

    server: Any
    thread: threading.Thread
    address: str

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def serve(registry: CollectorRegistry, host: str, port: int) -> MetricsPage:
    """Serve `/metrics` over HTTP, in OpenMetrics with exemplars if the client accepts it, else as plain text.

    Port 0 takes a free one. Raise OSError if the port is taken.
    """
    server, thread = start_http_server(port, addr=host.strip("[]"), registry=registry)
    return MetricsPage(server, thread, f"{host}:{server.server_port}")


class RpcMetrics:
    """Number, outcome and duration of calls."""

    def __init__(self, registry: CollectorRegistry) -> None:
        labels = ("grpc_service", "grpc_method")
        self.handled = Counter(
            "grpc_server_handled_total", "RPCs ended.", (*labels, "grpc_code"), registry=registry
        )
        self.seconds = Histogram(
            "grpc_server_handling_seconds", "Time an RPC took.", (*labels, "grpc_code"), registry=registry
        )

    def ended(self, method: str, code: str, seconds: float) -> None:
        """Count a call. `method` is gRPC's path, `/maumau.v1.RegistryService/WhoAmI`, of a known method."""
        _, service, name = method.split("/")
        self.handled.labels(service, name, code).inc()
        self.seconds.labels(service, name, code).observe(seconds)
