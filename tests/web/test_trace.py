"""Requests for pages are spans that say nothing of what a stranger sent, and begin traces of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from maumau.process import trace
from maumau.process.telemetry import Telemetry, derive_ids
from tests.support.polling import until

SECRET = "mm_a-token-that-was-pasted"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    telemetry, memory = Telemetry("web", {"OTEL_TRACES_EXPORTER": "none"}), InMemorySpanExporter()
    telemetry.provider.add_span_processor(SimpleSpanProcessor(memory))
    monkeypatch.setattr(trace, "_telemetry", telemetry)
    yield memory
    telemetry.end()


def ended(spans: InMemorySpanExporter, count: int) -> tuple[ReadableSpan, ...]:
    """Wait for this many spans: each ends just after its reader has the answer."""
    until(f"{count} spans have ended", lambda: len(spans.get_finished_spans()) >= count)
    return spans.get_finished_spans()


def test_a_request_for_a_page_is_a_span_with_its_route_and_status(site, spans) -> None:
    site.get("/contests/nobody-knows-it")
    (span,) = ended(spans, 1)
    assert span.name == "answer request"
    assert dict(span.attributes) == {"maumau.route": "/contests/{name}", "maumau.status": 404}


def test_streams_static_files_and_health_checks_are_none(site, spans) -> None:
    assert site.get("/healthz").status == 200
    site.get("/static/0/page.js")
    with site.watching("/stream"):
        pass
    site.get("/contests")
    assert [span.attributes["maumau.route"] for span in ended(spans, 1)] == ["/contests"]


def test_nothing_that_a_stranger_sends_is_in_a_span(site, spans) -> None:
    site.get(f"/contests?token={SECRET}", Cookie=f"session={SECRET}", User_Agent=SECRET)
    site.get(f"/nowhere/{SECRET}", Host=SECRET)
    assert SECRET not in "".join(span.to_json() for span in ended(spans, 2))


def test_a_stranger_neither_chooses_a_trace_nor_spoils_an_answer(site, spans) -> None:
    tournament, span_id = derive_ids("tournament_1")
    headers = {
        "traceparent": f"00-{tournament:032x}-{span_id:016x}-01",
        "tracestate": ",".join(f"k{number}={'x' * 240}" for number in range(30)),
        "baggage": ",".join(f"k{number}={'x' * 240}" for number in range(30)),
    }
    assert site.get("/contests", **headers).text == site.get("/contests").text
    found = ended(spans, 2)
    assert tournament not in {span.context.trace_id for span in found}
    assert [span.parent for span in found] == [None, None]
