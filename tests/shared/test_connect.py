"""Databases and Redis clients on every backend that the platform promises."""

import asyncio
import socket
import sqlite3
import threading
import time
from urllib.parse import urlsplit

import pytest
import redis
from sqlalchemy import text

from bench.support.patience import patient
from maumau.errors import BadRequest, DatabaseUnavailable
from services.shared.store import connect
from services.shared.store import redis as clients
from services.shared.store.connect import Database
from tests.support.library import replace_functions

pytestmark = pytest.mark.stores


@pytest.fixture
def database(database_url):
    database = Database(database_url, "public")
    with database.write() as session:
        session.exec(text("CREATE TABLE counter (id TEXT PRIMARY KEY, value INTEGER NOT NULL)"))
        session.exec(text("INSERT INTO counter VALUES ('a', 0)"))
    yield database
    database.close()


def _value(database):
    with database.read() as session:
        return session.exec(text("SELECT value FROM counter")).scalar_one()


@pytest.mark.sample
def test_many_writers_at_once_lose_no_update(database):
    def add():
        for _ in range(20):
            with database.write() as session:
                query = "SELECT value FROM counter" + ("" if database.sqlite else " FOR UPDATE")
                value = session.exec(text(query)).scalar_one()
                session.exec(text("UPDATE counter SET value = :value").bindparams(value=value + 1))

    threads = [threading.Thread(target=add) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert _value(database) == 120


def test_who_opens_a_new_file_while_another_writes_waits_until_it_may_write_ahead(tmp_path, monkeypatch):
    """SQLite itself does not wait there, whatever its timeout."""
    file = tmp_path / "new.db"
    writer = sqlite3.connect(file, isolation_level=None)
    writer.executescript("CREATE TABLE counter (value INTEGER); BEGIN IMMEDIATE")
    waits = []

    def pause(seconds):
        waits.append(seconds)
        writer.rollback()

    replace_functions(monkeypatch, connect, "time", sleep=pause)
    database = Database(f"sqlite:///{file}", "public")
    with database.read() as session:
        assert session.exec(text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert session.exec(text("PRAGMA busy_timeout")).scalar_one() == 30_000
    assert len(waits) == 1
    database.close()
    writer.close()


def test_a_write_that_raises_is_rolled_back(database):
    def spoil():
        with database.write() as session:
            session.exec(text("UPDATE counter SET value = 7"))
            raise KeyError

    with pytest.raises(KeyError):
        spoil()
    assert _value(database) == 0


def test_a_reader_sees_one_state_while_another_writes(database):
    with database.read() as session:
        before = session.exec(text("SELECT value FROM counter")).scalar_one()
        with database.write() as other:
            other.exec(text("UPDATE counter SET value = 5"))
        again = session.exec(text("SELECT value FROM counter")).scalar_one()
    assert (before, again) == (0, 0)
    assert _value(database) == 5


def test_a_text_that_cannot_be_stored_is_a_bad_request(postgresql_url):
    database = Database(postgresql_url, "public")
    with pytest.raises(BadRequest), database.read() as session:
        session.exec(text("SELECT :words").bindparams(words="a\0b"))
    database.close()


def test_a_database_that_does_not_answer_is_said_to_be_unavailable(tmp_path):
    database = Database(f"postgresql+psycopg://postgres@/none?host={tmp_path}", "public")
    with pytest.raises(DatabaseUnavailable), database.read() as session:
        session.exec(text("SELECT 1"))


def test_connections_that_fell_while_they_rested_are_made_anew_and_nobody_notices(
    postgresql_url, monkeypatch
):
    monkeypatch.setattr(connect, "IDLE", 0.0)
    database, other = Database(postgresql_url, "public"), Database(postgresql_url, "public")
    with database.read() as first, database.read() as second:
        rested = {session.scalar(text("SELECT pg_backend_pid()")) for session in (first, second)}
    with other.write() as session:
        ended = text("SELECT pg_terminate_backend(pid, 10000) FROM unnest(:pids) AS pid")
        assert session.scalars(ended, {"pids": sorted(rested)}).all() == [True, True]
    for use in (database.read, database.write, database.read):
        with use() as session:
            assert session.scalar(text("SELECT pg_backend_pid()")) not in rested
    database.close()
    other.close()


class Mute:
    """Stands between client and server; once `muted`, the connections there are get no more answers."""

    def __init__(self, port):
        self.port, self.muted = port, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.pairs = []
        threading.Thread(target=self._accept, daemon=True).start()

    def mute(self):
        self.muted.update(self.pairs)

    def _accept(self):
        while True:
            here = self.listener.accept()[0]
            there = socket.create_connection(("127.0.0.1", self.port))
            pair = (here, there)
            self.pairs.append(pair)
            threading.Thread(target=self._pump, args=(here, there, None), daemon=True).start()
            threading.Thread(target=self._pump, args=(there, here, pair), daemon=True).start()

    def _pump(self, source, target, pair):
        while data := source.recv(65536):
            if pair not in self.muted:
                target.sendall(data)


@pytest.mark.long
def test_a_command_whose_answer_is_lost_is_not_sent_again(redis_url):
    mute = Mute(urlsplit(redis_url).port)
    client = clients.connect(f"redis://127.0.0.1:{mute.listener.getsockname()[1]}")
    client.connection_pool.connection_kwargs["socket_timeout"] = patient(0.3)
    client.ping()
    mute.mute()
    with pytest.raises(redis.TimeoutError):
        client.incr("maumau:test")
    with redis.Redis.from_url(redis_url) as other:
        assert int(other.get("maumau:test")) == 1


def test_a_blocking_read_outlives_the_timeout_of_commands(redis_url):
    async def read():
        reader = clients.connect_reader(redis_url)
        try:
            assert reader.connection_pool.connection_kwargs["socket_timeout"] is None
            return await reader.xread({"maumau:none": "$"}, block=300)
        finally:
            await reader.aclose()

    assert asyncio.run(read()) in (None, [], {})


def test_its_clock_is_the_one_of_the_world(database):
    assert abs(database.now() - time.time_ns() // 1_000_000) < 60_000
