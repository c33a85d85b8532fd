"""Who did what as an admin or organiser: every such call is logged, and kept by the service asked."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

import asyncio
import heapq
import re
from asyncio import to_thread
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from maumau.bot.words import clean_line
from maumau.errors import MaumauError
from maumau.v1 import action_pb2 as pb
from maumau.v1 import action_pb2_grpc
from services.shared import ident, log, page
from services.shared.auth import Identity, Need
from services.shared.change import is_change

SERVICE = pb.DESCRIPTOR.services_by_name["ActionService"]
NEEDS = {"ListActions": Need.ADMIN}
LONG = {"spec_toml", "variant_toml"}
SECRET = re.compile(r"(?!page_token$)(\w+_)?(token|secret|nonce|seed|code)s?")
"""Fields neither logged nor kept: too long ones, and those that let their reader in or see a deal."""
LONGEST, WORDS = 80, 500  # characters of one field, and of all

logger = log.get(__name__)

_keeping: set[asyncio.Task[None]] = set()


class Action(NamedTuple):
    """One call; at: milliseconds since 1970, UTC. asked: the fields of the request, shortened."""

    id: str
    at: int
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str


class Actions(Protocol):
    """Where a service keeps what admins and organisers ask of it."""

    def add(self, action: Action) -> None: ...

    def before(self, action_id: str, most: int) -> list[Action]:
        """The newest, or those older than this one; newest first."""


def is_action(method: str, who: Identity) -> bool:
    """Whether a call changes something with the token of an admin or organiser. method: its name alone."""
    return is_change(method) and who.may(Need.ORGANISER)


async def note(
    actions: Actions, method: str, who: Identity, request: Any, outcome: str, request_id: str
) -> None:
    """Logs and keeps a call, even one that its caller gives up meanwhile.

    method: its full name. request: None if it was a stream.
    """
    service, name = method.rpartition(".")[2].split("/")
    at, asked = int(1000 * datetime.now(UTC).timestamp()), describe_request(request)
    logger.info("action", account=who.name, asked=asked, outcome=outcome)
    one = Action(ident.new_id("action"), at, service, name, who.name, asked, outcome, request_id)
    keeping = asyncio.create_task(_keep(actions, one))
    _keeping.add(keeping)
    keeping.add_done_callback(_keeping.discard)
    await asyncio.shield(keeping)


async def _keep(actions: Actions, one: Action) -> None:
    try:
        await to_thread(actions.add, one)
    except MaumauError:  # what was asked is done or refused all the same
        logger.exception("action not kept")


def describe_request(request: Message | None) -> str:
    """Its fields, shortened, without what nobody else may know."""
    if request is None:
        return ""
    fields = ((field.name, value) for field, value in request.ListFields())
    return clean_line(" ".join(f"{name}={_shown(name, value)}" for name, value in fields))[:WORDS]


def _shown(name: str, value: Any) -> str:
    if name in LONG or SECRET.fullmatch(name):
        return "…"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Message):
        return f"({describe_request(value)})"
    if isinstance(value, str | bytes | int | float):
        return str(value)[:LONGEST]
    return ",".join(_shown(name, one) for one in value)[:LONGEST]


class ActionServicer(action_pb2_grpc.ActionServiceServicer):
    """Of all the services on one server."""

    def __init__(self, kept: list[Actions]) -> None:
        self.kept = kept

    async def ListActions(self, request: Any, context: Any) -> Any:
        most = page.count_entries(request.page_size) + 1
        found = [await to_thread(actions.before, request.page_token, most) for actions in self.kept]
        newest = heapq.merge(*found, key=lambda one: one.id, reverse=True)
        actions, token = page.fill(newest, request.page_size, _message, lambda one: one.id)
        return pb.ListActionsResponse(actions=actions, next_page_token=token)


def _message(one: Action) -> pb.Action:
    at = Timestamp()
    at.FromMilliseconds(one.at)
    return pb.Action(**one._asdict() | {"at": at})
