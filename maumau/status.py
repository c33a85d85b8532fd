"""Asks the services of an arena how they are; no message of the contract leaves this file."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from maumau import answer, call
from maumau.arena_status import ArenaStatus, Contact, join_status
from maumau.errors import ArenaUnreachable, DatabaseUnavailable, DeadlinePassed, InternalFault, MaumauError
from maumau.link import Link
from maumau.v1 import status_pb2 as pb
from maumau.v1 import status_pb2_grpc

PATIENCE, SECONDS = 1.0, 5.0
"""Seconds that a service may be silent, and that its answer may take."""
STUB: Any = status_pb2_grpc.StatusServiceStub


def read_arena_status(addresses: Mapping[str, str], token: str, *, tls: bool = False) -> ArenaStatus:
    """How an arena is. addresses: host:port by service; all are asked at once.

    Raises ArenaUnreachable or DeadlinePassed if none answers, MissingToken or UnknownToken if the token is
    refused.
    """
    with ThreadPoolExecutor(len(addresses)) as pool:
        answers = pool.map(lambda name: _read(name, addresses[name], token, tls=tls), addresses)
        heard = dict(zip(addresses, answers, strict=True))
    errors = [one for one in heard.values() if isinstance(one, MaumauError)]
    if len(errors) == len(heard):
        raise errors[0]
    return join_status({
        name: "silent" if isinstance(one, MaumauError) else one for name, one in heard.items()
    })  # fmt: skip


def _read(
    service: str, address: str, token: str, *, tls: bool
) -> answer.GetStatusResponse | Contact | MaumauError:
    """What a service says; an error, returned and not raised, if it does not answer."""
    with call.channel(address, tls=tls) as channel:
        link = Link(STUB(channel), address, token, PATIENCE, service=service)

        def ask() -> Any:
            with call.rpc_errors(address):
                return link.stub.GetStatus(
                    pb.GetStatusRequest(), timeout=SECONDS, metadata=link.new_metadata()
                )

        try:
            found = call.retry(ask, PATIENCE)
        except (DatabaseUnavailable, InternalFault):  # it cannot read the token, or is of an older release
            return "unread"
        except DeadlinePassed as error:
            return error
        except ArenaUnreachable as error:  # said by a service that cannot ask the registry whose the token is
            return "unread" if error.request_id else error
    return call.plain(answer.GetStatusResponse, found)
