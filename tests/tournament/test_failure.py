"""Failures go to whom they belong: to the block, to the worker, or to the service that was away."""

from functools import partial

import pytest

from services.shared.store.common_clock import SET_BACK, CommonClock
from services.tournament.models import Block, Contest, Entry, Job, TournamentBeat
from services.tournament.store.blocks.reaper import FIRST_RETRY, excuse_block_leases, rest_of_void
from services.tournament.store.blocks.worker import PRESENT
from services.tournament.store.upkeep import trouble
from tests.support.meanwhile import do_after, do_before
from tests.support.stores.tournament import LEASE, LIMIT


@pytest.mark.long
@pytest.mark.stores
def test_what_a_worker_failed_at_it_leaves_to_others(store):
    store.claim("34", "other")
    assert store.fail("12", "w")
    assert not store.fail("12", "w")
    assert store.claim("12", "other")


def test_it_is_left_to_one_who_failed_at_another_block(store):
    assert store.fail("34", "other")
    assert store.fail("12", "w")
    assert not store.fail("12", "w")
    assert store.claim("12", "other")


def test_alone_it_tries_again_until_the_limit(store):
    assert all(store.fail("12", "w") for _ in range(LIMIT))
    assert len(store.reaper.void_blocks(store.now)) == 1
    assert store.state("12") == ("void", "paused")


def test_others_that_are_gone_are_not_waited_for(store):
    store.claim("34", "other")
    assert store.fail("12", "w")
    store.now += PRESENT + 1
    store.fail("13", "w")
    assert store.fail("12", "w")


@pytest.mark.stores
def test_others_that_said_that_they_end_are_not_waited_for(store):
    store.claim("34", "other")
    assert store.fail("12", "w")
    store.workers.record_end("other", store.now)
    assert store.fail("12", "w")


@pytest.mark.stores
def test_one_that_ends_is_gone_at_once_and_one_that_vanished_is_silent(store):
    for name in ("tidy", "lost"):
        store.workers.record_presence(name, store.now)
    store.workers.record_end("tidy", store.now)
    assert store.workers.count_present(store.now) == (1, 0)
    store.now += PRESENT + 1
    assert [one.name for one in store.workers.list_heard(store.now)] == ["lost"]
    assert store.workers.count_present(store.now) == (0, 0)


@pytest.mark.stores
def test_workers_are_missing_since_the_last_one_said_that_it_ends(store):
    store.workers.record_presence("tidy", store.now)
    store.workers.record_end("tidy", store.now)
    assert store.workers.count_crew(store.now).missing_since == store.now


@pytest.mark.stores
def test_a_block_is_void_after_failures_on_three_workers(store):
    workers = ["w1", "w2", "w3", "w4"]
    for worker, block in zip(workers, ("34", "24", "23", "14"), strict=True):
        assert store.claim(block, worker)
    assert store.fail("12", "w1")
    assert store.fail("12", "w2")
    assert store.reaper.void_blocks(store.now) == []
    assert store.fail("12", "w3")
    assert store.fail("12", "w4")
    assert store.reaper.void_blocks(store.now) == []  # four failures: the fifth decides
    assert store.fail("12", "w1")  # all have failed at it
    words = store.reaper.void_blocks(store.now)
    assert words == ["match 1.1.1 is paused: block 0 was tried 5 times without a result (it does not start)"]


@pytest.mark.stores
def test_a_match_that_was_decided_meanwhile_is_not_paused(store, monkeypatch):
    for worker in ("w1", "w2", "w3", "w1", "w2"):
        assert store.fail("12", worker)
    give_up = store.reaper._void_block

    def decided_first(block_id, now):
        with store.database.write() as session:
            session.get_one(Job, session.get_one(Block, block_id).job_id).state = "over"
        return give_up(block_id, now)

    monkeypatch.setattr(store.reaper, "_void_block", decided_first)
    assert store.reaper.void_blocks(store.now) == []
    assert store.state("12") == ("queued", "over")


@pytest.mark.stores
def test_a_match_whose_worker_proves_unfit_just_then_is_not_paused(store, monkeypatch):
    assert all(store.fail("12", "w") for _ in range(LIMIT))
    unfit = partial(store.workers.record_self_test, "w", "no sandbox", store.now)
    do_before(monkeypatch, store.reaper, "_void_block", unfit)
    assert store.reaper.void_blocks(store.now) == []
    assert store.state("12") == ("queued", "open")


@pytest.mark.stores
def test_a_bot_whose_worker_proves_unfit_just_then_stays_in(store, monkeypatch):
    """Of the failures in a row of an unfit worker, the first one alone counts."""
    for block in ("12", "13", "14"):
        assert store.fail(block, "w")
    unfit = partial(store.workers.record_self_test, "w", "no sandbox", store.now)
    monkeypatch.setattr(trouble, "attribute_failures", lambda failed, *_: 1 if len(failed) > 1 else None)
    do_after(monkeypatch, trouble, "attribute_failures", unfit)
    assert store.troubles.take_out("cup", store.now) == ""
    with store.database.read() as session:
        assert not session.get_one(Entry, "e1").withdrawn


@pytest.mark.stores
def test_a_match_does_not_go_on_in_a_contest_that_is_cancelled_just_then(store, monkeypatch):
    assert all(store.fail("12", "w") for _ in range(LIMIT))
    assert store.reaper.void_blocks(store.now)

    def cancel():
        with store.database.write() as session:
            session.get_one(Contest, "cup").state = "over"

    do_before(monkeypatch, store.reaper, "_try_again", cancel)
    assert store.reaper.try_again(store.now + FIRST_RETRY) == 0
    assert store.state("12") == ("void", "paused")


def test_what_was_given_up_is_tried_again_by_itself_later_and_later(store):
    def give_up():
        for _ in range(LIMIT):
            store.fail("12", "w")
        assert store.reaper.void_blocks(store.now)

    give_up()
    for wait in (FIRST_RETRY, 2 * FIRST_RETRY):
        store.now += wait - 1
        assert store.reaper.try_again(store.now) == 0
        store.now += 1
        assert store.reaper.try_again(store.now) == 1
        assert store.state("12") == ("queued", "open")
        give_up()


def test_a_block_that_an_earlier_arena_gave_up_rests_as_after_the_first_time():
    """It has no count of it."""
    assert [rest_of_void(voided) for voided in (0, 1, 2)] == [FIRST_RETRY, FIRST_RETRY, 2 * FIRST_RETRY]


@pytest.mark.stores
def test_a_broken_worker_gives_up_no_block(store):
    """It fails at everything it gets, at once, while another one plays."""
    store.claim("34", "good")
    assert [store.fail(block, "bad") for block in ("12", "13", "14")] == [True] * 3
    store.workers.record_self_test("bad", "no space left on device", store.now)
    assert not any(store.fail(block, "bad") for block in ("12", "13", "14"))  # it continues all the same
    for block in ("12", "13", "14", "23", "24"):
        assert store.state(block) == ("queued", "open")
    assert store.reaper.void_blocks(store.now) == []
    assert store.claim("12", "good")
    (bad,) = (one for one in store.workers.list_heard(store.now) if one.name == "bad")
    assert (bad.words, bad.in_row) == ("no space left on device", 3)
    assert store.workers.count_present(store.now) == (1, 1)


def test_a_worker_that_passed_its_test_is_there_again(store):
    store.claim("34", "good")
    for block in ("12", "13", "14"):
        store.fail(block, "bad")
    store.workers.record_self_test("bad", "no space left on device", store.now)
    store.workers.record_self_test("bad", "", store.now)
    assert store.workers.count_present(store.now) == (2, 0)
    assert store.claim("23", "bad")


def test_of_a_row_that_ended_unfit_the_first_failure_alone_follows_a_bot(store):
    for block in ("12", "34", "24"):
        assert store.fail(block, "w1")
    assert len(store.runs()) == 3
    store.workers.record_self_test("w1", "it cannot fork", store.now)
    assert store.runs() == [("12", "w1")]


@pytest.mark.stores
def test_a_lease_that_ran_out_is_its_workers_failure(store):
    store.claim("34", "other")
    store.claim("12", "w")
    store.now += LEASE + 1
    assert store.reaper.end_leases(store.now) == 2
    assert store.state("12") == ("queued", "open")
    assert ("12", "w") in store.runs()


class Host:
    """The host of the replicas: `now` passes for all; the database's clock was set by `set_by`."""

    def __init__(self, store, monkeypatch):
        self.store, self.set_by = store, 0
        monkeypatch.setattr(store.database, "now", lambda: store.now + self.set_by)

    def start(self):
        """Start a replica; return its clock."""
        clock = CommonClock(self.store.database, TournamentBeat, lambda: self.store.now)
        self.beat(clock)
        return clock

    def beat(self, clock):
        """Return the number of leases that are excused, None if the service was not away."""
        return clock.beat(partial(excuse_block_leases, late=10_000, kept=LEASE // 2))


@pytest.fixture
def host(store, monkeypatch):
    return Host(store, monkeypatch)


def test_a_lease_that_ran_out_while_the_service_was_away_costs_nobody(store, host):
    host.start()
    claim = store.claim("12", "w")
    store.now += 3 * LEASE
    assert host.beat(CommonClock(store.database, TournamentBeat, lambda: store.now)) == 1
    assert store.reaper.end_leases(store.now) == 0  # the worker may still be at it
    assert store.renew("12", claim.block.fence, 1)
    store.now += LEASE
    assert store.reaper.end_leases(store.now) == 1
    assert store.runs() == []
    store.claim("12", "w")
    with store.database.read() as session:
        again = session.get_one(Block, "12")
    assert (again.attempts, again.excused) == (1, False)


def test_a_clock_that_was_set_back_far_while_the_service_was_away_costs_nobody(store, host):
    """The time is that of the new clock, by which every lease would hold for hours."""
    host.start()
    store.claim("12", "w")
    store.fail("13", "w")
    host.set_by = -3 * SET_BACK
    clock = host.start()
    assert clock() == store.now - 3 * SET_BACK
    with store.database.read() as session:
        block = session.get_one(Block, "12")
        assert (block.lease_until, block.excused) == (clock() + LEASE // 2, True)
        assert session.get_one(Block, "13").rests_until == 0


def test_a_replica_whose_clock_is_a_little_behind_excuses_no_lease(store, host):
    ahead, behind = host.start(), host.start()
    behind.shift_time(-3)
    store.claim("12", "w")
    assert host.beat(behind) is None
    assert behind() == ahead() == store.now
    with store.database.read() as session:
        assert not session.get_one(Block, "12").excused


def test_a_service_that_is_at_work_charges_what_runs_out(store, host):
    clock = host.start()
    store.claim("12", "w")
    for _ in range(14):
        store.now += 5_000
        assert host.beat(clock) is None
    assert store.reaper.end_leases(store.now) == 1
    assert store.runs() == [("12", "w")]
