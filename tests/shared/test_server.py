"""A server's manners, tried with the health messages of a small service of its own."""

import asyncio
import logging
import threading
import urllib.request

import grpc
import pytest
import structlog
from google.protobuf import descriptor_pb2, descriptor_pool, empty_pb2

from bench.support.patience import patient
from maumau import errors
from services.shared.base import metric
from services.shared.base.auth import Identity, Need, caller, identity
from services.shared.base.rate import Rates
from services.shared.base.settings import Settings
from services.shared.process import server
from services.shared.process.server import Server
from services.shared.rpc import client, intercept
from services.shared.rpc.gate import Gate
from services.shared.rpc.intercept import BURST, MAX_CALLS, MAX_STREAMS, _unless_bytes
from services.shared.rpc.payload import MISTAKES
from services.shared.rpc.status import rpc_errors
from tests.support.waiting import until

METHODS = ("Who", "Fail", "Wait", "Chain", "Count", "Add", "Follow")
AUTHOR = "mm_" + "a" * 20


@pytest.fixture(scope="module")
def descriptor():
    """Return a service of Empty messages, made here so that this test knows no service of the arena."""
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto3")
    file.dependency.append("google/protobuf/empty.proto")
    service = file.service.add(name="Toy")
    for name in METHODS:
        service.method.add(
            name=name, input_type=".google.protobuf.Empty", output_type=".google.protobuf.Empty"
        )
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(empty_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName("t.Toy")


class Toy:
    """One handler of each kind; `seen` is what they saw."""

    def __init__(self):
        self.seen, self.next, self.ended = [], None, threading.Event()

    async def who(self, request, context):
        self.seen.append(
            (caller() and identity().name, structlog.contextvars.get_contextvars()["request_id"])
        )
        return request

    async def fail(self, request, context):
        raise ValueError("the password is swordfish")

    async def wait(self, request, context):
        try:
            await asyncio.sleep(30)
        finally:
            self.ended.set()

    async def chain(self, request, context):
        await self.next.unary_unary("/t.Toy/Who", *WIRE)(request)
        return request

    async def count(self, request, context):
        for _ in range(3):
            yield request
        raise errors.UnknownBot("no more")

    async def follow(self, request, context):
        yield request
        await asyncio.sleep(60)

    async def add(self, requests, context):
        self.seen.append([message async for message in requests])
        return empty_pb2.Empty()

    def register(self, _, server):
        def handler(kind, call):
            return getattr(grpc, f"{kind}_rpc_method_handler")(
                call, empty_pb2.Empty.FromString, empty_pb2.Empty.SerializeToString
            )

        handlers = {
            "Who": handler("unary_unary", self.who), "Fail": handler("unary_unary", self.fail),
            "Wait": handler("unary_unary", self.wait), "Chain": handler("unary_unary", self.chain),
            "Count": handler("unary_stream", self.count), "Add": handler("stream_unary", self.add),
            "Follow": handler("unary_stream", self.follow),
        }  # fmt: skip
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("t.Toy", handlers),))


WIRE = (empty_pb2.Empty.SerializeToString, empty_pb2.Empty.FromString)
EMPTY = empty_pb2.Empty()


async def _authenticate(token):
    if token != AUTHOR:
        raise errors.UnknownToken
    return Identity("account_1", "ada", frozenset({"author"}))


@pytest.fixture
def toy(descriptor):
    """Yield a running server with the toy on it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    toy = Toy()
    needs = dict.fromkeys(METHODS, Need.PUBLIC)

    async def begin():
        server = Server("toy", Settings())
        server.add(descriptor, toy.register, toy, needs, _authenticate)
        await server.start()
        toy.next = client.connect_aio(server.address)
        return server

    toy.run = lambda coroutine: asyncio.run_coroutine_threadsafe(coroutine, loop).result(patient(20))
    toy.server = toy.run(begin())
    yield toy
    toy.run(toy.server.stop(0.1))
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def _call(toy, method, token="", **options):
    with client.connect(toy.server.address, token) as channel, rpc_errors():
        return channel.unary_unary(f"/t.Toy/{method}", *WIRE)(EMPTY, **options)


def _count(toy, method, code):
    """Return the number of such calls counted; None before the first one."""
    labels = {"grpc_service": "t.Toy", "grpc_method": method, "grpc_code": code}
    return toy.server.registry.get_sample_value("grpc_server_handled_total", labels)


def _counted(toy, method, code):
    """Waits until such a call is counted, which is just after its caller has the answer."""
    until(lambda: _count(toy, method, code), 5)


@pytest.mark.parametrize("kind", ["unary_unary", "stream_unary", "unary_stream"])
def test_a_call_of_another_service_is_told_which_one_answers(toy, kind):
    words = (
        "Toy answers here, and not RegistryService: name the address of the arena's page or of its"
        " RegistryService, as in --arena http://HOST:7100; the arena tells the other ports"
    )
    asked = iter([EMPTY]) if kind.startswith("stream") else EMPTY
    with client.connect(toy.server.address) as channel:
        call = getattr(channel, kind)("/maumau.v1.RegistryService/WhoAmI", *WIRE)
        with pytest.raises(grpc.RpcError) as refusal:
            list(call(asked))
    assert (refusal.value.code(), refusal.value.details()) == (grpc.StatusCode.UNIMPLEMENTED, words)


def test_a_call_of_a_newer_release_is_told_so(toy):
    with client.connect(toy.server.address) as channel, pytest.raises(grpc.RpcError) as refusal:
        channel.unary_unary("/t.Toy/Fly", *WIRE)(EMPTY)
    assert refusal.value.details() == "t.Toy of this arena has no Fly: its release is another one than yours"


def test_the_caller_and_the_request_id_are_known_inside(toy):
    _call(toy, "Who", AUTHOR, metadata=(("x-request-id", "mine"),))
    _call(toy, "Who")
    assert toy.seen[0][0] == "ada"
    assert toy.seen[1][0] is None
    assert toy.seen[1][1].startswith("request_")


def test_a_request_id_goes_on_to_the_next_service(toy):
    with grpc.insecure_channel(toy.server.address) as channel:
        call = channel.unary_unary("/t.Toy/Chain", *WIRE)
        _, done = call.with_call(EMPTY, metadata=(("x-request-id", "from-the-first"),))
    assert toy.seen == [(None, "from-the-first")]
    assert ("x-request-id", "from-the-first") in done.trailing_metadata()


def test_a_request_id_that_could_spoil_a_log_is_replaced(toy):
    with grpc.insecure_channel(toy.server.address) as channel:
        call = channel.unary_unary("/t.Toy/Who", *WIRE)
        call(EMPTY, metadata=(("x-request-id", "a" * 65),))
    assert toy.seen[0][1].startswith("request_")


def test_an_unexpected_error_tells_its_request_id_and_nothing_else(toy, caplog):
    with caplog.at_level(logging.ERROR), pytest.raises(errors.InternalFault) as raised:
        _call(toy, "Fail", metadata=())
    assert "request_" in str(raised.value)
    assert "swordfish" not in str(raised.value)
    _counted(toy, "Fail", "INTERNAL")


def test_a_call_ends_at_its_deadline_on_the_server_too(toy):
    def passes():
        with pytest.raises(errors.DeadlinePassed):
            _call(toy, "Wait", timeout=0.2)
        return toy.ended.wait(patient(1)) and _count(toy, "Wait", "DEADLINE_EXCEEDED")

    until(passes)  # on a busy host it may not have connected by then, or may hear of the caller's end first


def test_a_stream_may_end_in_an_error_of_ours(toy):
    with client.connect(toy.server.address) as channel:
        stream = channel.unary_stream("/t.Toy/Count", *WIRE)(EMPTY)
        assert [next(stream) for _ in range(3)] == [EMPTY] * 3
        with pytest.raises(errors.UnknownBot, match="no more"), rpc_errors():
            next(stream)
    _counted(toy, "Count", "NOT_FOUND")


def test_an_account_has_a_bounded_number_of_streams_and_hinders_no_other(toy):
    with client.connect(toy.server.address, AUTHOR) as mine, client.connect(toy.server.address) as others:
        follow, other = (each.unary_stream("/t.Toy/Follow", *WIRE) for each in (mine, others))
        streams = [follow(EMPTY) for _ in range(MAX_STREAMS)]
        assert [next(stream) for stream in streams] == [EMPTY] * MAX_STREAMS
        with pytest.raises(errors.TooManyStreams, match="end one"), rpc_errors():
            next(follow(EMPTY))
        assert next(other(EMPTY)) == EMPTY
        _call(toy, "Who", AUTHOR)
        streams[0].cancel()
        until(lambda: _is_open(follow))


@pytest.mark.long
def test_an_account_may_not_call_as_often_as_it_likes_and_hinders_no_other(toy):
    toy.server.around._rates.second = 0.0
    with client.connect(toy.server.address, AUTHOR) as channel:
        call = channel.unary_unary("/t.Toy/Who", *WIRE)
        for _ in range(BURST):
            call(EMPTY)
        with pytest.raises(errors.TooManyCalls, match="wait a moment"), rpc_errors():
            call(EMPTY)
    _call(toy, "Who")


def test_streams_that_are_opened_count_as_calls(toy):
    toy.server.around._rates = Rates(0.0, 3)
    with client.connect(toy.server.address) as channel:
        follow = channel.unary_stream("/t.Toy/Follow", *WIRE)
        for _ in range(3):
            stream = follow(EMPTY)
            assert next(stream) == EMPTY
            stream.cancel()
        with pytest.raises(errors.TooManyCalls), rpc_errors():
            next(follow(EMPTY))
    _call(toy, "Who", AUTHOR)


def test_messages_of_a_stream_beyond_the_rate_wait(toy):
    messages = toy.server.around._payloads.messages = Rates(0.0, 3)
    with client.connect(toy.server.address, AUTHOR) as channel:
        sent = channel.stream_unary("/t.Toy/Add", *WIRE).future(iter([EMPTY] * 5))
        until(lambda: not messages.may("account_1"))
        assert not sent.done()
        messages.give_back("account_1")
        messages.give_back("account_1")
        assert sent.result(patient(10)) == EMPTY
    assert len(toy.seen[0]) == 5


def test_messages_of_a_stream_without_a_pace_do_not_wait(toy, monkeypatch):
    monkeypatch.setattr(intercept, "UNPACED", "/t.Toy/Add")
    toy.server.around._payloads.messages = Rates(0.0, 3)
    with client.connect(toy.server.address, AUTHOR) as channel:
        sent = channel.stream_unary("/t.Toy/Add", *WIRE)(iter([EMPTY] * 5), timeout=patient(10))
    assert sent == EMPTY
    assert len(toy.seen[0]) == 5


def test_refusals_for_want_of_a_token_are_counted_by_address(toy):
    """Each is a line of the log."""
    toy.server.around.gate.rules["/t.Toy/Who"] = (Need.ANY, _authenticate)
    toy.server.around._rates = Rates(0.0, 3)
    for _ in range(3):
        with pytest.raises(errors.MissingToken):
            _call(toy, "Who")
    with pytest.raises(errors.TooManyCalls):
        _call(toy, "Who")
    _call(toy, "Who", AUTHOR)


def test_an_account_has_a_bounded_number_of_calls_under_way(toy):
    with client.connect(toy.server.address, AUTHOR) as channel:
        wait, who = (channel.unary_unary(f"/t.Toy/{method}", *WIRE) for method in ("Wait", "Who"))
        waiting = [wait.future(EMPTY) for _ in range(MAX_CALLS)]
        until(lambda: _is_refused(who))
        for call in waiting:
            call.cancel()
        until(lambda: not _is_refused(who))


def _is_refused(call):
    try:
        with rpc_errors():
            call(EMPTY)
    except errors.TooManyCalls:
        return True
    return False


def test_what_is_encoded_already_is_sent_as_it_is():
    serialize = _unless_bytes(empty_pb2.Empty.SerializeToString)
    assert (serialize(b"\x08\x01"), serialize(EMPTY)) == (b"\x08\x01", b"")


def _is_open(follow):
    try:
        with rpc_errors():
            return next(follow(EMPTY)) == EMPTY
    except errors.TooManyStreams:
        return False


def test_an_upload_is_read_to_its_end(toy):
    with client.connect(toy.server.address) as channel:
        channel.stream_unary("/t.Toy/Add", *WIRE)(iter([EMPTY] * 5))
    assert len(toy.seen[0]) == 5


def test_an_asyncio_channel_carries_the_same(toy):
    async def calls():
        channel = client.connect_aio(toy.server.address, AUTHOR)
        await channel.unary_unary("/t.Toy/Who", *WIRE)(EMPTY)
        await channel.stream_unary("/t.Toy/Add", *WIRE)(iter([EMPTY] * 2))
        with pytest.raises(errors.UnknownBot), rpc_errors():
            async for _ in channel.unary_stream("/t.Toy/Count", *WIRE)(EMPTY):
                pass
        await channel.close()

    toy.run(calls())
    assert toy.seen[0][0] == "ada"


def test_two_servers_cannot_share_a_port(toy, descriptor):
    async def second():
        server = Server("second", Settings(listen=toy.server.address))
        await server.start()

    with pytest.raises(errors.PortInUse, match="another program has it"):
        toy.run(second())


def test_background_work_goes_on_after_an_error(toy, descriptor):
    runs, third = [], asyncio.Event()

    async def body():
        runs.append(1)
        if len(runs) == 3:
            third.set()
        raise KeyError("every time")

    async def begin():
        server = Server("busy", Settings())
        server.background("body", 0.01, body)
        await server.start()
        await third.wait()
        await server.stop(0.1)

    toy.run(begin())


def test_every_method_needs_a_line_about_who_may_call_it(descriptor):
    needs = dict.fromkeys(METHODS, Need.ADMIN)
    del needs["Who"]
    with pytest.raises(ValueError, match="Who"):
        Gate().add(descriptor, needs, _authenticate)


@pytest.mark.parametrize(
    ("scope", "may"),
    [
        ("author", {Need.PUBLIC, Need.ANY, Need.AUTHOR, Need.GUEST}),
        ("worker", {Need.PUBLIC, Need.ANY, Need.WORKER}),
        ("admin", set(Need)),
        ("", set()),
    ],
)
def test_each_scope_is_enough_for_its_own_calls(scope, may):
    who = Identity("account_1", "ada", frozenset({scope} - {""}), expires_at=1)
    assert {need for need in Need if who.may(need)} == may


def test_the_arena_s_own_worker_token_may_do_more_than_that_of_a_host():
    own, host = (Identity("a", "worker", frozenset({"worker"}), expires_at=end) for end in (None, 1))
    assert (own.may(Need.SERVICE), host.may(Need.SERVICE)) == (True, False)
    assert not Identity("a", "ada", frozenset({"author"})).may(Need.SERVICE)


def test_the_metrics_page_closes_and_frees_its_port(free_port):
    port = free_port()
    for _ in range(2):
        page = metric.serve(metric.new_registry(), "127.0.0.1", port)
        with urllib.request.urlopen(f"http://{page.address}/metrics", timeout=patient(5)) as answer:
            assert b"process_cpu_seconds_total" in answer.read()
        page.close()


def test_a_task_that_loses_its_first_cancellation_is_cancelled_again(monkeypatch):
    """As Python 3.11's `wait_for` does where a cancellation comes as its wait ends."""
    monkeypatch.setattr(server, "RECANCEL_SECONDS", 0.01)
    lost = []

    async def lose_one():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            lost.append(1)
        await asyncio.Event().wait()

    async def end():
        task = asyncio.create_task(lose_one())
        await asyncio.sleep(0)  # it has begun
        await server._end_tasks([task])
        return task.cancelled()

    assert asyncio.run(end())
    assert lost == [1]


def test_background_work_of_a_name_that_is_taken_is_refused():
    async def done():
        pass

    async def begin():
        server = Server("two services", Settings())
        server.background("sweep of one", 1.0, done)
        server.background("sweep of another", 1.0, done)
        with pytest.raises(ValueError, match="sweep of one is done in the background already"):
            server.background("sweep of one", 1.0, done)

    asyncio.run(begin())


RAW = (lambda payload: payload, lambda payload: payload)
NO_MESSAGES = [b"\xff" * 10, b"\x0a\xff\xff\xff\xff\x0f", b"\x0a" + b"\x80" * 200]


def _send_raw(channel, method, payload):
    with rpc_errors():
        if method == "Count":
            next(channel.unary_stream("/t.Toy/Count", *RAW)(payload))
        elif method == "Add":
            channel.stream_unary("/t.Toy/Add", *RAW)(iter([payload]))
        else:
            channel.unary_unary("/t.Toy/Who", *RAW)(payload)


@pytest.mark.parametrize("payload", NO_MESSAGES)
@pytest.mark.parametrize("method", ["Who", "Count", "Add"])
def test_bytes_that_are_no_message_are_refused_in_words_and_one_line(toy, payload, method, caplog):
    caplog.set_level(logging.DEBUG)
    with client.connect(toy.server.address) as channel, pytest.raises(errors.BadRequest, match="be decoded"):
        _send_raw(channel, method, payload)
    assert "Traceback" not in caplog.text
    _counted(toy, method, "INVALID_ARGUMENT")


def test_the_gate_comes_before_what_a_request_says(toy):
    toy.server.gate.rules["/t.Toy/Who"] = Need.ADMIN, _authenticate
    with client.connect(toy.server.address) as channel:
        who = channel.unary_unary("/t.Toy/Who", *RAW)
        with pytest.raises(errors.MissingToken), rpc_errors():
            who(NO_MESSAGES[0])


def test_whoever_sends_many_that_are_no_messages_is_refused_and_hinders_no_other(toy):
    toy.server.around._payloads._mistakes.second = 0.0
    with client.connect(toy.server.address) as channel:
        who = channel.unary_unary("/t.Toy/Who", *RAW)
        for _ in range(MISTAKES):
            with pytest.raises(errors.BadRequest), rpc_errors():
                who(NO_MESSAGES[0])
        with pytest.raises(errors.TooManyCalls, match="could not be decoded"), rpc_errors():
            who(NO_MESSAGES[0])
    _call(toy, "Who", AUTHOR)


@pytest.mark.long
def test_a_health_check_is_answered_however_often_its_address_calls(toy):
    toy.server.around._rates.second = 0.0
    with client.connect(toy.server.address) as channel:
        call = channel.unary_unary("/t.Toy/Who", *WIRE)
        for _ in range(BURST):
            call(EMPTY)
        with pytest.raises(errors.TooManyCalls), rpc_errors():
            call(EMPTY)
        assert channel.unary_unary("/grpc.health.v1.Health/Check", *RAW)(b"") == b"\x08\x01"


@pytest.mark.long
def test_a_compressed_request_is_bounded_by_what_it_unpacks_to(toy):
    with client.connect(toy.server.address) as channel:
        who = channel.unary_unary("/t.Toy/Who", *RAW)
        with pytest.raises(grpc.RpcError) as raised:
            who(b"\x00" * (64 << 20), compression=grpc.Compression.Gzip)
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
