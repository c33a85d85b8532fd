"""Connections that never say a whole word shut nobody out, and nobody takes a full service for a dead one."""

import http.client
import json
import os
import resource
import signal
import socket
import time

import psutil
import pytest

from bench.support.patience import Deadline, patient
from services.supervisor.client import MUTE
from tests.doors.callers import call_once, crowded, find_percentile
from tests.doors.crowd import SPARE, Crowd, raise_file_limit
from tests.support.arenas.embedded import Running
from tests.support.polling import until

pytestmark = pytest.mark.long

SERVICES = ("registry", "tournament", "matchmaking", "engine", "web")
KINDS = {"grpc": ("silent", "preface", "settings", "tls"), "web": ("silent", "header", "body")}
IDLE, HELLO = 50, 5.0
"""The bounds that the arena of the quick tests is told; a loaded host needs seconds for an honest call."""
FEW = 600  # connections: as many as any machine lets a test open
ALL, SLOW = 10_000, 1_000


CASES = [
    *(pytest.param("engine", kind, id=f"engine-{kind}") for kind in KINDS["grpc"]),
    *(pytest.param("web", kind, id=f"web-{kind}") for kind in KINDS["web"]),
    *(pytest.param(name, "silent", id=name) for name in ("registry", "tournament", "matchmaking")),
]


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    data = tmp_path_factory.mktemp("doors") / "data"
    told = {"MAUMAU_CONNECTIONS": str(IDLE), "MAUMAU_HELLO_SECONDS": str(HELLO)}
    with Running(data, **told) as running:
        running.wait_for("Ctrl-C stops everything")
        yield running


def count_open(running, name):
    """Return the number of open connections at the port of a service."""
    card = running.card()
    port = int(card[name].rpartition(":")[2])
    process = psutil.Process(card["processes"][name])
    found = process.net_connections("tcp")
    return sum(one.laddr.port == port and one.status == psutil.CONN_ESTABLISHED for one in found)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_crowd_of_one_address_is_closed_and_others_are_answered(arena, name, kind):
    before, address = arena.card(), arena.card()[name]
    crowd = Crowd(kind, *split(address))
    try:
        opened = crowd.open(FEW)
        assert opened > FEW / 2
        call_once(name, address)
        until("the address has no more than it may", lambda: count_open(arena, name) <= IDLE + 20)
        call_once(name, address)
        if kind != "body":  # these have asked: what they lack has a time of its own
            until("those that say nothing are closed", lambda: crowd.count_closed() == opened)
    finally:
        crowd.close()
    call_once(name, address)
    assert arena.card()["processes"] == before["processes"]
    assert not arena.says("does not answer")


def split(address):
    host, _, port = address.rpartition(":")
    return host, int(port)


def test_a_caller_with_a_token_keeps_his_connection_beside_a_crowd_of_his_address(arena):
    with arena.client() as client:
        client.who()
        peer = count_open(arena, "registry")
        with crowded("silent", arena.card()["registry"], FEW) as told:
            until("the crowd is closed", lambda: count_open(arena, "registry") <= peer + IDLE)
            client.who()
        assert told[1] >= told[0] - IDLE


def test_half_a_form_is_given_up_and_its_connection_closed(arena):
    connection = socket.create_connection(split(arena.card()["web"]), patient(60))
    at = arena.card()["web"]
    form = f"POST /login HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nContent-Length: 10\r\n"
    connection.sendall(form.encode() + b"Content-Type: application/x-www-form-urlencoded\r\n\r\na=")
    answer = b""
    while part := connection.recv(4096):
        answer += part
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_service_that_is_full_is_no_dead_one(tmp_path):
    """With its descriptors used up it answers nobody new, and goes on; stopped, it is killed."""
    told = {"MAUMAU_CONNECTIONS": "100000", "MAUMAU_HELLO_SECONDS": "3600"}
    with Running(tmp_path / "data", **told) as running:
        running.wait_for("Ctrl-C stops everything")
        pid = running.card()["processes"]["engine"]
        used = psutil.Process(pid).num_fds()
        resource.prlimit(
            pid, resource.RLIMIT_NOFILE, (used + 20, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        )
        crowd = Crowd("settings", *split(running.card()["engine"]))
        try:
            crowd.open(200)
            running.wait_for(MUTE.format("engine"), 200)
            assert running.card()["processes"]["engine"] == pid
            assert not running.says("engine does not answer")
            os.kill(pid, signal.SIGSTOP)
            running.wait_for("engine does not answer, stopping it", 200)
        finally:
            crowd.close()


@pytest.fixture(scope="module")
def great_arena(tmp_path_factory, not_tested):
    if not raise_file_limit(ALL + SLOW + SPARE):
        not_tested("10,000 silent connections", "a process may not open so many files here")
    with Running(tmp_path_factory.mktemp("great") / "data") as running:
        running.wait_for("Ctrl-C stops everything")
        running.wait_for("house bots: ", 300)
        yield running


@pytest.mark.parametrize("addresses", [1, 500], ids=["one-address", "many-addresses"])
@pytest.mark.parametrize("name", SERVICES)
def test_ten_thousand_silent_and_a_thousand_slow_connections_hinder_nobody(great_arena, name, addresses):
    address, before = great_arena.card()[name], great_arena.card()["processes"]
    process = psutil.Process(before[name])
    alone = measure(name, address, 3.0)
    slow = "header" if name == "web" else "settings"
    began = process.memory_info().rss
    with crowded(slow, address, SLOW, addresses), crowded("silent", address, ALL, addresses) as told:
        assert told[0] > ALL / 2
        beside = measure(name, address, 10.0)
    grown = process.memory_info().rss - began
    worst = find_percentile(beside, 0.99)
    figures = {"alone": find_percentile(alone, 0.99), "beside": worst}
    shown = {what: round(1000 * one, 1) for what, one in figures.items()} | {"grown_mib": grown >> 20}
    print(name, addresses, json.dumps(shown))
    assert find_percentile(beside, 0.5) < patient(1.0)
    assert great_arena.card()["processes"] == before
    assert not great_arena.says("does not answer")


def measure(name, address, seconds):
    """Return the times of calls one after another, for so long."""
    times, until_then = [], time.monotonic() + seconds
    while time.monotonic() < until_then:
        times.append(call_once(name, address))
        time.sleep(0.02)
    return times


def test_strangers_of_many_addresses_leave_files_for_others(great_arena):
    """More of them than the process may have files: the oldest silent ones go, whoever speaks gets in."""
    address = great_arena.card()["engine"]
    pid = great_arena.card()["processes"]["engine"]
    files = resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
    rounds = min(3, 1 + files // ALL)
    for _ in range(rounds):
        with crowded("silent", address, ALL, 5000):
            last = Deadline(5)
            while not last.has_passed():
                call_once("engine", address)
                assert psutil.Process(pid).num_fds() < files
                last.pause()
    assert great_arena.card()["processes"]["engine"] == pid


@pytest.mark.parametrize("host", ["evil.example", "evil.example:7100", "127.0.0.1.evil.example"])
def test_the_page_of_an_arena_answers_to_no_other_name(arena, host):
    connection = http.client.HTTPConnection(arena.card()["web"], timeout=patient(20))
    connection.request("GET", "/", headers={"Host": host, "X-Forwarded-Host": "127.0.0.1"})
    answer = connection.getresponse()
    assert (answer.status, b"MAUMAU_PAGE_NAMES" in answer.read()) == (421, True)
    connection.close()
