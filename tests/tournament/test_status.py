"""The tournament service's status: queue and ages, missing workers, speed."""

import pytest
from sqlalchemy import text

from services.shared.process.service_status import MAX_COUNTED
from services.tournament.metrics import WaitingGauges
from services.tournament.models import BlockResult, Outbox
from services.tournament.status import WAITS, WINDOW, StatusReader
from services.tournament.store.broadcast.watch import Streams
from services.tournament.store.upkeep.census import Census

SECOND, MINUTE = 1000, 60_000


class NoRedis:
    """A client of which nothing is asked."""

    def register_script(self, script):
        return script


@pytest.fixture
def reader(store):
    store.now += 10 * 24 * 60 * MINUTE
    run(store, "UPDATE block SET queued_at = :now", now=store.now)
    streams = Streams(store.database, NoRedis())
    return StatusReader(Census(store.database), store.workers, streams, lambda: store.now, began=0)


def run(store, statement, **told):
    with store.database.write() as session:
        session.execute(text(statement), told)


def read(reader, thing, state):
    (found,) = [one for one in reader.read_figures().states if (one.thing, one.state) == (thing, state)]
    return found


def is_late(found):
    return found.oldest is not None and found.oldest > found.bound


def queue(store, block, age):
    """Queue the block this long ago."""
    run(store, "UPDATE block SET queued_at = :at WHERE id = :id", at=store.now - age, id=block)


def book(store, block, age, decisions=0):
    """Store its result this long ago."""
    with store.database.write() as session:
        row = {"scores": b"", "records": b"", "measured": b"", "stored_at": store.now - age}
        session.add(BlockResult(block_id=block, decisions=decisions, **row))
    store.end(block)


def test_blocks_that_wait_are_counted_with_the_age_of_the_oldest(store, reader):
    queue(store, "13", 90 * SECOND)
    assert read(reader, "block", "queued").count == 6
    assert read(reader, "block", "queued").oldest == 90 * SECOND
    assert read(reader, "block", "claimed").oldest is None


def test_the_queue_is_told_by_age(store, reader):
    for block, age in (("12", 9 * SECOND), ("13", 10 * SECOND), ("14", 59 * SECOND), ("23", MINUTE)):
        queue(store, block, age)
    queue(store, "24", 10 * MINUTE)
    queue(store, "34", 30 * 24 * 60 * MINUTE)
    waits = reader.read_figures().waits
    assert [(one.up_to, one.count) for one in waits] == [
        (10 * SECOND, 1), (MINUTE, 2), (10 * MINUTE, 1), (None, 2),
    ]  # fmt: skip
    assert tuple(one.up_to for one in waits[:-1]) == WAITS


@pytest.mark.parametrize(
    "pause", ["UPDATE contest SET state = 'paused' WHERE id = 'cup'", "UPDATE job SET state = 'paused'"]
)
def test_what_is_paused_waits_for_nobody(store, reader, pause):
    queue(store, "12", 20 * MINUTE)
    run(store, pause)
    assert read(reader, "block", "queued").oldest is None
    assert [one.count for one in reader.read_figures().waits] == [0, 0, 0, 0]
    assert read(reader, "result", "awaited").oldest is None


def test_counting_ends_at_a_number(store, reader, monkeypatch):
    assert [reader.census.count_queued(most) for most in (4, 6, 9)] == [4, 6, 6]
    assert reader.census.count_by_wait(WAITS, store.now, 4) == [4, 0, 0, 0]
    monkeypatch.setattr("services.tournament.status.MAX_COUNTED", 3)
    assert read(reader, "block", "queued").count == 4  # more than three: it is said that there are more
    assert MAX_COUNTED == 10_000


def test_a_claimed_block_has_a_worker_that_is_busy(store, reader):
    store.claim("12", "a")
    store.claim("13", "a")
    store.now += MINUTE // 2
    store.claim("14", "b")
    assert read(reader, "block", "claimed").count == 3
    assert read(reader, "block", "claimed").oldest == MINUTE // 2
    assert read(reader, "worker", "busy").count == 2
    assert read(reader, "worker", "present").count == 2


def test_a_long_queue_is_not_late_while_it_moves(store, reader):
    queue(store, "12", 60 * MINUTE)
    book(store, "34", 119 * SECOND)
    assert read(reader, "result", "awaited").oldest == 119 * SECOND
    assert not is_late(read(reader, "result", "awaited"))
    store.now += 2 * SECOND
    assert is_late(read(reader, "result", "awaited"))


def test_what_was_paused_is_not_late_once_it_goes_on(store, reader):
    """Queued and booked long ago, but claimed just now."""
    for block in ("12", "13", "14", "23", "24"):
        queue(store, block, 60 * MINUTE)
    book(store, "34", 60 * MINUTE)
    assert is_late(read(reader, "result", "awaited"))
    store.claim("12", "a")
    assert read(reader, "result", "awaited").oldest == 0
    store.now += 121 * SECOND
    assert is_late(read(reader, "result", "awaited"))


def test_a_service_that_has_just_started_gives_everybody_time_to_come_back(store, reader):
    run(store, "UPDATE tournament SET started_at = :at", at=store.now - 60 * MINUTE)
    queue(store, "12", 60 * MINUTE)
    fresh = reader._replace(began=store.now - 3 * SECOND)
    assert read(fresh, "result", "awaited").oldest == 3 * SECOND
    assert read(fresh, "worker", "missing").oldest == 3 * SECOND
    assert read(fresh, "block", "queued").oldest == 60 * MINUTE


def test_only_blocks_that_a_worker_may_have_are_awaited(store, reader):
    run(store, "UPDATE job SET state = 'paused' WHERE id <> (SELECT job_id FROM block WHERE id = '12')")
    found = read(reader, "result", "awaited")
    assert (found.count, read(reader, "block", "queued").count) == (1, 6)


def test_nothing_is_awaited_where_nothing_waits(store, reader):
    for block in ("12", "13", "14", "23", "24"):
        store.end(block)
    book(store, "34", 24 * 60 * MINUTE)
    found = read(reader, "result", "awaited")
    assert (found.count, found.oldest) == (0, None)


def test_a_block_that_was_given_up_is_late_at_once(store, reader):
    rest, since = 2 * MINUTE, 5 * SECOND
    run(
        store, "UPDATE block SET state = 'void', voided = 2, rests_until = :until WHERE id = '12'",
        until=store.now - since + rest,
    )  # fmt: skip
    found = read(reader, "block", "void")
    assert (found.count, found.oldest) == (1, since)
    assert is_late(found)
    run(store, "UPDATE block SET state = 'queued' WHERE id = '12'")
    assert read(reader, "block", "void").oldest is None


def test_an_event_that_is_not_told_is_late_after_half_a_minute(store, reader):
    with store.database.write() as session:
        for age in (31 * SECOND, SECOND):
            session.add(Outbox(contest_id="cup", event=b"", created_at=store.now - age))
    found = read(reader, "event", "untold")
    assert (found.count, found.oldest) == (2, 31 * SECOND)
    assert is_late(found)


def test_a_tournament_without_workers_is_late_after_two_minutes(store, reader):
    run(store, "UPDATE tournament SET started_at = :at", at=store.now - MINUTE)
    found = read(reader, "worker", "missing")
    assert (found.count, found.oldest) == (1, MINUTE)
    assert not is_late(found)
    store.now += 61 * SECOND
    assert is_late(read(reader, "worker", "missing"))
    store.claim("12", "a")
    assert read(reader, "worker", "missing").count == 0
    store.now += 4 * MINUTE  # it was last heard of then, and counted for a minute
    assert read(reader, "worker", "missing").oldest == 3 * MINUTE


@pytest.mark.parametrize("state", ["paused", "finished"])
def test_where_no_tournament_runs_nobody_is_missing(store, reader, state):
    run(store, "UPDATE tournament SET started_at = 1, state = :state", state=state)
    assert read(reader, "worker", "missing").oldest is None
    assert read(reader, "tournament", "running").count == 0
    assert read(reader, "tournament", "paused").count == (state == "paused")
    assert read(reader, "tournament", "paused").oldest is None  # it may be paused for ever


def test_a_suspended_worker_is_late_after_five_minutes_and_missing(store, reader):
    run(store, "UPDATE tournament SET started_at = 1")
    store.claim("12", "a")
    store.workers.record_self_test("a", "it fails", store.now)
    assert read(reader, "worker", "suspended").count == 1
    assert read(reader, "worker", "present").count == 0
    assert read(reader, "worker", "missing").oldest == 0
    store.now += 301 * SECOND
    run(store, "UPDATE worker SET seen_at = :now", now=store.now)
    assert is_late(read(reader, "worker", "suspended"))
    assert read(reader, "worker", "missing").oldest == 301 * SECOND


def test_rates_are_those_of_the_last_five_minutes(store, reader):
    for block, age, decisions in (("12", SECOND, 900), ("13", 299 * SECOND, 600), ("14", WINDOW, 10**9)):
        book(store, block, age, decisions)
    blocks, decisions = reader.read_figures().rates
    assert (blocks.thing, blocks.per_second) == ("block", 2 / 300)
    assert (decisions.thing, decisions.per_second) == ("decision", 5.0)


def test_rates_of_a_young_arena_are_those_since_its_first_block(store, reader):
    assert [one.per_second for one in reader.read_figures().rates] == [0, 0]
    book(store, "12", 10 * SECOND, 30)
    book(store, "13", 2 * SECOND, 20)
    assert [one.per_second for one in reader.read_figures().rates] == [2 / 10, 50 / 10]


def test_the_gauges_say_the_same(store, reader):
    queue(store, "13", 90 * SECOND)
    store.claim("12", "a")
    with store.database.write() as session:
        session.add(Outbox(contest_id="cup", event=b"", created_at=store.now - 7 * SECOND))
    gauges = {
        (sample.name.removeprefix("maumau_tournament_"), sample.labels.get("state", "")): sample.value
        for family in WaitingGauges(reader.census, reader.workers, reader.streams, reader.clock).collect()
        for sample in family.samples
    }
    for state in ("queued", "claimed", "void"):
        assert gauges["blocks", state] == read(reader, "block", state).count
    for state in ("present", "suspended"):
        assert gauges["workers", state] == read(reader, "worker", state).count
    assert gauges["queue_age_seconds", ""] == read(reader, "block", "queued").oldest / 1000 == 90
    assert gauges["outbox_lag_seconds", ""] == read(reader, "event", "untold").oldest / 1000 == 7
    assert gauges["active", ""] == read(reader, "tournament", "running").count == 1


def test_a_house_only_arena_does_not_wait_for_what_strangers_have_queued(store, reader):
    run(store, "UPDATE job_seat SET account_name = 'stranger'")
    house = reader._replace(census=Census(store.database, house_only=True))
    assert read(house, "block", "queued").oldest is None
    assert read(reader, "block", "queued").oldest == 0
