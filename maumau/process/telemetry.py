"""OpenTelemetry itself: imported by `maumau.process.trace` alone, and only if traces are requested."""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import entry_points
from typing import Any

from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, TraceFlags

EXPORTERS = "opentelemetry_traces_exporter"  # the group of entry points
OTLP = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}
MAX_END_SECONDS = 2.0  # for which a process waits at its end to send its last spans
MAX_CAUSES = 100  # links of a span; OpenTelemetry keeps 128
PREFIX = "maumau."


class ChosenIds(RandomIdGenerator):
    """Random ids, except for the first span of a trace that follows from a key."""

    def __init__(self) -> None:
        self.chosen: ContextVar[tuple[int, int] | None] = ContextVar("chosen", default=None)

    def generate_trace_id(self) -> int:
        chosen = self.chosen.get()
        return chosen[0] if chosen else super().generate_trace_id()

    def generate_span_id(self) -> int:
        chosen = self.chosen.get()
        return chosen[1] if chosen else super().generate_span_id()


class Telemetry:
    """The tracer of a process, with its exporters."""

    def __init__(self, service: str, env: Mapping[str, str]) -> None:
        named = {
            "service.namespace": "maumau",
            "service.name": env.get("OTEL_SERVICE_NAME") or f"maumau-{service}",
            "service.instance.id": f"{socket.gethostname()}-{os.getpid()}",
        }
        self.ids = ChosenIds()
        exporters = list(load_exporters(env))
        self.provider = TracerProvider(
            resource=Resource.create(named), id_generator=self.ids, shutdown_on_exit=False
        )
        for exporter in exporters:
            self.provider.add_span_processor(BatchSpanProcessor(exporter))
        self.tracer = self.provider.get_tracer("maumau")

    def end(self) -> None:
        """Shut down, waiting for an unreachable collector no longer than MAX_END_SECONDS."""
        ending = threading.Thread(target=self.provider.shutdown, daemon=True)
        ending.start()
        ending.join(MAX_END_SECONDS)

    def begin(self, name: str, key: str, causes: Iterable[str], about: Mapping[str, str | float]) -> None:
        here = trace.get_current_span()
        linked = [here.get_span_context(), *map(self._context_of, list(causes)[:MAX_CAUSES])]
        links = [Link(one) for one in linked if one.is_valid]
        reset = self.ids.chosen.set(derive_ids(key))
        try:
            first = self.tracer.start_span(name, Context(), attributes=_named(about), links=links)
        finally:
            self.ids.chosen.reset(reset)
        first.end()
        here.add_link(first.get_span_context())

    @contextmanager
    def span(self, name: str, key: str, about: Mapping[str, str | float]) -> Iterator[Any]:
        context, links = None, []
        if key:
            here, first = trace.get_current_span().get_span_context(), self._context_of(key)
            if here.trace_id != first.trace_id:
                context = trace.set_span_in_context(NonRecordingSpan(first), Context())
                links = [Link(here)] if here.is_valid else []
        with self.tracer.start_as_current_span(name, context, attributes=_named(about), links=links) as made:
            yield made

    def note(self, about: Mapping[str, str | float]) -> None:
        trace.get_current_span().set_attributes(_named(about))

    def exemplar(self) -> dict[str, str]:
        here = trace.get_current_span().get_span_context()
        sampled = here.is_valid and here.trace_flags.sampled
        return {"trace_id": trace.format_trace_id(here.trace_id)} if sampled else {}

    def headers(self) -> dict[str, str]:
        carried: dict[str, str] = {}
        propagate.inject(carried)
        return carried

    def trace_channel(self, channel: Any) -> Any:
        from opentelemetry.instrumentation.grpc import client_interceptor
        from opentelemetry.instrumentation.grpc.grpcext import intercept_channel

        return intercept_channel(channel, client_interceptor(self.provider, _has_one_answer))

    def client_interceptors(self) -> list[Any]:
        import grpc
        from opentelemetry.instrumentation.grpc import aio_client_interceptors

        kinds = grpc.aio.UnaryUnaryClientInterceptor, grpc.aio.StreamUnaryClientInterceptor
        return [one for one in aio_client_interceptors(self.provider) if isinstance(one, kinds)]

    def server_interceptors(self, methods: Collection[str]) -> list[Any]:
        from opentelemetry.instrumentation.grpc import aio_server_interceptor

        return [aio_server_interceptor(self.provider, lambda details: details.method in methods)]

    def trace_tasks(self) -> None:
        from opentelemetry.instrumentation.celery import CeleryInstrumentor

        instrumentor = CeleryInstrumentor()
        instrumentor.instrument(tracer_provider=self.provider)

    def _context_of(self, key: str) -> SpanContext:
        """Return the context of the first span of a key's trace; every process samples the same keys."""
        trace_id, span_id = derive_ids(key)
        sampled = (
            self.provider.sampler.should_sample(Context(), trace_id, key).decision
            is Decision.RECORD_AND_SAMPLE
        )
        flags = TraceFlags(TraceFlags.SAMPLED if sampled else TraceFlags.DEFAULT)
        return SpanContext(trace_id, span_id, is_remote=True, trace_flags=flags)


def _has_one_answer(call: Any) -> bool:
    """Return False for streams: the interceptor would turn them into generators without `cancel`."""
    return not getattr(call, "is_server_stream", False)


def derive_ids(key: str) -> tuple[int, int]:
    """Return the ids of a key's trace and of its first span."""
    digest = hashlib.sha256(b"maumau trace " + key.encode()).digest()
    return int.from_bytes(digest[:16]), int.from_bytes(digest[16:24])


def load_exporters(env: Mapping[str, str]) -> Iterator[SpanExporter]:
    """Yield the exporters in OTEL_TRACES_EXPORTER, by default `otlp`; raise LookupError if not installed."""
    protocol = env.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or env.get("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    for name in (env.get("OTEL_TRACES_EXPORTER") or "otlp").split(","):
        if name.strip() == "none":
            continue
        wanted = OTLP.get(protocol, protocol) if name.strip() == "otlp" else name.strip()
        found = list(entry_points(group=EXPORTERS, name=wanted))
        if not found:
            known = ", ".join(sorted({one.name for one in entry_points(group=EXPORTERS)}))
            raise LookupError(f"there is no exporter {wanted!r}; installed are {known}")
        yield found[0].load()()


def _named(about: Mapping[str, str | float]) -> dict[str, str | float]:
    return {PREFIX + name: value for name, value in about.items()}
