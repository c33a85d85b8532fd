"""Wakes workers: right after a commit, and again by a sweep for whatever the broker lost."""

import asyncio
from collections.abc import Callable

from celery import Celery

from maumau import trace
from maumau.errors import BrokerUnavailable
from services.registry.metrics import Metrics
from services.registry.store import Validations
from services.registry.store.bot import VALIDATE
from services.shared import log, tasks

logger = log.get(__name__)


class Waker:
    """Sends what the outbox holds; messages may come twice, the claim sorts it out."""

    def __init__(
        self, validations: Validations, app: Celery, metrics: Metrics, tell: Callable[[], None]
    ) -> None:
        self.validations, self.app, self.metrics, self.tell = validations, app, metrics, tell
        self.committed = asyncio.Event()

    async def relay(self) -> None:
        """Waits for a commit, then sends; what cannot be sent stays for the sweep."""
        await self.committed.wait()
        self.committed.clear()
        try:
            await asyncio.to_thread(self._send_outbox)
        except BrokerUnavailable as err:
            logger.warning("message kept", words=str(err))

    async def sweep(self) -> None:
        """Gives up what has no hope, and sends again what waits if messages for it were lost."""
        for words in await asyncio.to_thread(self.validations.stall):
            self.metrics.validations.labels("stalled").inc()
            logger.error("validation stalled", words=words)
            self.tell()
        try:
            await asyncio.to_thread(self._send_again)
        except BrokerUnavailable as err:
            logger.warning("no messages sent", words=str(err))

    def _send_outbox(self) -> None:
        while messages := self.validations.outbox():
            for one in messages:
                self._wake(one.task, one.subject)
            self.validations.sent(messages)

    def _send_again(self) -> None:
        self._send_outbox()
        due = self.validations.due()
        if due and tasks.waiting(self.app, VALIDATE) < len(due):  # so that at most twice as many pile up
            for version_id in due:
                self._wake(VALIDATE, version_id)

    def _wake(self, task: str, subject: str) -> None:
        with trace.open_span("wake worker", subject, version=subject):
            tasks.wake(self.app, task, subject)
