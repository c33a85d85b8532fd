"""Honest callers of an arena: what a call takes on a new connection, and one after another."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from bench.support.patience import patient

CROWD = [sys.executable, "-m", "tests.doors.crowd"]
HEALTH = "/grpc.health.v1.Health/Check"


def call_once(name: str, address: str) -> float:
    """Return the seconds of a call over a connection of its own; raise if it is not answered."""
    began = time.monotonic()
    if name == "web":
        connection = http.client.HTTPConnection(address, timeout=patient(20))
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == http.HTTPStatus.OK
        connection.close()
    else:
        options = (("grpc.use_local_subchannel_pool", 1),)
        with grpc.insecure_channel(address, options=options) as channel:
            channel.unary_unary(HEALTH)(b"", timeout=patient(20))
    return time.monotonic() - began


@contextmanager
def crowded(kind: str, address: str, count: int, addresses: int = 1) -> Iterator[list[int]]:
    """Yield a list of a crowd's counts, from a separate process: how many came in, and later, were closed."""
    host, _, port = address.rpartition(":")
    command = [*CROWD, kind, host, port, str(count), str(addresses)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        told = [json.loads(process.stdout.readline())["opened"]]
        yield told
        process.stdin.close()
        told.append(json.loads(process.stdout.readline())["closed"])


def find_percentile(times: list[float], share: float) -> float:
    """Return the time that this share of the calls did not exceed."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]
