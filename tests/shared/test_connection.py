"""Connections beyond the limit are closed: silent ones first, and none with a request under way."""

import pytest

from services.shared.base.peer import Peer, find_source, make_peer, match_networks, read_networks, read_peer
from services.shared.rpc.connection import (
    ACCOUNT,
    ADDRESS,
    FULL,
    GRACE,
    SILENT,
    Connection,
    Limits,
    Use,
    Uses,
)
from services.shared.rpc.connection import find_surplus as find

NOW = 100.0
FAR = 1_000_000


def limits(idle=2, most=FAR, hello=10.0, rest=float("inf"), proxies=""):
    return Limits(hello, idle, most, match_networks(read_networks(proxies)), rest)


def seen(*ages, host="10.0.0.1", first=0, **use):
    """Connections of these ages in seconds, silent unless `use` says what was asked on them."""
    return [
        Connection(first + n, Peer(host, first + n), NOW - age, Use(NOW - age, **use) if use else None)
        for n, age in enumerate(ages)
    ]


def closed(connections, bounds):
    return {one.inode: reason for one, reason in find(connections, bounds, NOW)}


def test_a_connection_that_asks_nothing_is_closed_when_its_time_is_over():
    assert closed(seen(9.9, 10.1), limits()) == {1: SILENT}


def test_a_connection_that_has_asked_may_rest_unless_the_server_bounds_that():
    asked = seen(3600.0, requests=0, owner="a")
    assert closed(asked, limits()) == {}
    assert closed(asked, limits(rest=60.0)) == {0: SILENT}


def test_a_connection_that_has_shown_no_token_rests_for_a_minute():
    """Requests that never end are dropped with it."""
    assert closed(seen(59.0, 61.0, requests=0), limits()) == {1: SILENT}


def test_of_too_many_of_an_address_the_oldest_silent_ones_go_and_those_that_asked_stay():
    silent, asked = seen(5, 4, 3), seen(8, first=10, requests=0)
    assert closed(silent + asked, limits(idle=2)) == {0: ADDRESS, 1: ADDRESS}


def test_new_connections_have_time_to_speak_however_many_come():
    young = seen(*[GRACE - 0.1] * 5)
    assert closed(young, limits(idle=2)) == {}


def test_where_something_is_asked_nothing_is_closed():
    assert closed(seen(*[500] * 9, requests=1), limits(idle=2, most=3)) == {}


def test_workers_admins_and_services_have_no_bound():
    assert closed(seen(*[500] * 9, requests=0, is_trusted=True), limits(idle=2, most=3)) == {}


def test_the_connections_of_an_account_count_for_it_and_not_for_its_address():
    mine, others = seen(5, 5, owner="a"), seen(5, 5, first=10, owner="b")
    assert closed(mine + others, limits(idle=2)) == {}
    assert closed(seen(7, 6, 5, owner="a"), limits(idle=2)) == {0: ACCOUNT}


def test_of_addresses_behind_a_proxy_nothing_is_known_but_their_silence():
    many = seen(*[5] * 9, host="172.18.0.2")
    assert closed(many, limits(idle=2, proxies="172.18.0.0/16")) == {}
    assert len(closed(many, limits(idle=2, proxies="172.19.0.0/16"))) == 7


def test_many_addresses_leave_a_reserve_and_the_oldest_silent_ones_go():
    silent = [one for n in range(6) for one in seen(n / 10, host=f"10.0.0.{n}", first=n)]
    busy = seen(9, 9, first=100, host="10.1.0.1", requests=1)
    assert closed(silent + busy, limits(most=5)) == {5: FULL, 4: FULL, 3: FULL}


def test_addresses_of_one_ipv6_network_are_one():
    one, other = (seen(5, 5, host=f"2001:db8::{n}", first=10 * n) for n in (1, 2))
    assert len(closed(one + other, limits(idle=2))) == 2


@pytest.mark.parametrize(
    ("text", "peer"),
    [
        ("ipv4:127.0.0.1:4711", Peer("127.0.0.1", 4711)),
        ("ipv6:%5B::1%5D:4711", Peer("::1", 4711)),
        ("ipv6:[::ffff:10.0.0.1]:80", Peer("10.0.0.1", 80)),
        ("unix:/run/x", None),
    ],
)
def test_a_peer_of_grpc_is_read(text, peer):
    assert read_peer(text) == peer


def test_a_peer_is_the_same_however_a_socket_writes_it():
    assert make_peer("::ffff:127.0.0.1", 1) == Peer("127.0.0.1", 1)
    assert find_source("2001:db8:0:1::5") == "2001:db8:0:1::"
    assert find_source("10.0.0.5") == "10.0.0.5"


def test_what_an_earlier_connection_from_a_port_asked_says_nothing_of_a_later_one():
    uses = Uses(lambda: NOW)
    peer = Peer("10.0.0.1", 5)
    uses.begin(peer)
    assert uses.match(peer, 1).requests == 1
    assert uses.match(peer, 2) is None


def test_uses_of_connections_that_stand_no_more_are_forgotten():
    uses = Uses(lambda: NOW)
    kept, gone = Peer("10.0.0.1", 5), Peer("10.0.0.1", 6)
    uses.begin(kept)
    uses.begin(gone)
    uses.keep({kept}, before=NOW - 1)
    assert set(uses.by_peer) == {kept, gone}, "a request may have come before its socket was seen"
    uses.keep({kept}, before=NOW + 1)
    assert set(uses.by_peer) == {kept}
