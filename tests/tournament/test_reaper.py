"""The sweep's checks, and the blocks that it drops."""

import pytest
from sqlalchemy import event, insert, update
from sqlmodel import col

from services.tournament.models import Block, Contest, Failure, Job, Match
from tests.support.meanwhile import do_before
from tests.support.stores.tournament import LEASE, LIMIT, Store

BLOCKS = 20_000
LITTLE = 200  # hundreds of instructions: a statement that goes through all blocks takes thousands of them


def end(store, model, ident):
    """End a job or a contest."""
    with store.database.write() as session:
        session.execute(update(model).where(col(model.id) == ident).values(state="over"))


@pytest.mark.stores
def test_what_waits_in_a_contest_that_is_over_is_dropped(store):
    store.add_contest("other", 2)
    end(store, Contest, "cup")
    assert store.reaper.drop_blocks(store.now) == 6
    assert store.reaper.drop_blocks(store.now) == 0
    assert (store.state("12"), store.state("other-0")) == (("dropped", "open"), ("queued", "open"))


@pytest.mark.stores
def test_a_block_that_is_queued_just_then_in_a_contest_that_was_over_stays(store, monkeypatch):
    """As a copy for an audit, which opens the contest of copies again."""
    end(store, Contest, "cup")

    def queue_copy():
        with store.database.write() as session:
            session.get_one(Contest, "cup").state = "running"
            more = {"number": 1, "first_set": 10, "sets": 10}
            session.add(Block(id="copy", job_id="m12", contest_id="cup", **more))

    do_before(monkeypatch, store.database, "write", queue_copy)
    assert store.reaper.drop_blocks(store.now) == 0
    assert store.state("copy") == ("queued", "open")


@pytest.mark.stores
def test_a_block_whose_job_ended_while_it_was_played_is_dropped_with_its_lease(store):
    store.claim("12", "w")
    end(store, Job, "m12")
    assert (
        store.reaper.drop_blocks(store.now) == 0
    )  # it may still be reported, to be told that it is not needed
    assert store.reaper.drop_blocks(store.now + LEASE + 1) == 1
    assert store.state("12") == ("dropped", "over")


@pytest.mark.stores
def test_a_worker_that_ended_leaves_no_block_behind_that_nobody_needs(store):
    store.claim("12", "w")
    store.claim("13", "w")
    end(store, Job, "m12")
    assert store.reaper.release_leases(["w"], store.now) == 2
    assert (store.state("12"), store.state("13")) == (("dropped", "over"), ("queued", "open"))


@pytest.mark.stores
def test_a_pause_drops_nothing_and_nothing_of_it_waits_for_workers(store):
    store.add_contest("other", 2)
    with store.database.write() as session:
        session.get_one(Contest, "cup").state = "paused"
    assert store.reaper.drop_blocks(store.now) == 0
    assert store.queue.count_waiting(store.now, 100) == 2
    assert store.queue.count_waiting(store.now, 1) == 1


@pytest.mark.stores
def test_failures_that_an_older_replica_noted_count(store):
    """During an upgrade it writes them without their contest."""
    for number in range(LIMIT):
        assert store.fail("12", f"w{number}")
    with store.database.write() as session:
        session.execute(update(Failure).values(contest_id=""))
    assert len(store.runs()) == LIMIT
    assert len(store.reaper.void_blocks(store.now)) == 1
    assert store.state("12") == ("void", "paused")


@pytest.mark.long
def test_the_cost_of_a_sweep_does_not_grow_with_what_waits(tmp_path):
    """Counted in instructions of SQLite's machine, which no other work on the host changes."""
    store = Store(f"sqlite:///{tmp_path}/sweep.db")
    for number in range(LIMIT):  # one has failed so often that it is checked
        assert store.fail("12", f"w{number}")
    few = instructions(store)
    add_blocks(store, "paused", state="paused")
    add_blocks(store, "big")
    add_matches(store)
    more = instructions(store)
    assert all(more[name] <= few[name] + LITTLE for name in few), (few, more)
    store.database.close()


def add_blocks(store, name, **fields):
    store.add_contest(name, 1, **fields)
    rows = [
        {"id": f"{name}-{n}", "job_id": name, "contest_id": name, "number": n, "first_set": n, "sets": 1}
        for n in range(1, BLOCKS)
    ]
    with store.database.write() as session:
        session.execute(insert(Block), rows)


def add_matches(store):
    """Add matches to the cup, with a block each."""
    numbers = [(n, f"more-{n}") for n in range(7, BLOCKS)]
    with store.database.write() as session:
        session.execute(
            insert(Job), [{"id": one, "contest_id": "cup", "label": f"1.1.{n}"} for n, one in numbers]
        )
        match = {"tournament_id": "cup", "stage": 1, "round": 1, "first": 1, "second": 2, "better_seed": 1}
        session.execute(
            insert(Match),
            [{**match, "id": one, "label": f"1.1.{n}", "number": n, "bracket": False} for n, one in numbers],
        )
        block = {"contest_id": "cup", "number": 0, "first_set": 0, "sets": 1, "state": "done"}
        session.execute(insert(Block), [{**block, "id": one, "job_id": one} for _, one in numbers])


def instructions(store):
    """Return the instructions, in hundreds, by statement."""
    counts, steps = {}, []
    event.listen(
        store.database.engine, "checkout",
        lambda connection, *_: connection.set_progress_handler(lambda: steps.append(1), 100),
    )  # fmt: skip
    work = {
        "drop": lambda: store.reaper.drop_blocks(store.now),
        "void": lambda: store.reaper.void_blocks(store.now),
        "end": lambda: store.reaper.end_leases(store.now),
        "again": lambda: store.reaper.try_again(store.now),
        "failed": lambda: store.troubles.list_failed("cup"),
        "count": lambda: store.queue.count_waiting(store.now, 100),
    }
    for name, do in work.items():
        steps.clear()
        do()
        counts[name] = len(steps)
    return counts
