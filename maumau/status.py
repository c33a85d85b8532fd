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
    """How an arena is. addresses: host:port by service; all are asked at once, each address once.

    Raises ArenaUnreachable or DeadlinePassed if none answers, MissingToken or UnknownToken if the token is
    refused.
    """
    distinct = sorted(set(addresses.values()))
    with ThreadPoolExecutor(len(distinct)) as pool:
        heard = dict(zip(distinct, pool.map(lambda at: _read(at, token, tls=tls), distinct), strict=True))
    errors = [one for one in heard.values() if isinstance(one, MaumauError)]
    if len(errors) == len(heard):
        raise errors[0]
    found = {at: "silent" if isinstance(one, MaumauError) else one for at, one in heard.items()}
    return join_status({name: found[address] for name, address in addresses.items()})


def _read(address: str, token: str, *, tls: bool) -> answer.GetStatusResponse | Contact | MaumauError:
    """What the services at an address say; an error, returned and not raised, if none answers there."""
    with call.channel(address, tls=tls) as channel:
        link = Link(STUB(channel), address, token, PATIENCE)

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
