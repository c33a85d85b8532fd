"""Requests with too many header fields: their connection is closed, and their address barred for a while."""

import socket
from contextlib import ExitStack, contextmanager

import grpc
import pytest
from prometheus_client import CollectorRegistry

from bench.support.patience import patient
from services.shared.base.peer import Peer
from services.shared.base.settings import Settings
from services.shared.process.server import Server
from services.shared.rpc.barrier import bar_sources
from services.shared.rpc.connection import (
    FIELDS,
    SHUNNED_SECONDS,
    Connection,
    Limits,
    Use,
    Uses,
    find_surplus,
)
from services.shared.rpc.door import COUNTED_UNREAD, MOST_UNREAD, Door, _count_unread
from services.shared.rpc.intercept import MAX_FIELDS
from tests.shared.test_half_requests import END_HEADERS, HEADERS, PREFACE, REQUEST, SETTINGS, frame
from tests.support.waiting import until

STRANGER, OTHER, OWN = "127.0.0.9", "127.0.0.8", "127.0.0.1"
FIELD = b"\x90"  # one byte of HPACK: accept-encoding: gzip, deflate (RFC 7541, appendix A)
OWN_FIELDS = REQUEST.count(b"\0") - 4  # fields without a colon are passed on
DATA, END_STREAM = 0, 1


@pytest.fixture
def server(loop):
    async def begin():
        server = Server("barred", Settings())
        await server.start()
        return server

    server = loop.run(begin())
    yield server
    loop.run(server.stop(0.1))


@pytest.fixture
def barring(not_tested):
    """Skip the test where the kernel lets this user attach no filter: such connections are closed instead."""
    with socket.create_server((OWN, 0)) as listener:
        try:
            bar_sources(listener, {OTHER})
        except PermissionError as error:
            not_tested("addresses barred by the kernel", f"this user may attach no filter ({error})")


def connect_from(source, address):
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=patient(10), source_address=(source, 0))


def is_barred(source, listener):
    """Return True if no connection can be made from this address."""
    with socket.socket(listener.family) as one:
        one.settimeout(0.3)
        one.bind((source, 0))
        try:
            one.connect(listener.getsockname()[:2])
        except TimeoutError:
            return True
    return False


def send_fields(connection, count):
    """Send a health check with `count` header fields in addition to its own."""
    header = frame(HEADERS, END_HEADERS, 1, REQUEST + FIELD * count)
    connection.sendall(PREFACE + frame(SETTINGS, 0, 0) + header + frame(DATA, END_STREAM, 1, bytes(5)))


def read_to(connection, words):
    """Return what the server sends up to these words, or up to the end of the connection."""
    said = b""
    while words not in said and (more := connection.recv(65536)):
        said += more
    return said


def check_health(address):
    with grpc.insecure_channel(address) as channel:
        return channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=patient(10))


def test_a_connection_is_closed_at_a_request_with_too_many_fields_and_its_address_is_barred(barring, server):
    with connect_from(STRANGER, server.address) as connection:
        send_fields(connection, MAX_FIELDS + 1)
        assert read_to(connection, b"never said")[-1:] != b""
    until(lambda: server.door.uses.list_shunned() == {STRANGER} == server.door._barred)
    with pytest.raises(TimeoutError):
        socket.create_connection(
            ("127.0.0.1", int(server.address.rpartition(":")[2])), timeout=0.3, source_address=(STRANGER, 0)
        )
    assert check_health(server.address) == b"\x08\x01"
    assert server.registry.get_sample_value("maumau_connections_closed_total", {"reason": FIELDS}) == 1


def test_a_request_with_as_many_fields_as_there_may_be_is_answered(server):
    with connect_from(OTHER, server.address) as connection:
        send_fields(connection, MAX_FIELDS - 10)
        assert b"grpc-status" in read_to(connection, b"grpc-status")
    assert not server.door.uses.list_shunned()


def test_from_a_proxy_or_this_machine_only_the_request_is_refused(server):
    """Others' requests come over the same connection, and from the same address."""
    with connect_from(OWN, server.address) as connection:
        send_fields(connection, MAX_FIELDS + 1)
        words = b"header fields; 100 are the most"
        assert words in read_to(connection, words)
    assert not server.door.uses.list_shunned()
    uses = Uses(lambda: 0.0, lambda host: host == "10.0.0.1")
    uses.condemn(Peer("10.0.0.1", 7))
    assert (uses.by_peer, uses.list_shunned()) == ({}, set())


def test_an_address_is_shunned_for_a_while():
    now = [0.0]
    uses = Uses(lambda: now[0])
    uses.condemn(Peer("2001:db8::7", 7))
    now[0] = SHUNNED_SECONDS - 1
    assert uses.list_shunned() == {"2001:db8::"}
    now[0] = SHUNNED_SECONDS + 1
    assert uses.list_shunned() == set()


def test_the_first_time_an_address_is_shunned_its_connections_are_closed_at_once():
    reactions = []
    uses = Uses(lambda: 0.0, react=lambda: reactions.append(uses.list_shunned()))
    uses.condemn(Peer(STRANGER, 7))
    assert not uses.alarm.is_set()
    uses.condemn(Peer(STRANGER, 8))
    assert (reactions, uses.alarm.is_set()) == ([{STRANGER}], True)


@contextmanager
def unread(port, sources, size=2 * COUNTED_UNREAD):
    """Yield connections from these addresses, each with `size` bytes sent."""
    with ExitStack() as kept:
        calling = [
            kept.enter_context(
                socket.create_connection((OWN, port), timeout=patient(10), source_address=(one, 0))
            )
            for one in sources
        ]
        for one in calling:
            one.setblocking(False)
            one.send(bytes(size))
        yield calling


@pytest.fixture
def door():
    """Yield a door that looks only when it is told, its listener, and a list for ends that nobody reads."""
    limits = Limits(3600.0, 10_000, 10_000, lambda _: False, unread=MOST_UNREAD)
    door, accepted = Door(limits, CollectorRegistry()), []
    with socket.create_server((OWN, 0), backlog=100) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * COUNTED_UNREAD)
        door.ports.add(listener.getsockname()[1])
        yield door, listener, accepted
    for one in accepted:
        one.close()
    door.close()


def accept_unread(listener, accepted, count):
    for _ in range(count):
        one, _ = listener.accept()
        accepted.append(one)
        until(lambda one=one: _count_unread(one.fileno()) >= COUNTED_UNREAD)


MANY = MOST_UNREAD // COUNTED_UNREAD + 1


def test_an_address_with_too_much_unread_is_shunned_and_its_bytes_are_dropped(barring, door):
    door, listener, accepted = door
    with unread(listener.getsockname()[1], [STRANGER] * MANY + [OTHER]):
        accept_unread(listener, accepted, MANY + 1)
        door.look()
        assert door.uses.list_shunned() == {STRANGER}
        *shut, other = accepted
        assert [one.recv(10) for one in shut] == [b""] * MANY
        assert other.recv(10) == bytes(10)
        assert is_barred(STRANGER, listener)


@pytest.mark.parametrize("kind", ["fewer", "own", "token"])
def test_unread_bytes_are_borne_of_few_connections_of_this_machine_and_with_a_token(door, kind):
    door, listener, accepted = door
    sources = [OWN if kind == "own" else STRANGER] * (MANY - (kind == "fewer"))
    with unread(listener.getsockname()[1], sources):
        accept_unread(listener, accepted, len(sources))
        for one in accepted if kind == "token" else ():
            door.uses.begin(peer := Peer(*one.getpeername()))
            door.uses.identify(peer, "ada", is_trusted=False)
        door.look()
        assert not door.uses.list_shunned()
        assert {one.recv(10) for one in accepted} == {bytes(10)}


def test_strangers_of_a_shunned_address_are_closed_and_those_with_a_token_stay():
    limits = Limits(10.0, 200, 1000, lambda _: False)
    abusive = Connection(1, Peer(STRANGER, 1), 0.0, Use(0.0, requests=3, owner="a", is_abusive=True))
    silent = Connection(2, Peer(STRANGER, 2), 0.0, None)
    asking = Connection(3, Peer(STRANGER, 3), 0.0, Use(0.0, requests=1))
    known = Connection(4, Peer(STRANGER, 4), 0.0, Use(0.0, owner="b"))
    far = Connection(5, Peer(OTHER, 5), 0.0, None)
    found = find_surplus([abusive, silent, asking, known, far], limits, 1.0, {STRANGER})
    assert [(one.inode, reason) for one, reason in found] == [(1, FIELDS), (2, FIELDS), (3, FIELDS)]


def test_the_kernel_drops_connections_of_barred_addresses_alone(barring):
    with socket.create_server((OWN, 0), backlog=20) as listener:
        bar_sources(listener, {OTHER, STRANGER, "2001:db8::"})
        assert [is_barred(source, listener) for source in (STRANGER, OTHER, OWN)] == [True, True, False]
        bar_sources(listener, {OTHER})
        assert [is_barred(source, listener) for source in (STRANGER, OTHER)] == [False, True]
        bar_sources(listener, ())
        assert not is_barred(OTHER, listener)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_the_kernel_drops_connections_of_barred_networks_of_ipv6(barring):
    with socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=20) as listener:
        bar_sources(listener, {STRANGER, "2001:db8::", "::"})  # of ::1 the first 64 bits are 0
        assert is_barred("::1", listener)
        bar_sources(listener, {STRANGER, "2001:db8::", "0:0:0:1::", "0:1::"})
        assert not is_barred("::1", listener)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_ipv4_callers_of_a_listener_for_both_are_barred_too(barring):
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        bar_sources(listener, {STRANGER})
        port = listener.getsockname()[1]
        with pytest.raises(TimeoutError):
            socket.create_connection((OWN, port), timeout=0.3, source_address=(STRANGER, 0))
        socket.create_connection((OWN, port), timeout=patient(10), source_address=(OTHER, 0)).close()
