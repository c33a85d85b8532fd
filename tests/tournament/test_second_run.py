"""A spent bank is believed the second time: the block is played once more, and counts as played then."""

import json
import uuid

import pytest
from sqlalchemy import text

from maumau import wire
from maumau.errors import StaleFence
from maumau.referee.block import SetOutcome
from services.shared.store.connect import Database
from services.tournament.play import lease
from tests.support.arenas.calls import refused
from tests.support.arenas.play import play_set
from tests.support.arenas.tournament import SECRET, Worker
from tests.support.waiting import until

SPEC = {"block": 5, "cap": 20, "top": SECRET}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Let second runs begin at once."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)


@pytest.fixture
def cup(arena):
    """Return a match of four blocks of five sets between two bots."""
    return arena.begin("first", "random", **SPEC)


def overrun(order, entrant=0, policy="late"):
    """Return the sets of an order in which a program ran out of time, or was `killed`, in the first deal."""
    names = tuple(one.name.partition("-")[0] for one in order.entrants)
    options = order.rules.options_json
    sets = [
        play_set(order.rules.name, names, order.first_set + n, seed, options)
        for n, seed in enumerate(order.seeds)
    ]
    late = tuple(policy if at == entrant else name for at, name in enumerate(names))
    lost = play_set(order.rules.name, late, order.first_set, order.seeds[0], options)
    sets[0] = SetOutcome(order.first_set, [lost.deals[0], *sets[0].deals[1:]])
    return [wire.set_message(one) for one in sets]


def number(arena, name, wanted):
    """Return the block of this number."""
    return next(block for block in arena.blocks(name) if block.number == wanted)


def again_of(arena, block_id):
    """Return the order of a second run."""
    return Worker(arena.address, "second").claim(block_id)


def measured(arena, name, of):
    lines = [json.loads(line) for line in arena.export(name).splitlines()]
    return [line["values"] for line in lines if line["kind"] == "measured" and line["of"] == of]


def compared(arena, name):
    """Return the lines of the export that two runs share, without the tournament's name and its hash."""
    lines = arena.export(name).replace(name.encode(), b"cup").splitlines()
    found = [json.loads(line) for line in lines]
    return [one | {"sum": ""} for one in found if one["kind"] not in ("measured", "end")]


@pytest.mark.long
def test_a_block_in_which_a_program_ran_out_of_time_is_played_once_more(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    assert arena.worker.report(order, overrun(order)).stored
    waiting = number(arena, cup, block.number)
    assert (waiting.state, waiting.attempts) == ("queued", 0)
    again = again_of(arena, block.id)
    assert (again.seeds, again.first_set) == (order.seeds, order.first_set)
    assert again.fence > order.fence
    assert arena.worker.report(again).stored
    assert number(arena, cup, block.number).state == "done"
    arena.finish(cup)
    assert arena.admin.match(cup, "1.1.1").faults == ()


@pytest.mark.long
def test_it_is_a_fault_if_it_happens_again(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, overrun(order))
    again = again_of(arena, block.id)
    assert arena.worker.report(again, overrun(again)).stored
    assert number(arena, cup, block.number).state == "done"
    arena.finish(cup)
    assert [fault.kind for fault in arena.admin.match(cup, "1.1.1").faults] == ["time"]


def test_the_report_of_a_first_run_may_come_again(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    assert arena.worker.report(order, overrun(order)).stored
    assert not arena.worker.report(order, overrun(order)).stored
    again = again_of(arena, block.id)
    assert not arena.worker.report(order, overrun(order)).stored
    assert arena.worker.report(again).stored
    assert not arena.worker.report(order, overrun(order)).stored
    assert not arena.worker.report(again).stored
    with refused(StaleFence):
        arena.worker.report(order, fence=order.fence - 1)
    arena.admin.cancel(cup)


def test_another_worker_gets_the_second_run_where_there_is_one(arena, cup):
    first, second = arena.queued(cup)[:2]
    order = arena.worker.claim(first.id)
    other = Worker(arena.address, "another")
    other.play(second.id)
    arena.worker.report(order, overrun(order))
    assert arena.worker.claim(first.id) is None
    assert arena.worker.claim(first.id) is None
    assert other.report(other.claim(first.id)).stored
    assert number(arena, cup, first.number).worker == "another"
    arena.admin.cancel(cup)


@pytest.mark.long
def test_the_same_worker_gets_the_second_run_where_it_is_the_only_one(start):
    with start() as arena:
        cup = arena.begin("first", "random", **SPEC)
        block = arena.queued(cup)[0]
        order = arena.worker.claim(block.id)
        arena.worker.report(order, overrun(order))
        assert arena.worker.report(arena.worker.claim(block.id)).stored


def test_a_second_run_waits_for_a_while(arena, cup, monkeypatch):
    monkeypatch.setattr(lease, "PAUSE", 3600.0)
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, overrun(order))
    assert Worker(arena.address, "another").claim(block.id) is None
    assert number(arena, cup, block.number).state == "queued"
    arena.admin.cancel(cup)


def test_a_second_run_does_not_wait_for_a_clock_that_was_set_back(arena, cup):
    first, second = arena.queued(cup)[:2]
    order = arena.worker.claim(first.id)
    Worker(arena.address, "another").play(second.id)
    arena.worker.report(order, overrun(order))
    database = Database(arena.settings.database("tournament"), "tournament")
    with database.write() as session:
        moved = text("UPDATE block SET rests_until = rests_until + 7200000 WHERE id = :block")
        session.execute(moved.bindparams(block=first.id))
    database.close()
    assert arena.worker.report(arena.worker.claim(first.id)).stored
    arena.admin.cancel(cup)


@pytest.mark.long
def test_both_runs_are_measured_and_the_compared_sections_are_those_without_a_second_run(arena, cup):
    undisturbed = arena.begin("first", "random", **SPEC)
    arena.finish(undisturbed)
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, overrun(order))
    arena.worker.report(again_of(arena, block.id))
    arena.finish(cup)
    assert compared(arena, cup) == compared(arena, undisturbed)
    (first,) = measured(arena, cup, f"first run 1.1.1 {block.number}")
    assert first["overran"] == [
        {"entrant": 1, "seating": 0, "deal": 0, "kind": "time", "words": "its bank of CPU time is spent"}
    ]
    (second,) = measured(arena, cup, f"block 1.1.1 {block.number}")
    assert (first["decisions"], second["decisions"], second["attempts"]) == (7, 7, 1)
    assert measured(arena, undisturbed, f"first run 1.1.1 {block.number}") == []


@pytest.fixture
def slow(arena):
    """Return a new bot."""
    return arena.bot("first", name=f"first-{uuid.uuid4().hex[:8]}")


def play_late(arena, slow, late, policy="late", **spec):
    """Play a match of a bot that overruns its bank in the first runs of these blocks; return its name.

    policy: `killed` if it is killed instead.
    """
    name = arena.create(**SPEC | spec)
    arena.admin.open(name)
    arena.enter(name, slow)
    arena.enter(name, arena.field("first")[0])
    arena.admin.start(name)
    left = set(late)
    while isinstance(blocks := arena.queued(name), list):
        for block in blocks:
            order = arena.worker.claim(block.id)
            if order and block.number in left:
                left.remove(block.number)
                arena.worker.report(order, overrun(order, policy=policy))
                order = again_of(arena, block.id)
            if order:
                arena.worker.report(order)
    assert not left
    return name


def suspended(arena, slow):
    until(lambda: arena.version(slow).state == "suspended", 60)
    return arena.version(slow).reason


@pytest.mark.long
def test_who_runs_out_of_time_at_first_in_three_blocks_in_a_row_is_suspended(arena, slow):
    play_late(arena, slow, [0, 1, 2])
    said = "ran out of time in the first runs of blocks 0 to 2 in a row, in match 1.1.1"
    assert said in suspended(arena, slow)


@pytest.mark.long
def test_who_runs_out_of_time_at_first_in_every_second_block_is_suspended(arena, slow):
    play_late(arena, slow, [0, 2, 4, 6], block=1, cap=8)
    assert "ran out of time in the first runs of 4 of 8 blocks, in match 1.1.1" in suspended(arena, slow)


@pytest.mark.long
def test_matches_of_one_block_with_a_second_run_each_count_like_matches_with_faults(arena, slow):
    for _ in range(3):
        assert arena.version(slow).state == "active"
        name = play_late(arena, slow, [0], block=5, cap=5)
    assert f"faults in 3 matches in a row, last in 1.1.1 of {name}: ran out of time" in suspended(arena, slow)
