"""The delivery of notices to webhooks: many webhooks at the same time, each in its own order.

One replica delivers, the leader. If it stops between an answer and its booking, the next one delivers the
event again, with the same id.
"""

import asyncio
import time
from asyncio import to_thread
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from functools import partial
from typing import NamedTuple

import msgspec

from maumau.errors import BadRequest
from services.registry.domain.channel import find_scheme
from services.registry.domain.webhook import read_target, sign_message
from services.registry.metrics import RegistryMetrics
from services.registry.store.notices.delivery import EACH, Deliveries, Due, FinishedAttempt
from services.registry.store.notices.notice import Notices
from services.registry.webhooks.post import Poster, PostResult
from services.registry.webhooks.tell import MessageTeller
from services.shared.base import log
from services.shared.base.clock import Clock
from services.shared.base.clock import now as read_clock

AT_ONCE = {False: 200, True: 12}
"""Webhooks told at the same time; mail addresses and chats, which wait for the programs that send."""
GATHER = 0.05  # seconds in which reasons for a look gather
SHORTEST_REST, LONGEST_REST = 0.5, 60.0
"""Seconds between two looks while something waits for its next attempt."""

logger = log.get(__name__)


class Envelope(msgspec.Struct, frozen=True):
    """The body of a delivery: Standard Webhooks."""

    type: str
    timestamp: str
    data: msgspec.Raw


class Bookkeeper:
    """A writer of what became of attempts: those that end meanwhile are written together."""

    def __init__(self, deliveries: Deliveries, lock: asyncio.Lock) -> None:
        self.deliveries, self._lock = deliveries, lock
        self._waiting: list[tuple[FinishedAttempt, asyncio.Future[Due | None]]] = []

    async def note_attempt(self, done: FinishedAttempt) -> Due | None:
        """Record the end of an attempt; return its webhook's next delivery."""
        mine: asyncio.Future[Due | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((done, mine))
        async with self._lock:
            if not mine.done():
                await self._write_attempts()
        return await mine

    async def _write_attempts(self) -> None:
        batch, self._waiting = self._waiting, []
        try:
            answers = await to_thread(self.deliveries.note_attempts, [done for done, _ in batch])
        except Exception as error:  # noqa: BLE001 - each of them gets it
            for _, each in batch:
                each.set_exception(error)
            return
        for (_, each), answer in zip(batch, answers, strict=True):
            if not each.cancelled():
                each.set_result(answer)


class Senders(NamedTuple):
    """The ways to send an event: to webhooks, and to mail and chat."""

    poster: Poster
    teller: MessageTeller


class Running(NamedTuple):
    """A webhook that is being told."""

    task: asyncio.Task[None]
    account_id: str
    is_message: bool


class Dispatcher:
    """The leader's delivery of notices. leads: whether this replica is the leader."""

    def __init__(
        self,
        notices: Notices,
        deliveries: Deliveries,
        senders: Senders,
        metrics: RegistryMetrics,
        clock: Clock,
        leads: Callable[[], Awaitable[bool]],
    ) -> None:
        self.notices, self.deliveries = notices, deliveries
        self.poster, self.teller = senders
        self.metrics, self.clock, self.leads = metrics, clock, leads
        self._stirred, self._lock = asyncio.Event(), asyncio.Lock()
        self._book = Bookkeeper(deliveries, self._lock)
        self._tasks: dict[str, Running] = {}  # by webhook
        self._rest: float | None = None

    def wake_dispatcher(self) -> None:
        """Look for something to deliver: a notice was committed, or may have been on another replica."""
        self._stirred.set()

    async def deliver_due(self) -> None:
        """Wait for a reason, or for the time of the next attempt; then deliver what is due."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stirred.wait(), self._rest)
        self._rest = None
        if not await self.leads():
            self._stirred.clear()
            return
        await asyncio.sleep(GATHER)
        self._stirred.clear()
        async with self._lock:
            while await to_thread(self.notices.spread_notices):
                pass
        await self._begin_due()

    async def close(self) -> None:
        """End attempts under way; they are made again after the next start."""
        for one in self._tasks.values():
            one.task.cancel()
        await asyncio.gather(*(one.task for one in self._tasks.values()), return_exceptions=True)
        await self.teller.close()

    async def _begin_due(self) -> None:
        next_at = await to_thread(self.deliveries.find_next, list(self._tasks))
        if next_at is None:
            return
        if next_at <= self.clock():
            for is_message in AT_ONCE:
                await self._begin_kind(is_message=is_message)
        self._rest = min(max(SHORTEST_REST, (next_at - self.clock()) / 1000), LONGEST_REST)

    async def _begin_kind(self, *, is_message: bool) -> None:
        """Begin what is due of one kind, as far as there is room; each that ends calls for the next look."""
        room = AT_ONCE[is_message] - sum(one.is_message == is_message for one in self._tasks.values())
        if room <= 0:
            return
        accounts = Counter(one.account_id for one in self._tasks.values())
        look = partial(self.deliveries.list_due, messages=is_message)
        for due in await to_thread(look, room, list(self._tasks)):
            if accounts[due.account_id] < EACH:
                accounts[due.account_id] += 1
                self._begin_delivery(due, is_message=is_message)

    def _begin_delivery(self, due: Due, *, is_message: bool) -> None:
        task = asyncio.create_task(self._deliver_waiting(due), context=Context())
        self._tasks[due.webhook_id] = Running(task, due.account_id, is_message)
        task.add_done_callback(lambda _: self._end_delivery(due.webhook_id))

    def _end_delivery(self, webhook_id: str) -> None:
        del self._tasks[webhook_id]
        self.wake_dispatcher()

    async def _deliver_waiting(self, first: Due) -> None:
        """Tell a webhook all that waits for it, until an attempt fails."""
        due: Due | None = first
        try:
            while due is not None:
                answer = await self._send_due(due)
                self.metrics.deliveries.labels("failed" if answer.problem else "delivered").inc()
                due = await self._book.note_attempt(
                    FinishedAttempt(due, answer.status, answer.problem, answer.is_gone)
                )
        except Exception:
            logger.exception("a delivery is not booked and will be made again", webhook=first.webhook_id)

    async def _send_due(self, due: Due) -> PostResult:
        if find_scheme(due.url):
            return await self.teller.send(due)
        try:
            target = read_target(due.url)
        except BadRequest as err:  # rules of an earlier release
            return PostResult(0, str(err))
        body, seconds = write_body(due), read_clock() // 1000
        headers = {
            "webhook-id": due.notice_id,
            "webhook-timestamp": str(seconds),
            "webhook-signature": sign_message(due.secret, due.notice_id, seconds, body),
        }
        return await self.poster.post_body(target, headers, body)


def write_body(due: Due) -> bytes:
    """Return the body of a delivery, equal in all attempts."""
    seconds, ms = divmod(due.at, 1000)
    moment = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{ms:03}Z"
    return msgspec.json.encode(Envelope(due.kind, moment, msgspec.Raw(due.data.encode())))
