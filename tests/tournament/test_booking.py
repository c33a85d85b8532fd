"""The service dies while it books a result: either all of it stands, or nothing."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
from sqlalchemy import text

from bench.support.patience import patient
from maumau.errors import ArenaUnreachable, MaumauError
from services.shared.store.connect import Database
from tests.support.arenas.tournament import Worker
from tests.support.waiting import until


class Service:
    """The tournament service as a separate process, on the arena's database."""

    def __init__(self, arena):
        told = {
            "DATA": arena.settings.data, "DATABASE_URL": arena.settings.database_url, "LISTEN": "127.0.0.1:0",
            "REDIS_URL": arena.settings.redis_url, "BROKER_URL": arena.settings.broker_url,
            "REGISTRY_ADDRESS": arena.address, "ADMIN_TOKEN": arena.settings.admin_token,
            "WORKER_TOKEN": arena.settings.worker_token, "SWEEP": 0.1,
        }  # fmt: skip
        env = {**os.environ, **{f"MAUMAU_{name}": str(value) for name, value in told.items()}}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "services.tournament"], env=env, stdout=subprocess.PIPE, stderr=sys.stderr
        )
        lines = (line for line in self.process.stdout if line.startswith(b'{"service"'))
        self.address = json.loads(next(lines))["address"]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


FOREVER = """
CREATE TRIGGER forever BEFORE INSERT ON outbox BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n);
END
"""


@contextmanager
def outbox_stuck(arena):
    """Block the outbox, so that a booking has written block and result but cannot commit.

    Gives a function that says whether somebody is there.
    """
    if "postgresql" in arena.settings.database_url:
        database = Database(arena.settings.database_url, "tournament")
        with database.write() as session:
            session.execute(text("LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE"))
            yield lambda: waiting(database)
            session.rollback()
        database.close()
        return
    path = arena.settings.data / "tournament.db"
    assert execute(path, FOREVER)
    yield lambda: not execute(path, "BEGIN IMMEDIATE", patience=0.5)
    assert execute(path, "DROP TRIGGER forever")


def waiting(database):
    with database.read() as session:
        return session.execute(text(WAITING)).scalar()


WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO outbox%'
"""


def execute(path, statement, patience=10.0):
    """Return True if the statement succeeded within this time."""
    connection = sqlite3.connect(path, timeout=patience, isolation_level=None)
    try:
        connection.execute(statement)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.close()
    return True


@pytest.fixture
def service(arena):
    service = Service(arena)
    yield service
    service.kill()


def test_a_service_killed_in_the_middle_of_booking_has_booked_nothing(arena, service):
    name = arena.begin("first", "random")
    worker, answers = Worker(service.address), []
    order = worker.claim(until(lambda: arena.blocks(name, "queued"))[0].id)

    def report():
        try:
            answers.append(worker.report(order))
        except MaumauError as err:
            answers.append(err)

    thread = threading.Thread(target=report)
    with outbox_stuck(arena) as somebody_is_there:
        thread.start()
        until(somebody_is_there)
        service.kill()
    thread.join(patient(10))
    assert isinstance(answers[0], ArenaUnreachable)
    found = next(block for block in arena.blocks(name) if block.id == order.block_id)
    assert found.state == "claimed"
    assert arena.worker.report(order).stored
    arena.finish(name)
