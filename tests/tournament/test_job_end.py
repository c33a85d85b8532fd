"""On PostgreSQL a job ends in one transaction while a block of it is given back in another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event, text

from bench.support.patience import Deadline
from maumau.errors import BlockDropped
from services.shared.store.connect import Database
from services.tournament.models import FirstRun
from services.tournament.store.blocks.booking import Bookings
from services.tournament.store.blocks.drop import end_jobs
from services.tournament.store.blocks.queue import Queue
from services.tournament.store.blocks.reaper import Reaper
from tests.support.stores.tournament import LEASE, LIMIT, Store

pytestmark = pytest.mark.long
WAITING = text(
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE NOT granted AND datname = current_database()"
)


class Late:
    """A database whose next commit waits until it is released."""

    def __init__(self, url):
        self.database = Database(url, "tournament")
        self.is_there, self.go = threading.Event(), threading.Event()
        event.listen(self.database.engine, "commit", self.hold)

    def hold(self, _connection):
        self.is_there.set()
        assert self.go.wait(60)


@pytest.fixture
def store(postgresql_url):
    store = Store(postgresql_url)
    store.url = postgresql_url
    yield store
    store.database.close()


@pytest.fixture
def late(store):
    late = Late(store.url)
    yield late
    late.go.set()
    late.database.close()


def give_back(database, store):
    Queue(database, store.claims.turns).give_back("12", 1, "", store.now, store.now)


def release(database, store):
    Reaper(database, LIMIT).release_leases(["w"], store.now)


def end_lease(database, store):
    Reaper(database, LIMIT).end_leases(store.now + LEASE + 1)


def put_off(database, store):
    run = FirstRun(block_id="12", fence=1, worker="w", overran="1", stored_at=store.now, measured=b"")
    Bookings(database).put_off(run, [], store.now, store.now)


def end(database):
    with database.write() as session:
        end_jobs(session, ["m12"])


def wait_until_locked(store, future):
    """Wait until the other transaction waits for a lock, or is over without having waited."""
    last = Deadline(30)
    while not future.done():
        with store.database.read() as session:
            if session.execute(WAITING).scalar_one():
                return
        assert not last.has_passed(), "it neither ends nor waits"
        last.pause()


def in_turn(store, late, first, second):
    """Run both; the second begins when the first is about to commit."""
    with ThreadPoolExecutor(2) as pool:
        begun = pool.submit(first, late.database)
        assert late.is_there.wait(60)
        following = pool.submit(second, store.database)
        try:
            wait_until_locked(store, following)
        finally:
            late.go.set()
        begun.result(60)
        following.result(60)


@pytest.mark.parametrize("leave", [give_back, release, end_lease])
def test_a_block_given_back_just_before_its_job_ends_does_not_wait_for_good(store, late, leave):
    store.claim("12", "w")
    in_turn(store, late, lambda database: leave(database, store), end)
    assert store.state("12") == ("dropped", "over")


@pytest.mark.parametrize("leave", [give_back, release, end_lease])
def test_a_block_given_back_just_after_its_job_ended_does_not_wait_for_good(store, late, leave):
    store.claim("12", "w")
    in_turn(store, late, end, lambda database: leave(database, store))
    assert store.state("12") == ("dropped", "over")


def test_a_block_is_not_put_off_when_its_job_ended_meanwhile(store):
    store.claim("12", "w")
    end(store.database)
    with pytest.raises(BlockDropped):
        put_off(store.database, store)
    assert store.state("12") == ("dropped", "over")


def test_blocks_of_jobs_that_end_together_are_locked_in_the_order_of_their_ids(store):
    """Renewals lock the leases in the same order, so that neither deadlocks with the other."""
    store.claim("12", "w")
    store.claim("34", "w")
    lock = text("SELECT id FROM block WHERE id = :id FOR UPDATE NOWAIT")

    def end_both():
        with store.database.write() as session:
            end_jobs(session, ["m34", "m12"])

    with ThreadPoolExecutor(1) as pool:
        with store.database.write() as session:
            session.execute(lock, {"id": "12"})
            ending = pool.submit(end_both)
            wait_until_locked(store, ending)
            assert not ending.done()
            assert session.execute(lock, {"id": "34"}).scalar_one() == "34"
        ending.result(60)
    assert store.state("12") == store.state("34") == ("claimed", "over")
