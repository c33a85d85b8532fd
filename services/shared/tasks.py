"""Celery, used for one thing: to wake a worker. The database decides who does what.

A message may be lost or arrive three times; so a task asks by RPC for something to do, and whoever has more
work than `waiting` messages sends more of them.
"""

from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

from maumau import trace
from maumau.errors import BrokerUnavailable

# a queue for each kind of work, in place of priorities
QUEUES = {
    "worker.advance": "advances",
    "worker.validate_version": "validations",
    "worker.play_block": "blocks",
    "worker.seat": "seats",
}

TRANSPORT = {
    "visibility_timeout": 600,  # a message taken by a worker that died comes back after this
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,  # a broker that hangs is one that is away; workers wait 1 s at a time
    "socket_keepalive": True,
    "max_retries": 0,  # a sender is told at once; a worker's consumer tries again by itself
    "global_keyprefix": "maumau:",
}


def celery_app(broker_url: str) -> Celery:
    """The app that senders and workers share; nothing connects until the first message."""
    app = Celery("maumau", broker=broker_url, set_as_current=False)
    app.conf.update(
        broker_transport_options=TRANSPORT,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever: the broker may be away for an hour
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
    """Sends one message; raises BrokerUnavailable, and then the sweep sends it again."""
    if task not in QUEUES:
        raise ValueError(f"{task} is not a task; known are {', '.join(QUEUES)}")
    try:
        with trace.open_span(f"send {task}", queue=QUEUES[task]):
            app.send_task(task, args=list(ident), retry=False, headers=trace.make_headers())
    except (OperationalError, OSError) as err:
        raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err


def check(app: Celery) -> None:
    """Raises BrokerUnavailable unless the broker answers."""
    try:
        with app.connection_for_write() as connection:
            connection.ensure_connection(max_retries=1, timeout=1)
    except (OperationalError, OSError) as err:
        raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err


def waiting(app: Celery, task: str) -> int:
    """How many messages of this task no worker has taken yet; fewer than work waits: some were lost."""
    with app.pool.acquire(block=True) as connection:  # one that is kept: it is asked after every result
        try:
            channel: Any = connection.default_channel
            return int(channel._size(QUEUES[task]))  # noqa: SLF001 - all else that counts also declares
        except (OperationalError, *connection.connection_errors) as err:
            raise BrokerUnavailable(f"{BrokerUnavailable.__doc__} ({err})") from err
