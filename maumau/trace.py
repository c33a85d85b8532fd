"""Traces: what a process tells OpenTelemetry, where the environment asks for it and `otel` is installed.

Everywhere else each function here returns at once, and nothing of OpenTelemetry is imported. A thing on which
many processes work for long (a tournament, an upload) has a trace that follows from its id, so that each of
them finds it without being told: docs/decisions/0084-traces.md.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maumau.telemetry import Telemetry

ASKING = ("OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""One of these variables asks for traces."""
MISSING = "no traces: OTEL_* asks for them, and they need `pip install 'maumau-arena[otel]'`"
TOURNAMENT = "tournament_"  # with which their ids begin

_telemetry: Telemetry | None = None


def is_asked_for(env: Mapping[str, str]) -> bool:
    """Whether this environment asks for traces."""
    if env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return env.get("OTEL_TRACES_EXPORTER") != "none" and any(env.get(name) for name in ASKING)


def start_tracing(service: str) -> None:
    """Start tracing if the environment asks for it; call it after a fork."""
    global _telemetry  # noqa: PLW0603 - one for a process, as OpenTelemetry itself has it
    if _telemetry or not is_asked_for(os.environ):
        return
    import logging

    try:
        from maumau.telemetry import Telemetry

        _telemetry = Telemetry(service, os.environ)
    except ModuleNotFoundError:
        logging.getLogger(__name__).warning(MISSING)
    except Exception as error:  # noqa: BLE001 - whatever an exporter refuses: an arena plays without traces
        logging.getLogger(__name__).warning("no traces: %s", error)


def end_tracing() -> None:
    """Sends what has not been sent, and ends tracing."""
    global _telemetry  # noqa: PLW0603
    if _telemetry:
        _telemetry.end()
        _telemetry = None


def is_on() -> bool:
    """Whether this process is traced."""
    return _telemetry is not None


def key_of_tournament(contest_id: str) -> str:
    """The key of a tournament's trace; "" for a contest that is none, such as a ladder, which never ends."""
    return contest_id if contest_id.startswith(TOURNAMENT) else ""


def key_of_match(contest_id: str, label: str) -> str:
    """In which trace the blocks of a match are: its tournament's; of a ladder or of practice, its own."""
    return key_of_tournament(contest_id) or f"{contest_id}/{label}"


def begin_trace(name: str, key: str, causes: Iterable[str] = (), **about: str | float) -> None:
    """The first span of the trace of this key: linked to what is under way, and to the traces of `causes`."""
    if _telemetry:
        _telemetry.begin(name, key, causes, about)


def open_span(name: str, key: str = "", **about: str | float) -> AbstractContextManager[Any]:
    """A piece of work: of the trace of this key and linked to what is under way, or a part of that."""
    return _telemetry.span(name, key, about) if _telemetry else nullcontext()


def annotate_span(**about: str | float) -> None:
    """What has become known of the piece of work under way."""
    if _telemetry:
        _telemetry.note(about)


def make_exemplar() -> dict[str, str]:
    """The trace under way as labels of an exemplar; empty if there is none, or it is not recorded."""
    return _telemetry.exemplar() if _telemetry else {}


def make_headers() -> dict[str, str]:
    """What a message carries so that its receiver goes on with the trace under way."""
    return _telemetry.headers() if _telemetry else {}


def trace_channel(channel: Any) -> Any:
    """The gRPC channel, whose calls are spans."""
    return _telemetry.trace_channel(channel) if _telemetry else channel


def client_interceptors() -> list[Any]:
    """Those of an asyncio channel; they come before others."""
    return _telemetry.client_interceptors() if _telemetry else []


def server_interceptors(methods: Collection[str]) -> list[Any]:
    """Those of an asyncio server; they come before others. methods: `/maumau.v1.…` of calls to be traced."""
    return _telemetry.server_interceptors(methods) if _telemetry else []


def trace_tasks() -> None:
    """Makes spans of the Celery tasks of this process."""
    if _telemetry:
        _telemetry.trace_tasks()
