"""Changes made once per request id: a repeated request gets the answer of the first.

The mark of a change is committed with its effects, so that it is never made twice; its answer is stored
beside the mark. Callers that lost an answer, or were cut off before it came, repeat the request. The key of a
change is its account or address, its method, its id and the request: another request under the same id is
another change. While it is made, another replica says `REQUEST_UNDER_WAY`; once nobody makes it any more and
no answer is stored, as of a service that was killed in between, `ANSWER_LOST`.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from maumau.errors import MaumauError
from services.shared.base import clock, log
from services.shared.base.auth import Need
from services.shared.store.repeat import repeat_call

READS = ("Get", "List", "Watch", "Export", "Follow", "WhoAmI", "Fold", "Verify", "Play", "ConfirmEntries")
"""Prefixes of calls that change nothing, that have ids of their own for their changes, or that only report
presence every few seconds and leave no trace."""
CALLERS = {Need.PUBLIC, Need.ANY, Need.AUTHOR, Need.GUEST, Need.ORGANISER, Need.LEADER, Need.ADMIN}
"""Callers whose changes are made once per request id; workers and services have fences and labels."""
SHORTEST = 16
"""Least characters of a request id, so that two callers do not choose the same by chance."""
TOKENS = {"token", "seat_token", "seat_tokens", "code"}  # fields of answers that are not stored in a database
SECRETS = {"maumau.v1.CreateWebhookResponse.secret"}
"""Such fields by their full names: other secrets, as of tournaments, are told to all once they may be."""
UNSTORED = 1000  # answers kept in memory: those with tokens, and those that could not be stored
UNSTORED_KEPT = 60_000  # ms that they are kept: a retry takes seconds, and request ids are in logs
KEPT = clock.DAY  # milliseconds that other answers are kept
HELD = 20_000  # ms for which a mark says that its change is being made; whoever makes it renews it
RENEWAL = 5.0  # seconds between two renewals
STORING = HELD / 1000 - RENEWAL
"""Seconds for which it is tried again to store an answer: so long the mark of its change surely holds."""

Make = Callable[[], Awaitable[tuple[bytes, bool]]]
Note = Callable[[BaseException | None], Awaitable[None]]

logger = log.get(__name__)


@dataclass
class Change:
    """An attempt to make a change.

    is_marked: its effects are committed, with its mark. is_over: it has ended, and writes no more.
    maker: the owner of its mark in Redis, another for each attempt.
    """

    id: str
    is_marked: bool = False
    is_over: bool = False
    maker: str = ""


class Changes(Protocol):
    """Storage of a service's changes and their answers."""

    async def begin(self, change: Change) -> bytes | None:
        """Return the answer if the change was made before, None if it is to be made.

        Raise RequestUnderWay while it is being made, and AnswerLost if its answer is not stored.
        """

    async def renew(self, change: Change) -> None:
        """Record that the change is still being made."""

    async def look_again(self, change: Change) -> bytes | None:
        """Return the answer, or raise, as `begin` would if it was called only now."""

    async def end(self, change: Change, answer: bytes | None, *, secret: bool) -> None:
        """Record that the change is over, with its answer unless it is too secret to store; None: refused."""


_current: ContextVar[Change | None] = ContextVar("change", default=None)


def unmarked() -> Change | None:
    """Return the current change if its mark is not committed yet."""
    change = _current.get()
    return change if change and not (change.is_marked or change.is_over) else None


def is_change(method: str) -> bool:
    """Return True if a call changes something. method: its name without its service."""
    return not method.startswith(READS)


def is_preview(request: Message | None) -> bool:
    """Return True if a call only asks for the effects of a change."""
    return bool(getattr(request, "preview", False))


def is_made_once(method: str, need: Need, request_id: str) -> bool:
    """Return True if repeated calls are answered by their request id."""
    return is_change(method) and need in CALLERS and len(request_id) >= SHORTEST


def new_change(method: str, asker: str, request_id: str, request: Message) -> Change:
    """Return a change, identified by caller, method, request id and request.

    asker: an account's id, or the address of a caller without a token.
    """
    asked = request.SerializeToString(deterministic=True)
    parts = [part.encode() for part in (asker, method, request_id)]
    digest = hashlib.sha256(b"\0".join((*parts, asked))).hexdigest()
    return Change(digest)


def has_token(answer: Message) -> bool:
    """Return True if the answer must not be stored in a database."""
    return is_secret(answer.DESCRIPTOR)


@cache
def is_secret(kind: Descriptor) -> bool:
    """Return True if a message of this kind has a field for a token, a code or a secret, at any depth."""
    kinds, found = [kind], {kind.full_name}
    while kinds:
        for field in kinds.pop().fields:
            if field.name in TOKENS or field.full_name in SECRETS:
                return True
            if (inner := field.message_type) and inner.full_name not in found:
                found.add(inner.full_name)
                kinds.append(inner)
    return False


class Changing:
    """The changes in progress on a server; each is completed even if its caller has gone."""

    def __init__(self, monotonic: clock.Clock = clock.monotonic) -> None:
        self._monotonic = monotonic  # not the machine's clock: one set back would keep them for longer
        self._under_way: dict[str, asyncio.Task[bytes]] = {}
        self._storing: set[asyncio.Task[None]] = set()
        self._unstored: OrderedDict[str, tuple[int, bytes]] = OrderedDict()

    async def answer(self, kept: Changes, change: Change, make: Make, note: Note) -> bytes:
        """Return the encoded answer, made now or by an earlier identical request.

        make: returns the answer and whether it contains a token. note: called with None or the error once
        it is made or refused here.
        """
        task = self._under_way.get(change.id)
        if task is None:
            task = asyncio.create_task(self._answer(kept, change, make, note))
            self._under_way[change.id] = task
            task.add_done_callback(lambda done: self._ended(change.id, done))
        return await asyncio.shield(task)

    async def recall(self, kept: Changes, change: Change) -> bytes | None:
        """Return the answer to a change that was made or is being made here, None if there is none.

        Raise RequestUnderWay while another replica makes it, and AnswerLost if its answer is not stored.
        """
        if task := self._under_way.get(change.id):
            return await asyncio.shield(task)
        if (known := self._unstored_answer(change)) is not None:
            return known
        return await kept.look_again(change)

    async def wait(self, seconds: float) -> None:
        """Wait for changes in progress and answers to be stored, for at most this many seconds."""
        ends = time.monotonic() + seconds
        while awaited := {*self._under_way.values(), *self._storing}:  # a change may leave an answer to store
            if (left := ends - time.monotonic()) <= 0:
                return
            await asyncio.wait(awaited, timeout=left)

    async def _answer(self, kept: Changes, change: Change, make: Make, note: Note) -> bytes:
        if (known := self._unstored_answer(change)) is None:
            known = await kept.begin(change)
        if known is not None:
            return known
        _current.set(change)
        renewing = asyncio.create_task(_renew(kept, change))
        try:
            answer, secret = await make()
        except BaseException as err:
            change.is_over = True
            if isinstance(err, Exception) and not change.is_marked:
                known = await kept.look_again(change)
            if known is None:
                await note(err)
                await self._end(kept, change, None)
                raise
            return known  # another replica has made it since `begin`, which is why it was refused here
        finally:
            change.is_over = True
            renewing.cancel()
        await note(None)
        await self._end(kept, change, answer, secret=secret)
        return answer

    async def _end(
        self, kept: Changes, change: Change, answer: bytes | None, *, secret: bool = False
    ) -> None:
        """Store the answer; keep it in memory if it is secret or cannot be stored now, but perhaps soon."""
        store = partial(kept.end, change, answer, secret=secret)
        try:
            await store()
        except MaumauError as err:  # the request itself has been carried out or refused
            logger.warning("answer not stored yet", words=str(err))
            storing = asyncio.create_task(_store_later(store))
            self._storing.add(storing)
            storing.add_done_callback(self._storing.discard)
            secret = True
        if secret and answer is not None:
            self._keep_unstored(change, answer)

    def _unstored_answer(self, change: Change) -> bytes | None:
        self._forget_unstored(UNSTORED)
        _, answer = self._unstored.get(change.id, (0, None))
        return answer

    def _keep_unstored(self, change: Change, answer: bytes) -> None:
        self._forget_unstored(UNSTORED - 1)
        self._unstored[change.id] = (self._monotonic(), answer)

    def _forget_unstored(self, most: int) -> None:
        """Forget answers that were kept long enough, and the oldest beyond the bound."""
        before = self._monotonic() - UNSTORED_KEPT
        while self._unstored and (
            len(self._unstored) > most or next(iter(self._unstored.values()))[0] <= before
        ):
            self._unstored.popitem(last=False)

    def _ended(self, change_id: str, task: asyncio.Task[bytes]) -> None:
        del self._under_way[change_id]
        if not task.cancelled() and isinstance(task.exception(), MaumauError):
            logger.debug("refused", change=change_id)  # its exception is retrieved even without a caller


async def _store_later(store: Callable[[], Awaitable[None]]) -> None:
    """Try again to store an answer until it is stored, or until the mark of its change may have expired."""
    try:
        await repeat_call(store, STORING)
    except MaumauError:
        logger.exception("answer not kept")


async def _renew(kept: Changes, change: Change) -> None:
    """Renew the change's mark until this task is cancelled."""
    while True:
        await asyncio.sleep(RENEWAL)
        try:
            await kept.renew(change)
        except MaumauError as err:
            logger.warning("mark not renewed", words=str(err))
