"""Asks the services whether they are well."""

import http.client
import sys
import threading
from collections.abc import Callable, Mapping

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.shared import tls
from services.shared.client import connect

EVERY, DEADLINE, MISSES = 3.0, 10.0, 3
"""Seconds between questions and for an answer; a service that misses this many in a row hangs."""


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


def watch(addresses: Mapping[str, str], stop: threading.Event, sick: Callable[[str], None]) -> None:
    """Until `stop`: names to `sick` each service that has been silent too often."""
    misses = dict.fromkeys(addresses, 0)
    while not stop.wait(EVERY):
        for name, address in addresses.items():
            misses[name] = 0 if answers(name, address) else misses[name] + 1
            if misses[name] == MISSES:
                misses[name] = -MISSES  # it gets twice the time to come back
                sick(name)


if __name__ == "__main__":  # health check of a container: `… HOST:PORT`, then `web` or a file of authorities
    at, *kind = sys.argv[1:]
    if kind == ["web"]:
        sys.exit(not is_page_well(at))
    sys.exit(not is_well(at, service="readiness", roots=tls.trusted("".join(kind))))
