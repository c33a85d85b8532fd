"""The status of an arena, collected from its services; no message of the contract leaves this file."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from maumau.client import answer, call
from maumau.client.arena_status import ArenaStatus, Contact, join_status
from maumau.client.link import Link
from maumau.errors import ArenaUnreachable, DatabaseUnavailable, DeadlinePassed, InternalFault, MaumauError
from maumau.v1 import status_pb2 as pb
from maumau.v1 import status_pb2_grpc

PATIENCE, SECONDS = 1.0, 5.0
"""Seconds that a service may be silent, and that its answer may take."""
STUB: Any = status_pb2_grpc.StatusServiceStub


def read_arena_status(addresses: Mapping[str, str], token: str, *, tls: bool = False) -> ArenaStatus:
    """Return the status of an arena. addresses: host:port by service; all are asked at once.

    Raises ArenaUnreachable or DeadlinePassed if none answers, MissingToken or UnknownToken if the token is
    refused.
    """
    with ThreadPoolExecutor(len(addresses)) as pool:
        answers = pool.map(lambda name: _read_status(name, addresses[name], token, tls=tls), addresses)
        heard = dict(zip(addresses, answers, strict=True))
    errors = [one for one in heard.values() if isinstance(one, MaumauError)]
    if len(errors) == len(heard):
        raise errors[0]
    return join_status(
        {name: "silent" if isinstance(one, MaumauError) else one for name, one in heard.items()}
    )


def _read_status(
    service: str, address: str, token: str, *, tls: bool
) -> answer.GetStatusResponse | Contact | MaumauError:
    """Return a service's answer; without one, return the error instead of raising it."""
    with call.open_channel(address, tls=tls) as channel:
        link = Link(STUB(channel), address, token, PATIENCE, service=service)

        def ask_service() -> Any:
            with call.rpc_errors(address):
                return link.stub.GetStatus(
                    pb.GetStatusRequest(), timeout=SECONDS, metadata=link.new_metadata()
                )

        try:
            found = call.retry_call(ask_service, PATIENCE)
        except (DatabaseUnavailable, InternalFault):  # it cannot read the token, or is of an older release
            return "unread"
        except DeadlinePassed as error:
            return error
        except ArenaUnreachable as error:  # from a service that cannot ask the registry for the token's owner
            return "unread" if error.request_id else error
    return call.to_struct(answer.GetStatusResponse, found)
