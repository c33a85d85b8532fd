"""The list of actions, for admins: those of all services on one server."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import heapq
from asyncio import to_thread
from typing import Any

from maumau.v1 import action_pb2 as pb
from maumau.v1 import action_pb2_grpc
from services.shared.base import page
from services.shared.base.auth import Need
from services.shared.rpc.timestamp import to_timestamp
from services.shared.store.action import Actions, LoggedAction

SERVICE = pb.DESCRIPTOR.services_by_name["ActionService"]
NEEDS = {"ListActions": Need.ADMIN}


class ActionServicer(action_pb2_grpc.ActionServiceServicer):
    """Handlers of ActionService for all services on one server."""

    def __init__(self, kept: list[Actions]) -> None:
        self.kept = kept

    async def ListActions(self, request: pb.ListActionsRequest, context: Any) -> pb.ListActionsResponse:
        most = page.count_entries(request.page_size) + 1
        found = [await to_thread(actions.before, request.page_token, most) for actions in self.kept]
        newest = heapq.merge(*found, key=lambda one: one.id, reverse=True)
        actions, token = page.fill(newest, request.page_size, _message, lambda one: one.id)
        return pb.ListActionsResponse(actions=actions, next_page_token=token)


def _message(one: LoggedAction) -> pb.Action:
    return pb.Action(**one._asdict() | {"at": to_timestamp(one.at)})
