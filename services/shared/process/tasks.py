"""Celery, for one purpose: to wake a worker. The database assigns the work.

A message may be lost or arrive three times; so a task asks by RPC for work, and a service with more
work than `waiting` messages sends more of them.
"""

from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

from maumau.errors import BrokerUnavailable
from maumau.process import trace

# a queue for each kind of work, instead of priorities
QUEUES = {
    "worker.advance": "advances",
    "worker.validate_version": "validations",
    "worker.play_block": "blocks",
    "worker.seat": "seats",
}

TRANSPORT = {
    "visibility_timeout": 600,  # the time after which a message taken by a worker that died is redelivered
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,  # a broker that hangs counts as unavailable; workers wait 1 s at a time
    "socket_keepalive": True,
    "health_check_interval": 3,  # a worker finds a connection that was lost silently within 1 + 2 * 3 s
    "max_retries": 0,  # a sender fails at once; a worker's consumer retries by itself
    "global_keyprefix": "maumau:",
}


def celery_app(broker_url: str) -> Celery:
    """Return the app that senders and workers share; it connects with the first message."""
    app = Celery("maumau", broker=broker_url, set_as_current=False)
    app.conf.update(
        broker_transport_options=TRANSPORT,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever: the broker may be unavailable for an hour
        worker_consumer="services.shared.process.consumer:Consumer",
        task_routes={task: {"queue": queue} for task, queue in QUEUES.items()},
        task_ignore_result=True,
        result_backend=None,
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
    )
    return app


def wake(app: Celery, task: str, *ident: str) -> None:
    """Send one message; raise BrokerUnavailable if that fails: the sweep will send it again."""
    if task not in QUEUES:
        raise ValueError(f"{task} is not a task; known: {', '.join(QUEUES)}")
    try:
        with trace.open_span(f"send {task}", queue=QUEUES[task]):
            app.send_task(task, args=list(ident), retry=False, headers=trace.make_headers())
    except (OperationalError, OSError) as err:
        raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err


def check(app: Celery) -> None:
    """Raise BrokerUnavailable unless the broker answers on a connection that is kept."""
    with app.pool.acquire(block=True) as connection:
        try:
            channel: Any = connection.default_channel
            channel.client.ping()
        except (OperationalError, *connection.connection_errors) as err:
            raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err


def waiting(app: Celery, task: str) -> int:
    """Return the number of messages of this task in the queue; fewer than work waits: some were lost."""
    with app.pool.acquire(block=True) as connection:  # a pooled connection: this is called after every result
        try:
            channel: Any = connection.default_channel
            return int(channel._size(QUEUES[task]))  # noqa: SLF001 - all else that counts also declares
        except (OperationalError, *connection.connection_errors) as err:
            raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err
