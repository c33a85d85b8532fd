"""Actions of admins and organisers: each call is logged, and kept by the service that it was made to."""

import asyncio
import re
from asyncio import to_thread
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from maumau.errors import MaumauError
from maumau.protocol.words import clean_line
from services.shared.base import ident, log
from services.shared.base.auth import Identity, Need
from services.shared.store.change import is_change

LONG = {"spec_toml", "variant_toml"}
SECRET = re.compile(r"(?!page_token$)(\w+_)?(token|secret|nonce|seed|code|url)s?")
"""Fields neither logged nor kept: long ones, and those that grant access or reveal a deal.

The address of a webhook is of both kinds: many services let in whoever knows it.
"""
LONGEST, WORDS = 80, 500  # characters of one field, and of all together

logger = log.get(__name__)

_keeping: set[asyncio.Task[None]] = set()


class LoggedAction(NamedTuple):
    """A call; at: milliseconds since 1970, UTC. asked: the fields of the request, shortened."""

    id: str
    at: int
    service: str
    method: str
    account_name: str
    asked: str
    outcome: str
    request_id: str


class Actions(Protocol):
    """Storage of the actions of one service."""

    def add(self, action: LoggedAction) -> None: ...

    def before(self, action_id: str, most: int) -> list[LoggedAction]:
        """Return the newest actions, or those older than this one; newest first."""


def is_action(method: str, who: Identity) -> bool:
    """Return True for a change made with an admin's or organiser's token. method: without its service."""
    return is_change(method) and who.may(Need.LEADER)


async def note(
    actions: Actions, method: str, who: Identity, request: Any, outcome: str, request_id: str
) -> None:
    """Log and keep a call, even if its caller gives up in the meantime.

    method: its full name. request: None if it was a stream.
    """
    service, name = method.rpartition(".")[2].split("/")
    at, asked = int(1000 * datetime.now(UTC).timestamp()), describe_request(request)
    logger.info("action", account=who.name, asked=asked, outcome=outcome)
    one = LoggedAction(ident.new_id("action"), at, service, name, who.name, asked, outcome, request_id)
    keeping = asyncio.create_task(_keep(actions, one))
    _keeping.add(keeping)
    keeping.add_done_callback(_keeping.discard)
    await asyncio.shield(keeping)


async def _keep(actions: Actions, one: LoggedAction) -> None:
    try:
        await to_thread(actions.add, one)
    except MaumauError:  # the request itself has been carried out or refused
        logger.exception("action not kept")


def describe_request(request: Message | None) -> str:
    """Return the request's fields, shortened, without secrets."""
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
