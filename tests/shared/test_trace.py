"""Traces are told where they are asked for and can be; everywhere else nothing is imported for them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from bench.support.patience import patient
from maumau.process import trace
from maumau.process.telemetry import Telemetry, derive_ids

ROOT = Path(__file__).parents[2]
NO_EXPORTER = {"OTEL_TRACES_EXPORTER": "none"}


@pytest.fixture(autouse=True)
def _untraced(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in trace.ASKING:
        monkeypatch.delenv(name, raising=False)


def test_only_one_module_imports_opentelemetry_and_only_one_imports_that() -> None:
    paths = [path for part in ("maumau", "services") for path in (ROOT / part).rglob("*.py")]
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in paths}
    assert len(texts) > 300
    telling = re.compile(r"^\s*(from|import) opentelemetry", re.MULTILINE)
    assert [path for path, text in texts.items() if telling.search(text)] == ["maumau/process/telemetry.py"]
    asking = re.compile(r"^\s+from maumau.process.telemetry import", re.MULTILINE)  # inside functions alone
    assert [path for path, text in texts.items() if "maumau.process.telemetry" in text] == [
        "maumau/process/trace.py"
    ]
    assert len(asking.findall(texts["maumau/process/trace.py"])) == 2


@pytest.mark.long
def test_services_need_nothing_of_opentelemetry() -> None:
    """But for the page: FastAPI, with which it is made, requires the interface of OpenTelemetry."""
    services = ("registry", "tournament", "matchmaking", "engine", "worker")
    program = "import sys\nsys.modules['opentelemetry'] = None\n" + "".join(
        f"import services.{name}.app\n" for name in services
    )
    program += (
        "from maumau.client import call\nfrom maumau.process import trace\n"
        "trace.start_tracing('tournament')\n"
        "call.open_channel('127.0.0.1:1', tls=False)\n"
        "print([name for name in sys.modules if name.startswith('opentelemetry.')], trace.is_on())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=patient(60), check=True
    )
    assert done.stdout == "[] False\n"


def test_a_process_that_nobody_asks_for_traces_tells_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "maumau.process.telemetry", None)  # importing it fails
    trace.start_tracing("worker")
    trace.begin_trace("tournament", "tournament_1")
    with trace.open_span("play block", "tournament_1", block="block_1"):
        trace.annotate_span(outcome="done")
        assert trace.make_headers() == trace.make_exemplar() == {}
    channel = object()
    assert trace.trace_channel(channel) is channel
    assert trace.client_interceptors() == trace.server_interceptors({"/a.B/C"}) == []
    assert not trace.is_on()


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "arena"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}, True),
        ({"OTEL_TRACES_EXPORTER": "console"}, True),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4317"}, False),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}, False),
    ],
)
def test_the_usual_variables_ask_for_traces(env: dict[str, str], asked: bool) -> None:
    assert trace.is_asked_for(env) is asked


def test_without_the_extra_it_is_said_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
    monkeypatch.setitem(sys.modules, "maumau.process.telemetry", None)
    trace.start_tracing("worker")
    assert not trace.is_on()
    assert "-py3-none-any.whl[otel]'" in caplog.text


def test_an_exporter_that_is_not_installed_keeps_no_service_from_starting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "jaeger")
    trace.start_tracing("worker")
    assert not trace.is_on()
    assert "there is no exporter 'jaeger'; installed are console, otlp" in caplog.text


def new_process(name: str) -> tuple[Telemetry, InMemorySpanExporter]:
    """Return a process's telemetry, and the spans that it has exported."""
    told, memory = Telemetry(name, NO_EXPORTER), InMemorySpanExporter()
    told.provider.add_span_processor(SimpleSpanProcessor(memory))
    return told, memory


def test_every_process_records_the_same_share_of_tournaments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.5")
    (service, begun), (worker, played) = new_process("tournament"), new_process("worker")
    keys = [f"tournament_{number}" for number in range(40)]
    for key in keys:
        service.begin("tournament", key, (), {})
        with worker.span("play block", key, {}):
            pass
    first = {span.context.trace_id: span.context.span_id for span in begun.get_finished_spans()}
    assert 0 < len(first) < len(keys)
    assert first == {span.context.trace_id: span.parent.span_id for span in played.get_finished_spans()}
    assert first.items() <= {derive_ids(key) for key in keys}


def test_work_of_another_trace_is_linked_to_what_led_to_it() -> None:
    told, memory = new_process("worker")
    with told.span("run/worker.play_block", "", {}), told.span("play block", "tournament_1", {"block": "b"}):
        pass
    block, task = memory.get_finished_spans()
    assert block.context.trace_id == derive_ids("tournament_1")[0] != task.context.trace_id
    assert [link.context.span_id for link in block.links] == [task.context.span_id]
    assert dict(block.attributes) == {"maumau.block": "b"}


@pytest.fixture
def echo() -> Iterator[str]:
    """Yield the address of a server with a call that has one answer, and one that has many."""
    one = grpc.unary_unary_rpc_method_handler(lambda request, _: request)
    many = grpc.unary_stream_rpc_method_handler(lambda request, _: iter([request] * 3))
    server = grpc.server(ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler("t.Echo", {"One": one, "Many": many})]
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def test_calls_with_one_answer_are_spans_and_streams_stay_as_they_are(echo: str) -> None:
    told, memory = new_process("client")
    with grpc.insecure_channel(echo) as plain:
        channel = told.trace_channel(plain)
        assert channel.unary_unary("/t.Echo/One")(b"a", timeout=patient(20)) == b"a"
        stream = channel.unary_stream("/t.Echo/Many")(b"b", timeout=patient(20))
        assert list(stream) == [b"b"] * 3
        stream.cancel()
    assert [span.name for span in memory.get_finished_spans()] == ["/t.Echo/One"]


def test_a_match_of_a_tournament_is_in_its_trace_and_one_of_a_ladder_has_its_own() -> None:
    assert trace.key_of_match("tournament_1", "1.1.2") == "tournament_1"
    assert trace.key_of_match("contest_1", "7") == "contest_1/7"
    assert trace.key_of_tournament("contest_1") == ""
