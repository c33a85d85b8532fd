"""What admins asked of the services of an arena; no message of the contract leaves this file."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from maumau import answer, call
from maumau.v1 import action_pb2 as pb
from maumau.v1 import action_pb2_grpc

SECONDS = 60.0  # that a call may take
PAGE = 1000
STUB: Any = action_pb2_grpc.ActionServiceStub


def newest(addresses: Iterable[str], token: str, most: int, *, tls: bool = False) -> list[answer.Action]:
    """The newest actions of the services at these addresses (host:port), at most so many; for admins."""
    read = [_read(address, token, min(most, PAGE), tls=tls) for address in sorted(set(addresses))]
    return list(islice(heapq.merge(*read, key=lambda one: one.id, reverse=True), most))


def _read(address: str, token: str, size: int, *, tls: bool) -> Iterator[answer.Action]:
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    request = pb.ListActionsRequest(page_size=size)
    with call.channel(address, tls=tls) as channel:
        while True:
            with call.rpc_errors(address):
                found = STUB(channel).ListActions(request, timeout=SECONDS, metadata=metadata)
            yield from (call.plain(answer.Action, one) for one in found.actions)
            if not found.next_page_token:
                return
            request.page_token = found.next_page_token
