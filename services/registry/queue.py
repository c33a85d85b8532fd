"""Messages that wake workers: right after a commit, and again by a sweep in case the broker lost them."""

import asyncio
from collections.abc import Callable

from celery import Celery

from maumau.errors import BrokerUnavailable
from maumau.process import trace
from services.registry.metrics import RegistryMetrics
from services.registry.store import Trials, Validations
from services.registry.store.bots.bot import VALIDATE
from services.shared.base import log
from services.shared.process import tasks

logger = log.get(__name__)


class Waker:
    """A sender of the outbox's messages; one may arrive twice, which claims tolerate."""

    def __init__(
        self,
        validations: Validations,
        trials: Trials,
        app: Celery,
        metrics: RegistryMetrics,
        tell: Callable[[], None],
    ) -> None:
        self.validations, self.trials = validations, trials
        self.app, self.metrics, self.tell = app, metrics, tell
        self.committed = asyncio.Event()

    async def relay_messages(self) -> None:
        """Wait for a commit, then send; messages that fail are left to the sweep."""
        await self.committed.wait()
        self.committed.clear()
        try:
            await asyncio.to_thread(self._send_outbox)
        except BrokerUnavailable as err:
            logger.warning("message kept", words=str(err))

    async def sweep_messages(self) -> None:
        """Stall hopeless validations, and send messages again if some for waiting versions were lost."""
        waiting = await asyncio.to_thread(self.validations.count_waiting)
        if any(one.count for one in waiting.values()):
            await self._stall_hopeless()
        for words in await asyncio.to_thread(self.trials.stall_hopeless):
            logger.error("trial stalled", words=words)
        try:
            await asyncio.to_thread(self._send_again)
        except BrokerUnavailable as err:
            logger.warning("no messages sent", words=str(err))

    async def _stall_hopeless(self) -> None:
        for words in await asyncio.to_thread(self.validations.stall_hopeless):
            self.metrics.validations.labels("stalled").inc()
            logger.error("validation stalled", words=words)
            self.tell()
        await asyncio.to_thread(self.validations.give_missing_turns)

    def _send_outbox(self) -> None:
        while messages := self.validations.list_outbox():
            for one in messages:
                self._send_message(one.task, one.subject)
            self.validations.mark_sent(messages)

    def _send_again(self) -> None:
        self._send_outbox()
        due = self.validations.list_due() + self.trials.list_due()
        if due and tasks.waiting(self.app, VALIDATE) < len(due):  # so that at most twice as many pile up
            for version_id in due:
                self._send_message(VALIDATE, version_id)

    def _send_message(self, task: str, subject: str) -> None:
        with trace.open_span("wake worker", subject, version=subject):
            tasks.wake(self.app, task, subject)
