"""Asks the services whether they are well."""

import http.client
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.shared import tls
from services.shared.client import connect

EVERY, DEADLINE, MISSES = 3.0, 10.0, 3
"""Seconds between questions and for an answer; a service that misses this many in a row hangs."""
START = 300.0
"""Seconds after which a process hangs that lives and has not answered once: a busy host starts it slowly."""


def is_well(address: str, deadline: float = DEADLINE, service: str = "", roots: bytes = b"") -> bool:
    """Whether the gRPC server at host:port says that it serves; `readiness`: and all that it needs, too.

    roots: whose certificate it must have; without any it is asked in plain text.
    """
    with connect(address, roots=roots) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=deadline)
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def is_page_well(address: str, deadline: float = DEADLINE) -> bool:
    """Whether the page's server at host:port answers."""
    connection = http.client.HTTPConnection(address, timeout=deadline)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def answers(name: str, address: str) -> bool:
    """Whether the service of this name is well."""
    return (is_page_well if name == "web" else is_well)(address)


def watch(
    addresses: Mapping[str, str],
    stop: threading.Event,
    pids: Callable[[], Mapping[str, int]],
    sick: Callable[[str, int], None],
) -> None:
    """Until `stop`: names to `sick` each service that hangs, with its process, one of `pids`."""
    seen: dict[str, Seen] = {}
    while not stop.wait(EVERY):
        for name, address in addresses.items():
            if pid := pids().get(name):
                if name not in seen or seen[name].pid != pid:
                    seen[name] = Seen(pid, time.monotonic())
                if seen[name].hangs(well=answers(name, address), now=time.monotonic()):
                    sick(name, pid)


@dataclass
class Seen:
    """What was seen of a service's process since a time of the monotonic clock."""

    pid: int
    since: float
    misses: int = 0
    has_answered: bool = False

    def hangs(self, *, well: bool, now: float) -> bool:
        """Whether it has been silent for too long, after one more look. A start is not silence yet."""
        self.misses = 0 if well else self.misses + 1
        self.has_answered |= well
        return self.misses >= MISSES if self.has_answered else now - self.since > START


if __name__ == "__main__":  # health check of a container: `… HOST:PORT`, then `web` or a file of authorities
    at, *kind = sys.argv[1:]
    if kind == ["web"]:
        sys.exit(not is_page_well(at))
    sys.exit(not is_well(at, service="readiness", roots=tls.trusted("".join(kind))))
