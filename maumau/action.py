"""What admins asked of the services of an arena; no message of the contract leaves this file."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from maumau import answer, call
from maumau.link import Link
from maumau.v1 import action_pb2 as pb
from maumau.v1 import action_pb2_grpc

PATIENCE = 3.0  # seconds that a service may be silent
PAGE = 1000
STUB: Any = action_pb2_grpc.ActionServiceStub


def newest(
    addresses: Iterable[str], token: str, most: int, before: str = "", *, tls: bool = False
) -> list[answer.Action]:
    """The newest actions of the services at these addresses (host:port), at most so many; for admins.

    before: the id of an action, for those older than it.
    """
    read = [_read(address, token, min(most, PAGE), before, tls=tls) for address in sorted(set(addresses))]
    return list(islice(heapq.merge(*read, key=lambda one: one.id, reverse=True), most))


def _read(address: str, token: str, size: int, before: str, *, tls: bool) -> Iterator[answer.Action]:
    request = pb.ListActionsRequest(page_token=before)
    with call.channel(address, tls=tls) as channel:
        for found in Link(STUB(channel), address, token, PATIENCE).pages("ListActions", request, size):
            yield from (call.plain(answer.Action, one) for one in found.actions)
