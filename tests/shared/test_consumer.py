"""What a worker's consumer makes of a broker that it cannot reach."""

from __future__ import annotations

import logging

from kombu import Consumer as Reader

from services.shared.process import tasks
from services.shared.process.consumer import Consumer
from tests.support.host.cut import Proxy


def connected(app):
    """Return the connection that a worker of this app would have."""
    consumer = Consumer.__new__(Consumer)  # without the worker that it would consume for
    consumer.app, consumer.first_connection_attempt = app, True
    return consumer.ensure_connected(app.connection_for_read())


def test_a_message_whose_acknowledgement_failed_keeps_no_other_one_from_being_fetched(redis_url, monkeypatch):
    """A worker may hold one: its answer is lost with the connection, and it must ask for the next one."""
    monkeypatch.setitem(tasks.TRANSPORT, "socket_timeout", 0.5)
    broker = Proxy(redis_url.removeprefix("redis://"))
    app = tasks.celery_app(f"redis://{broker.address}")
    tasks.wake(app, "worker.play_block", "x_1")
    messages = []
    with connected(app) as connection, connection.channel() as channel:
        queue = app.amqp.queues["blocks"](channel)
        with Reader(channel, [queue], on_message=messages.append, accept=["json"]) as reader:
            reader.qos(prefetch_count=1)
            while not messages:
                connection.drain_events(timeout=10)
            assert not channel.qos.can_consume()
            broker.lose()
            messages[0].ack_log_error(logging.getLogger("test"), connection.connection_errors)
            assert messages[0]._state == "RECEIVED"
            assert channel.qos.can_consume()
            broker.cut()
    broker.close()
