"""Requests with too many header fields: their connection is closed, and their address barred for a while."""

import socket

import grpc
import pytest

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
from services.shared.rpc.intercept import MAX_FIELDS
from tests.shared.test_half_requests import END_HEADERS, HEADERS, PREFACE, REQUEST, SETTINGS, frame
from tests.support.waiting import until

STRANGER, OTHER, OWN = "127.0.0.9", "127.0.0.8", "127.0.0.1"
FIELD = b"\x90"  # one byte of HPACK: accept-encoding: gzip, deflate (RFC 7541, appendix A)
OWN_FIELDS = REQUEST.count(b"\0") - 4  # those without a colon are handed on
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


def connect_from(source, address):
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=patient(10), source_address=(source, 0))


def is_barred(source, listener):
    """Return True if a connection from this address does not come about."""
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


def test_a_connection_is_closed_at_a_request_with_too_many_fields_and_its_address_is_barred(server):
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


def test_of_a_proxy_or_this_machine_only_the_request_is_refused(server):
    """Others' requests come on the same connection, and from the same address."""
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


def test_strangers_of_a_shunned_address_are_closed_and_those_with_a_token_stay():
    limits = Limits(10.0, 200, 1000, lambda _: False)
    abusive = Connection(1, Peer(STRANGER, 1), 0.0, Use(0.0, requests=3, owner="a", is_abusive=True))
    silent = Connection(2, Peer(STRANGER, 2), 0.0, None)
    asking = Connection(3, Peer(STRANGER, 3), 0.0, Use(0.0, requests=1))
    known = Connection(4, Peer(STRANGER, 4), 0.0, Use(0.0, owner="b"))
    far = Connection(5, Peer(OTHER, 5), 0.0, None)
    found = find_surplus([abusive, silent, asking, known, far], limits, 1.0, {STRANGER})
    assert [(one.inode, reason) for one, reason in found] == [(1, FIELDS), (2, FIELDS), (3, FIELDS)]


def test_the_kernel_drops_connections_of_barred_addresses_alone():
    with socket.create_server((OWN, 0), backlog=20) as listener:
        bar_sources(listener, {OTHER, STRANGER, "2001:db8::"})
        assert [is_barred(source, listener) for source in (STRANGER, OTHER, OWN)] == [True, True, False]
        bar_sources(listener, {OTHER})
        assert [is_barred(source, listener) for source in (STRANGER, OTHER)] == [False, True]
        bar_sources(listener, ())
        assert not is_barred(OTHER, listener)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_the_kernel_drops_connections_of_barred_networks_of_ipv6():
    with socket.create_server(("::1", 0), family=socket.AF_INET6, backlog=20) as listener:
        bar_sources(listener, {STRANGER, "2001:db8::", "::"})  # of ::1 the first 64 bits are 0
        assert is_barred("::1", listener)
        bar_sources(listener, {STRANGER, "2001:db8::", "0:0:0:1::", "0:1::"})
        assert not is_barred("::1", listener)


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_ipv4_callers_of_a_listener_for_both_are_barred_too():
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        bar_sources(listener, {STRANGER})
        port = listener.getsockname()[1]
        with pytest.raises(TimeoutError):
            socket.create_connection((OWN, port), timeout=0.3, source_address=(STRANGER, 0))
        socket.create_connection((OWN, port), timeout=patient(10), source_address=(OTHER, 0)).close()
