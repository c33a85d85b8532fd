"""One replica of a service leads: it holds a row for a while, and who follows a dead one waits for that."""

import asyncio

import pytest
from prometheus_client import CollectorRegistry

from maumau.errors import NotLeading
from services.registry import models
from services.shared.base import clock
from services.shared.store import leader
from services.shared.store.connect import Database
from services.shared.store.leader import Leader, identify, new_gauge
from tests.support.stores import tables

LEASE = 3_600_000  # ms; by the clock of the test's process no lease runs out


class Replicas:
    """Leaders-to-be on one database, whose clock the test sets."""

    def __init__(self, database, monkeypatch):
        self.database, self.now = database, clock.now()
        monkeypatch.setattr(database, "now", lambda: self.now)

    def add(self, holder):
        return Leader(
            self.database, models.RegistryLeader, lambda: holder, new_gauge(CollectorRegistry(), "registry")
        )

    def row(self):
        with self.database.read() as session:
            return session.get_one(models.RegistryLeader, leader.ROW)


pytestmark = pytest.mark.stores


@pytest.fixture
def replicas(database_url, monkeypatch):
    monkeypatch.setattr(leader, "LEASE", LEASE / 1000)
    database = Database(database_url, "registry")
    tables.migrate_one(database, "registry")
    yield Replicas(database, monkeypatch)
    database.close()


def run(body):
    return asyncio.run(body)


def test_of_two_replicas_one_leads_until_its_time_is_over(replicas):
    one, two = replicas.add("one"), replicas.add("two")
    assert run(one.leads())
    assert not run(two.leads())
    replicas.now += LEASE
    assert not run(two.leads())
    replicas.now += 1
    assert run(two.leads())
    assert (replicas.row().holder, replicas.row().fence) == ("two", 2)


@pytest.mark.sample
def test_a_leader_that_renews_keeps_its_lead(replicas):
    one, two = replicas.add("one"), replicas.add("two")
    assert run(one.leads())
    for _ in range(3):
        replicas.now += LEASE - 1
        run(one.renew())
        assert not run(two.leads())
    assert replicas.row().fence == 1


@pytest.mark.sample
def test_a_leader_that_was_replaced_notices_at_its_next_renewal(replicas):
    one, two = replicas.add("one"), replicas.add("two")
    assert run(one.leads())
    replicas.now += LEASE + 1
    assert run(two.leads())
    run(one.renew())
    assert not run(one.leads())
    assert run(two.leads())


@pytest.mark.sample
def test_who_stops_gives_its_lead_to_the_next_at_once(replicas):
    one, two = replicas.add("one"), replicas.add("two")
    assert run(one.leads())
    run(two.resign())  # it does not lead
    assert not run(two.leads())
    run(one.resign())
    assert run(two.leads())


@pytest.mark.sample
def test_who_is_started_again_in_the_same_place_need_not_wait_for_itself(replicas):
    assert run(replicas.add("here").leads())
    again = replicas.add("here")
    assert run(again.leads())
    assert replicas.row().fence == 2


@pytest.mark.sample
def test_a_leader_that_hangs_in_its_work_is_replaced(replicas, monkeypatch):
    monkeypatch.setattr(leader, "LONGEST_WORK", -1.0)
    one, two = replicas.add("one"), replicas.add("two")

    async def hang():
        replicas.now += LEASE // 2
        await one.renew()
        replicas.now += LEASE // 2 + 1
        assert await two.leads()

    run(one.only(hang)())
    assert replicas.row().holder == "two"


@pytest.mark.sample
def test_a_lease_from_before_the_clock_was_set_back_keeps_nobody_waiting(replicas):
    assert run(replicas.add("one").leads())
    replicas.now -= 2 * LEASE
    assert run(replicas.add("two").leads())


@pytest.mark.sample
def test_what_a_replaced_leader_asks_in_its_transaction_is_refused(replicas):
    one, two = replicas.add("one"), replicas.add("two")
    assert run(one.leads())
    with replicas.database.write() as session:
        one.guard(session)
    replicas.now += LEASE + 1
    assert run(two.leads())
    with pytest.raises(NotLeading), replicas.database.write() as session:
        one.guard(session)


def test_the_others_do_what_is_left_for_them(replicas):
    done = []

    async def note(what):
        done.append(what)

    async def both():
        for each in (replicas.add("one"), replicas.add("two")):
            await each.only(lambda: note("work"), lambda: note("rest"))()

    run(both())
    assert done == ["work", "rest"]


@pytest.mark.sample
def test_many_pieces_of_work_of_one_replica_take_one_lead(replicas):
    async def many():
        one = replicas.add("one")
        assert all(await asyncio.gather(*(one.leads() for _ in range(8))))

    run(many())
    assert replicas.row().fence == 1


def test_a_process_is_known_by_its_place_and_another_address_is_another():
    assert identify("127.0.0.1:1") == identify("127.0.0.1:1") != identify("127.0.0.1:2")
