"""Health checks of the services."""

import http.client
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.shared.rpc import tls
from services.shared.rpc.client import connect

EVERY, DEADLINE, MISSES = 3.0, 10.0, 3
"""Seconds between checks and for an answer; a service that misses this many in a row, without a sign of
life in between, hangs."""
LOOKS_PER_CHECK = 4
"""Looks at a service's sign of life for each check of one that answered last time: a check costs both sides a
connection."""
MUTE = "{} is running but answers no new caller: its connections are all taken, or the machine is very busy"
START = 300.0
"""Seconds after which a new process without any answer hangs: on a busy host a start is slow."""


def is_well(address: str, deadline: float = DEADLINE, service: str = "", roots: bytes = b"") -> bool:
    """Return True if the gRPC server at host:port serves; `readiness`: with all its needs.

    roots: authorities for its certificate; without any the check uses plain text.
    """
    with connect(address, roots=roots) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=deadline)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def is_page_well(address: str, deadline: float = DEADLINE) -> bool:
    """Return True if the page's server at host:port answers."""
    connection = http.client.HTTPConnection(address, timeout=deadline)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_serving(name: str, address: str) -> bool:
    """Return True if the service of this name is well."""
    return (is_page_well if name == "web" else is_well)(address)


def watch_health(
    addresses: Mapping[str, str],
    stop: threading.Event,
    pids: Callable[[], Mapping[str, int]],
    sick: Callable[[str, int], None],
    beat: Callable[[str], int] = lambda _: 0,
    say: Callable[[str], None] = lambda _: None,
) -> None:
    """Report to `sick`, until `stop`, each service that hangs, with its process, one of `pids`.

    beat: returns a number that changes while the service of that name lives. say: called with a silent one.
    """
    seen: dict[str, Seen] = {}
    look = 0
    while not stop.wait(EVERY):
        look += 1
        for name, address in addresses.items():
            if pid := pids().get(name):
                if name not in seen or seen[name].pid != pid:
                    seen[name] = Seen(pid, time.monotonic(), beat=beat(name))
                if look % LOOKS_PER_CHECK and seen[name].is_calm(beat(name)):
                    continue
                well = is_serving(name, address)
                if seen[name].is_hanging(well=well, now=time.monotonic(), beat=beat(name)):
                    sick(name, pid)
                elif seen[name].becomes_mute():
                    say(MUTE.format(name))


@dataclass
class Seen:
    """The observations of a service's process since a time of the monotonic clock.

    misses: consecutive checks without an answer. silences: those without a sign of life either. beat: the
    last sign of life, at first that of the process before.
    """

    pid: int
    since: float
    misses: int = 0
    silences: int = 0
    beat: int = 0
    has_begun: bool = False

    def is_hanging(self, *, well: bool, now: float, beat: int = 0) -> bool:
        """Return True if it has been silent for too long, after one more check. A start is not silence."""
        lives, self.beat = well or beat != self.beat, beat
        self.misses = 0 if well else self.misses + 1
        self.silences = 0 if lives else self.silences + 1
        self.has_begun |= lives
        return self.silences >= MISSES if self.has_begun else now - self.since > START

    def is_calm(self, beat: int) -> bool:
        """Return True if it answered the last check and has shown a sign of life since the last look."""
        if beat == self.beat or self.misses or not self.has_begun:
            return False
        self.beat = beat
        return True

    def becomes_mute(self) -> bool:
        """Return True once, when it lives but has missed as many checks as a service that hangs."""
        return self.has_begun and self.misses == MISSES


if __name__ == "__main__":  # health check of a container: `… HOST:PORT`, then `web` or a file of authorities
    at, *kind = sys.argv[1:]
    if kind == ["web"]:
        sys.exit(not is_page_well(at))
    sys.exit(not is_well(at, service="readiness", roots=tls.trusted("".join(kind))))
