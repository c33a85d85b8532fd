"""Traces for OpenTelemetry, if the environment requests them and `otel` is installed.

Otherwise each function here returns at once, and nothing of OpenTelemetry is imported. An item on which
many processes work for long (a tournament, an upload) has a trace whose id is the SHA-256 of its own, so
that each of them finds it by itself. No message could carry it: a block is claimed long after its match was
made, by a worker that nobody had named. Sampling is by the trace's id, so processes agree on what is traced.

Requests of the page have a span of our own: FastAPI's instrumentation would take `traceparent` and `baggage`
from strangers and pass them on. Streams, health checks, deals and decisions have no span, and attributes are
ids, outcomes and counts. Histograms carry a block's id as an exemplar, since labels come from closed sets.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from maumau.process.extra import say_install

if TYPE_CHECKING:
    from maumau.process.telemetry import Telemetry

ASKING = ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""One of these variables requests traces."""
TOURNAMENT = "tournament_"  # with which their ids begin

_telemetry: Telemetry | None = None


def is_asked_for(env: Mapping[str, str]) -> bool:
    """Return True if this environment requests traces."""
    if env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return env.get("OTEL_TRACES_EXPORTER") != "none" and any(env.get(name) for name in ASKING)


def start_tracing(service: str) -> None:
    """Start tracing if the environment requests it; call it after a fork."""
    global _telemetry  # noqa: PLW0603 - one for a process, as OpenTelemetry itself has it
    if _telemetry or not is_asked_for(os.environ):
        return
    import logging

    try:
        from maumau.process.telemetry import Telemetry

        _telemetry = Telemetry(service, os.environ)
    except ModuleNotFoundError:
        logging.getLogger(__name__).warning(
            "no traces: OTEL_* asks for them, and they need %s", say_install("otel")
        )
    except Exception as error:  # noqa: BLE001 - whatever an exporter refuses: an arena plays without traces
        logging.getLogger(__name__).warning("no traces: %s", error)


def end_tracing() -> None:
    """Send all pending spans, and end tracing."""
    global _telemetry  # noqa: PLW0603
    if _telemetry:
        _telemetry.end()
        _telemetry = None


def is_on() -> bool:
    """Return True if this process is traced."""
    return _telemetry is not None


def key_of_tournament(contest_id: str) -> str:
    """Return the key of a tournament's trace; "" for other contests, such as a ladder, which never ends."""
    return contest_id if contest_id.startswith(TOURNAMENT) else ""


def key_of_match(contest_id: str, label: str) -> str:
    """Return the trace key of a match's blocks: its tournament's; of a ladder or of practice, its own."""
    return key_of_tournament(contest_id) or f"{contest_id}/{label}"


def begin_trace(name: str, key: str, causes: Iterable[str] = (), **about: str | float) -> None:
    """Begin the trace of this key: its first span links to the present one and to the traces of `causes`."""
    if _telemetry:
        _telemetry.begin(name, key, causes, about)


def open_span(name: str, key: str = "", **about: str | float) -> AbstractContextManager[Any]:
    """Open a span: in the trace of this key and linked to the present span, or as a part of that."""
    return _telemetry.span(name, key, about) if _telemetry else nullcontext()


def annotate_span(**about: str | float) -> None:
    """Add attributes to the present span."""
    if _telemetry:
        _telemetry.note(about)


def make_exemplar() -> dict[str, str]:
    """Return the present trace as labels of an exemplar; empty without one, or if it is not recorded."""
    return _telemetry.exemplar() if _telemetry else {}


def make_headers() -> dict[str, str]:
    """Return the headers with which a message's receiver continues the present trace."""
    return _telemetry.headers() if _telemetry else {}


def trace_channel(channel: Any) -> Any:
    """Return the gRPC channel with spans for its calls."""
    return _telemetry.trace_channel(channel) if _telemetry else channel


def client_interceptors() -> list[Any]:
    """Return the interceptors of an asyncio channel; they come before others."""
    return _telemetry.client_interceptors() if _telemetry else []


def server_interceptors(methods: Collection[str]) -> list[Any]:
    """Return the interceptors of an asyncio server, first of all. methods: `/maumau.v1.…` of traced calls."""
    return _telemetry.server_interceptors(methods) if _telemetry else []


def trace_tasks() -> None:
    """Make spans of the Celery tasks of this process."""
    if _telemetry:
        _telemetry.trace_tasks()
