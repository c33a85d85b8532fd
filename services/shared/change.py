"""A change that is asked for again under the same request id is made once, and answered as the first time.

The mark of a change is committed with what it changed, so that it is never made twice; its answer is kept
beside the mark. Whoever lost an answer, or was cut off before it came, asks again.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from google.protobuf.message import Message

from maumau.errors import MaumauError
from services.shared import clock, log
from services.shared.auth import Need

READS = ("Get", "List", "Watch", "Export", "Follow", "WhoAmI", "Fold", "Verify", "Play")
"""How the names of calls begin that change nothing, or have ids of their own for what they change."""
CALLERS = {Need.PUBLIC, Need.ANY, Need.AUTHOR, Need.ORGANISER, Need.ADMIN}
"""Whose changes are made once by their request id; workers and services have fences and labels."""
SHORTEST = 16
"""Characters of a request id that two callers do not choose by chance."""
TOKENS = {"token", "seat_tokens", "code"}  # fields of answers that no database keeps
SECRETS = 1000  # answers with tokens that are kept in memory
KEPT = clock.DAY  # milliseconds that an answer is kept

logger = log.get(__name__)


@dataclass
class Change:
    """One that is being made. is_marked: what it did is committed, with its mark. is_over: it does no
    more."""

    id: str
    at: int
    is_marked: bool = False
    is_over: bool = False


class Changes(Protocol):
    """Where a service keeps which changes were made, and their answers."""

    async def begin(self, change: Change) -> bytes | None:
        """The answer if it was made before; RequestUnderWay if it was and there is no answer (yet)."""

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Keeps the answer, unless it is too secret to be stored; None: it was refused."""


_current: ContextVar[Change | None] = ContextVar("change", default=None)


def unmarked() -> Change | None:
    """The change that is being made here, if a transaction still has to commit its mark."""
    change = _current.get()
    return change if change and not (change.is_marked or change.is_over) else None


def is_change(method: str) -> bool:
    """Whether a call changes something, by its name without its service."""
    return not method.startswith(READS)


def is_preview(request: Message | None) -> bool:
    """Whether a call only asks what a change would come to."""
    return bool(getattr(request, "preview", False))


def is_made_once(method: str, need: Need, request_id: str) -> bool:
    """Whether such a call is answered by its request id."""
    return is_change(method) and need in CALLERS and len(request_id) >= SHORTEST


def new_change(method: str, account_id: str, request_id: str, request: Message) -> Change:
    """What is asked, by whom and under which id; another request of the same id is another change."""
    asked = request.SerializeToString(deterministic=True)
    parts = [part.encode() for part in (account_id, method, request_id)]
    digest = hashlib.sha256(b"\0".join((*parts, asked))).hexdigest()
    return Change(digest, clock.now())


def has_token(answer: Message) -> bool:
    """Whether this is an answer that no database may keep."""
    return any(field.name in TOKENS for field in answer.DESCRIPTOR.fields)


class Changing:
    """The changes that one server is making. One that was begun is made, even if its caller has gone."""

    def __init__(self) -> None:
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._secret: OrderedDict[str, tuple[int, bytes]] = OrderedDict()

    async def answer(
        self, kept: Changes, change: Change, make: Callable[[], Awaitable[tuple[bytes, bool]]]
    ) -> bytes:
        """The answer, encoded; made now, or taken from whoever asked first.

        make: gives the answer and whether it has a token in it.
        """
        task = self._under_way.get(change.id)
        if task is None:
            task = asyncio.create_task(self._answer(kept, change, make))
            self._under_way[change.id] = task
            task.add_done_callback(lambda done: self._ended(change.id, done))
        return await asyncio.shield(task)

    async def wait(self, seconds: float) -> None:
        """For what was begun, so long at most."""
        if self._under_way:
            await asyncio.wait(self._under_way.values(), timeout=seconds)

    async def _answer(
        self, kept: Changes, change: Change, make: Callable[[], Awaitable[tuple[bytes, bool]]]
    ) -> bytes:
        known = self._secret_answer(change) or await kept.begin(change)
        if known is not None:
            return known
        _current.set(change)
        try:
            answer, secret = await make()
        except BaseException:
            await _end(kept, change, None)
            raise
        if secret:
            self._keep_secret(change, answer)
        await _end(kept, change, answer, secret=secret)
        return answer

    def _secret_answer(self, change: Change) -> bytes | None:
        at, answer = self._secret.get(change.id, (0, None))
        return answer if at > change.at - KEPT else None

    def _keep_secret(self, change: Change, answer: bytes) -> None:
        self._secret[change.id] = (change.at, answer)
        if len(self._secret) > SECRETS:
            self._secret.popitem(last=False)

    def _ended(self, change_id: str, task: asyncio.Task[bytes]) -> None:
        del self._under_way[change_id]
        if not task.cancelled() and isinstance(task.exception(), MaumauError):
            logger.debug("refused", change=change_id)  # its exception is seen, whoever has gone


async def _end(kept: Changes, change: Change, answer: bytes | None, *, secret: bool = False) -> None:
    change.is_over = True
    try:
        await kept.end(change, answer, secret=secret)
    except MaumauError:  # what was asked is done or refused all the same
        logger.exception("answer not kept")
