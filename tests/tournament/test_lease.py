"""A block is booked once, whoever is woken for it how often, and whatever becomes of him."""

import threading

import pytest

from maumau.errors import BlockDropped, NoProgress, NotAllowed, StaleFence, UnknownBlock, WrongState
from services.tournament.play import lease
from services.tournament.store.blocks.queue import Queue
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import Worker, play_all
from tests.support.meanwhile import do_after
from tests.support.waiting import until


@pytest.fixture(scope="module")
def brisk(start):
    """Yield an arena that checks for expired leases all the time, and allows three attempts."""
    with start(attempts=3) as arena:
        yield arena


def first_block(arena, name):
    return until(lambda: arena.blocks(name, "queued"))[0]


def test_of_many_claims_at_once_one_wins(arena):
    name = arena.begin("first", "random")
    block, orders = first_block(arena, name), []
    workers = [Worker(arena.address, f"w{i}") for i in range(6)]
    threads = [threading.Thread(target=lambda one=one: orders.append(one.claim(block.id))) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(order is not None for order in orders) == 1
    refusals = [arena.metric("duplicate_claims_total", state=state) for state in ("queued", "claimed")]
    assert sum(refusals) >= 5


def test_a_task_that_comes_three_times_is_booked_once(arena):
    name = arena.begin("first", "random")
    block = first_block(arena, name)
    assert arena.worker.play(block.id).stored
    assert arena.worker.play(block.id) is None
    assert arena.worker.play(block.id) is None
    assert arena.metric("duplicate_claims_total", state="done") >= 2
    found = next(one for one in arena.blocks(name) if one.id == block.id)
    assert (found.state, found.attempts) == ("done", 1)


def test_a_block_is_named_beside_what_was_measured_of_it(arena):
    name = arena.begin("first", "random")
    block = first_block(arena, name)
    arena.worker.play(block.id)
    for histogram in ("claim_seconds", "block_seconds", "booking_seconds"):
        assert {"block": block.id} in arena.exemplars(histogram)


def test_the_same_report_again_is_welcome_and_changes_nothing(arena):
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    assert arena.worker.report(order).stored
    assert not arena.worker.report(order).stored


@pytest.mark.long
def test_a_worker_whose_lease_ran_out_reports_late(brisk):
    name = brisk.begin("first", "random")
    order = brisk.worker.claim(first_block(brisk, name).id)
    brisk.end_lease(order.block_id)
    late = until(lambda: brisk.worker.claim(order.block_id), 5)
    assert late.fence == order.fence + 1
    for stale in (lambda: brisk.worker.report(order), lambda: renew(brisk, order, 1)):
        with refused(StaleFence):
            stale()
    assert brisk.worker.report(late).stored
    with refused(StaleFence):
        brisk.worker.report(order)
    assert brisk.metric("stale_fences_total", call="submit") >= 2
    assert brisk.metric("stale_fences_total", call="renew") >= 1


@pytest.mark.long
def test_what_a_worker_had_that_is_no_more_is_to_be_had_at_once(arena):
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    admin = arena.tournament(arena.settings.admin_token)
    assert admin.ReleaseBlocks(workers=["another"]).released == 0
    assert arena.worker.claim(order.block_id) is None
    assert admin.ReleaseBlocks(workers=["another", arena.worker.name]).released >= 1
    again = Worker(arena.address, "another").claim(order.block_id)
    assert again.fence == order.fence + 1
    with refused(StaleFence):
        arena.worker.report(order)
    assert arena.worker.report(again).stored
    with refused(NotAllowed):
        arena.worker.ReleaseBlocks(workers=["test"])
    arena.admin.cancel(name)


@pytest.mark.parametrize("give_back", [False, True])
def test_nobody_guesses_the_fence_of_the_next_worker(arena, monkeypatch, give_back):
    """The caller was the last to hold the block, and another one claims it just then."""
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    arena.worker.RenewLease(block_id=order.block_id, fence=order.fence, give_back=True)
    other, orders = Worker(arena.address, "another"), []
    do_after(monkeypatch, Queue, "find_claim", lambda: orders.append(other.claim(order.block_id)))
    with refused(StaleFence):
        arena.worker.RenewLease(block_id=order.block_id, fence=order.fence + 1, give_back=give_back)
    assert other.report(orders[0]).stored
    arena.admin.cancel(name)


def test_a_report_after_the_lease_is_refused_even_if_nobody_else_came(brisk):
    name = brisk.begin("first", "random")
    order = brisk.worker.claim(first_block(brisk, name).id)

    def refused_now():
        try:
            renew(brisk, order, 0)
        except StaleFence:
            return True
        return False

    brisk.end_lease(order.block_id)
    assert refused_now()
    with refused(StaleFence, "run out"):
        brisk.worker.report(order)


def renew(arena, order, deals, **more):
    return arena.worker.RenewLease(block_id=order.block_id, fence=order.fence, deals_done=deals, **more)


def test_a_renewed_lease_holds(brisk):
    name = brisk.begin("first", "random")
    order = brisk.worker.claim(first_block(brisk, name).id)
    until_now = brisk.lease_until(order.block_id)
    soon = brisk.lease_until(order.block_id, until_now - 30_000)  # milliseconds: half of it is over
    for deals in range(4):
        assert not renew(brisk, order, deals).dropped
    assert brisk.lease_until(order.block_id) >= until_now > soon
    assert brisk.worker.claim(order.block_id) is None
    assert brisk.worker.report(order).stored


def test_a_worker_that_gets_on_with_nothing_loses_its_lease(brisk, monkeypatch):
    monkeypatch.setattr(lease, "STUCK", -1e9)  # seconds, beyond the bots' clocks
    name = brisk.begin("first", "random")
    order = brisk.worker.claim(first_block(brisk, name).id)
    renew(brisk, order, 1)
    with refused(NoProgress):
        renew(brisk, order, 1)
    assert brisk.metric("blocks_total", outcome="stuck") == 1


def test_a_block_given_back_in_peace_is_queued_at_once_and_costs_no_attempt(arena):
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    renew(arena, order, 0, give_back=True)
    found = next(one for one in arena.blocks(name) if one.id == order.block_id)
    assert (found.state, found.attempts) == ("queued", 0)
    with refused(StaleFence):
        arena.worker.report(order)
    assert arena.worker.claim(order.block_id).fence == order.fence + 1


def paused(brisk, monkeypatch, **spec):
    """Return a tournament, the block that was tried too often, and its match."""
    monkeypatch.setattr(lease, "PAUSE", 0.1)
    name = brisk.begin("first", "random", **spec)
    block = first_block(brisk, name)
    for _ in range(3):
        order = until(lambda: brisk.worker.claim(block.id))
        renew(brisk, order, 0, give_back=True, words="the sandbox does not start")
    return name, block, until(lambda: [m for m in brisk.admin.matches(name) if m.state == "paused"])[0]


@pytest.mark.long
def test_a_block_tried_too_often_pauses_its_match_until_it_is_retaken(brisk, monkeypatch):
    before = brisk.metric("blocks_total", outcome="void")
    name, block, match = paused(brisk, monkeypatch)
    words = brisk.admin.tournament(name).words
    assert "tried 3 times" in words
    assert "the sandbox does not start" in words
    assert not brisk.worker.claim(block.id)
    assert not any(brisk.worker.claim(one.id) for one in brisk.blocks(name, "queued"))
    assert brisk.admin.retake(name, match.label, "a test").match.state == "playing"
    assert brisk.admin.tournament(name).words == ""
    brisk.finish(name)
    assert brisk.metric("blocks_total", outcome="void") == before + 1


@pytest.mark.long
def test_a_paused_match_that_is_retaken_with_fresh_seeds_begins_anew(brisk, monkeypatch):
    name, block, match = paused(brisk, monkeypatch)
    again = brisk.admin.retake(name, match.label, "a test", fresh_seeds=True).match
    assert (again.state, again.take, again.seed_take) == ("playing", 2, 2)
    assert block.id not in {one.id for one in brisk.admin.match(name, match.label).blocks}
    brisk.finish(name)


@pytest.mark.long
def test_a_match_that_was_to_go_on_is_not_taken_back_once_it_is_decided(brisk, monkeypatch):
    """It is paused when two organisers look at it; the first one has resumed it, and it was played."""
    name, _, match = paused(brisk, monkeypatch, top="[schedule]\nprotest_minutes = 60")
    seen = {"take": match.take, "state": match.state}
    brisk.admin.retake(name, match.label, "a test", **seen)
    play_all(brisk, name)
    with refused(WrongState, f"Match {match.label} has changed since you looked at it"):
        brisk.admin.retake(name, match.label, "a test", **seen)
    assert brisk.admin.match(name, match.label).match.take == match.take


def test_a_paused_tournament_hands_out_nothing_and_takes_what_was_begun(arena):
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    arena.admin.pause(name)
    assert all(arena.worker.claim(one.id) is None for one in arena.blocks(name, "queued"))
    assert not renew(arena, order, 1).dropped
    assert arena.worker.report(order).stored
    arena.admin.resume(name)
    arena.finish(name)


def test_a_cancelled_tournament_tells_its_workers_to_stop(arena):
    name = arena.begin("first", "random")
    order = arena.worker.claim(first_block(arena, name).id)
    arena.admin.cancel(name)
    assert renew(arena, order, 1).dropped
    with refused(BlockDropped):
        arena.worker.report(order)
    arena.worker.Sweep()
    assert {one.state for one in arena.blocks(name)} == {"dropped"}


@pytest.mark.long
def test_blocks_beyond_the_decision_are_dropped_or_kept_and_not_counted(arena):
    name = arena.begin("first", "crash", cap=40, delta=0.025)
    blocks = until(lambda: len(found := arena.blocks(name, "queued")) == 4 and found)
    ahead, late, ordered = (arena.worker.claim(blocks[i].id) for i in (1, 2, 3))
    assert arena.worker.report(ahead).stored
    arena.worker.play(blocks[0].id)
    until(lambda: arena.admin.tournament(name).over)
    assert renew(arena, late, 1).dropped
    with refused(BlockDropped):  # it did not ask, and the link of the end is the last
        arena.worker.report(ordered)
    assert arena.admin.matches(name)[0].sets == 10
    assert [one.state for one in arena.blocks(name)] == ["done", "done", "dropped", "dropped"]


def test_only_a_worker_plays(arena):
    author, _ = arena.author()
    calls = arena.tournament(author.token)
    with refused(NotAllowed, "Only workers may do this"):
        calls.ClaimNext(block_id="block_x", worker="me")
    with refused(UnknownBlock, "block_x"):
        arena.worker.claim("block_x")


def test_a_match_in_play_cannot_be_retaken(arena):
    name = arena.begin("first", "random")
    first_block(arena, name)
    with refused(WrongState, "being played"):
        arena.admin.retake(name, "1.1.1", "a test")
