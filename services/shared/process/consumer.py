"""Celery's consumer with short pauses between attempts to reach the broker."""

from functools import partial
from typing import Any

from celery.worker import consumer

PAUSE = 0.5  # seconds of the first pause, and seconds by which each pause is longer than the one before
LONGEST_PAUSE = 2.0
"""Most seconds between two attempts; Celery's own pauses grow to 30 s, and play would resume that late."""


class Consumer(consumer.Consumer):  # type: ignore[misc]
    """A consumer that reconnects within seconds, however long the broker was away."""

    def ensure_connected(self, conn: Any) -> Any:
        conn.ensure_connection = partial(
            conn.ensure_connection, interval_start=PAUSE, interval_step=PAUSE, interval_max=LONGEST_PAUSE
        )
        return super().ensure_connected(conn)

    def call_soon_ack(self, p: Any, logger: Any, errors: Any, **options: Any) -> Any:  # noqa: ARG002
        """Acknowledge a message soon; if that fails, connect anew.

        Celery would log the errors that it names, and go on. The message would count as being handled for
        ever, and a worker that takes one at a time would take no other, nor find that its connection is lost.
        """
        return super().call_soon_ack(p, logger, (), **options)
