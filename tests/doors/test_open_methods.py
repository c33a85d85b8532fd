"""Answers without a token are counted by address: every method of every service is tried."""

import grpc
import pytest
from grpc.aio import _server
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import SERVICE_NAME as HEALTH
from grpc_reflection.v1alpha.reflection import SERVICE_NAME as REFLECTION

from bench.support.patience import patient
from services.shared.base.rate import Rates
from services.shared.rpc.intercept import UNBOUNDED, UNPACED
from tests.support.arenas.matchmaker import Matchmaker
from tests.support.waiting import until

ADDRESS, FEW, SENT = "127.0.0.1", 2, 8
Code = grpc.StatusCode
STREAMED = f"/{REFLECTION}/ServerReflectionInfo"


@pytest.fixture(scope="module")
def arena(loop, valkey, tmp_path_factory):
    """Yield all services on one address; `handlers` has those registered, by gRPC's paths."""
    found = {}
    add = _server.Server.add_registered_method_handlers

    def note_handlers(server, service, handlers):
        found.update({f"/{service}/{name}": handler for name, handler in handlers.items()})
        add(server, service, handlers)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_server.Server, "add_registered_method_handlers", note_handlers)
        arena = Matchmaker(loop, tmp_path_factory.mktemp("open"), "", valkey).begin()
    arena.handlers = found
    yield arena
    arena.stop()


@pytest.fixture
def channel(arena):
    with grpc.insecure_channel(arena.address) as channel:
        yield channel


def open_call(channel, path, handler, count=1):
    """Return a call without a token that sends `count` empty messages."""
    kind = f"{'stream' if handler.request_streaming else 'unary'}_"
    kind += "stream" if handler.response_streaming else "unary"
    asked = iter([b""] * count) if handler.request_streaming else b""
    opened = getattr(channel, kind)(path)
    begin = opened if handler.response_streaming else opened.future
    return begin(asked, timeout=patient(20))


def find_outcome(call, handler):
    """Return the code of a call, or OK at the first answer of a stream, which is then cancelled."""
    try:
        if handler.response_streaming:
            next(call, None)
        else:
            call.result()
    except grpc.RpcError as error:
        return error.code()
    call.cancel()
    return Code.OK


def test_every_service_is_looked_at(arena):
    names = {path[1:].partition("/")[0] for path in arena.handlers}
    assert names == {*arena.server.services, HEALTH, REFLECTION}
    assert {UNBOUNDED, UNPACED, STREAMED} <= set(arena.handlers)


def test_every_method_but_one_refuses_an_address_that_calls_too_often(arena, channel):
    unbounded, faults = set(), set()
    for path, handler in arena.handlers.items():
        arena.server.around._rates = Rates(0.0, FEW)
        codes = [find_outcome(open_call(channel, path, handler), handler) for _ in range(FEW + 1)]
        if codes[-1] is not Code.RESOURCE_EXHAUSTED or Code.RESOURCE_EXHAUSTED in codes[:FEW]:
            unbounded.add(path)
        if {Code.INTERNAL, Code.UNKNOWN, Code.DEADLINE_EXCEEDED} & set(codes):
            faults.add(path)
    assert (unbounded, faults) == ({UNBOUNDED}, set())


def test_every_message_of_a_stream_that_needs_no_token_is_counted(arena, channel):
    """A stream ends by itself, or waits once it has read as many messages as it may."""
    streams = {path: handler for path, handler in arena.handlers.items() if handler.request_streaming}
    waiting = set()
    for path, handler in streams.items():
        arena.server.around._rates = Rates(0.0, FEW)
        messages = arena.server.around._payloads.messages = Rates(0.0, FEW)
        call = open_call(channel, path, handler, SENT)
        until(lambda call=call, messages=messages: call.done() or not messages.may(ADDRESS))
        if not call.done():
            waiting.add(path)
        call.cancel()
    assert waiting == {STREAMED, "/maumau.v1.EngineService/FoldMany"}


def test_the_health_of_all_that_a_service_needs_is_listed(arena, channel):

    arena.server.around._rates = Rates(0.0, FEW)
    found = health_pb2_grpc.HealthStub(channel).List(health_pb2.HealthListRequest(), timeout=patient(20))
    assert {"", *arena.server.services} <= set(found.statuses)
    assert found.statuses[""].status == health_pb2.HealthCheckResponse.SERVING
