"""How the services of an arena say they are; no message of the contract leaves this file."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from maumau import answer, call
from maumau.errors import ArenaUnreachable, DatabaseUnavailable, DeadlinePassed, InternalFault
from maumau.link import Link
from maumau.v1 import status_pb2 as pb
from maumau.v1 import status_pb2_grpc
from maumau.wellness import Contact, Wellness, join_status

PATIENCE, SECONDS = 1.0, 5.0
"""Seconds that a service may be silent, and that its answer may take."""
STUB: Any = status_pb2_grpc.StatusServiceStub


def read_wellness(addresses: Mapping[str, str], token: str, *, tls: bool = False) -> Wellness:
    """By service, its host:port. All are asked at once, each address once.

    Raises ArenaUnreachable if none answers, and what the services say of a token that they refuse.
    """
    distinct = sorted(set(addresses.values()))
    with ThreadPoolExecutor(len(distinct)) as pool:
        heard = dict(zip(distinct, pool.map(lambda at: _read(at, token, tls=tls), distinct), strict=True))
    errors = [one for one in heard.values() if isinstance(one, ArenaUnreachable)]
    if len(errors) == len(heard):
        raise errors[0]
    told = {name: heard[at] for name, at in addresses.items()}
    return join_status({name: "silent" if isinstance(one, Exception) else one for name, one in told.items()})


def _read(address: str, token: str, *, tls: bool) -> answer.GetStatusResponse | Contact | ArenaUnreachable:
    with call.channel(address, tls=tls) as channel:
        try:
            found = Link(STUB(channel), address, token, PATIENCE).call(
                "GetStatus", pb.GetStatusRequest(), SECONDS
            )
        except (DatabaseUnavailable, InternalFault):  # it cannot read the token, or is of an older release
            return "unread"
        except DeadlinePassed:
            return "silent"
        except ArenaUnreachable as error:
            return error
    return call.plain(answer.GetStatusResponse, found)
