"""Celery's consumer with short pauses between attempts to reach the broker, and no credit lost to it."""

from functools import partial
from typing import Any

from celery.worker import consumer
from kombu.transport import redis, virtual

PAUSE = 0.5  # seconds of the first pause, and seconds by which each pause is longer than the one before
LONGEST_PAUSE = 2.0
"""Most seconds between two attempts; Celery's own pauses grow to 30 s, and play would resume that late."""


class Credit(redis.QoS):
    """The count of messages that may still be fetched; a message whose acknowledgement failed is not held.

    The failure is logged and the connection stays in use, so that without this a worker that may hold one
    message would fetch no other one. The broker delivers the message again, which tasks allow for.
    """

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)  # type: ignore[no-untyped-call]
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)  # type: ignore[no-untyped-call]
            raise


class Channel(redis.Channel):
    """A channel to the broker with that credit."""

    QoS = Credit


class Consumer(consumer.Consumer):  # type: ignore[misc]
    """A consumer that reconnects within seconds, however long the broker was away."""

    def ensure_connected(self, conn: Any) -> Any:
        conn.transport.Channel = Channel
        conn.ensure_connection = partial(
            conn.ensure_connection, interval_start=PAUSE, interval_step=PAUSE, interval_max=LONGEST_PAUSE
        )
        return super().ensure_connected(conn)
