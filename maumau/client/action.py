"""Requests of admins to an arena's services; no message of the contract leaves this file."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import Any

from maumau.client import answer, call
from maumau.client.link import Link
from maumau.v1 import action_pb2 as pb
from maumau.v1 import action_pb2_grpc

PATIENCE = 3.0  # seconds that a service may be silent
PAGE = 1000
STUB: Any = action_pb2_grpc.ActionServiceStub


def read_newest_actions(
    addresses: Mapping[str, str], token: str, most: int, before: str = "", *, tls: bool = False
) -> list[answer.Action]:
    """Return the newest actions of these services, up to `most` of them; for admins only.

    addresses: host:port by service; services in one process list each other's actions, too. before: the id of
    an action, for those older than it.
    """
    read = [
        _read_actions(name, at, token, min(most, PAGE), before, tls=tls) for name, at in addresses.items()
    ]
    merged = groupby(heapq.merge(*read, key=_id_of, reverse=True), _id_of)
    return [next(same) for _, same in islice(merged, most)]


def _id_of(action: answer.Action) -> str:
    return action.id


def _read_actions(
    service: str, address: str, token: str, size: int, before: str, *, tls: bool
) -> Iterator[answer.Action]:
    request = pb.ListActionsRequest(page_token=before)
    with call.open_channel(address, tls=tls) as channel:
        link = Link(STUB(channel), address, token, PATIENCE, service=service)
        for found in link.pages("ListActions", request, size):
            yield from (call.to_struct(answer.Action, one) for one in found.actions)
