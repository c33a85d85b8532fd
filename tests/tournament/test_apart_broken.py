"""Seatings of a block on two hosts, when something comes between them: nothing of before counts."""

import pytest
from sqlalchemy import select, text

from maumau.errors import BadReport, BlockDropped
from services.tournament.models import Block, Job
from services.tournament.play import lease
from services.tournament.store.blocks.booking import Bookings
from services.tournament.store.blocks.worker import Workers
from tests.support.arenas.calls import refused
from tests.support.arenas.play import play_order, report_parts
from tests.support.arenas.tournament import SeatingWorker
from tests.support.waiting import until
from tests.tournament.test_apart import players, seen
from tests.tournament.test_second_run import overrun

DATABASES = ["sqlite"]


@pytest.fixture(scope="module")
def two(arena):
    return [SeatingWorker(arena.address, name) for name in ("left-1", "right-1")]


@pytest.fixture
def begun(arena, two):
    """Return a contest whose first block has its first seating, and the order for the second one."""
    seen(two)
    name = arena.begin("first", "random", "second", block=2, cap=4)
    block = arena.queued(name)[0]
    assert two[0].report(two[0].claim(block.id)).stored
    order = two[1].claim(block.id)
    assert list(order.seatings) == [1]
    return name, block, order


def state_of(arena, block):
    with arena.database.read() as session:
        return session.scalar(select(Block.state).where(Block.id == block.id))


def withdraw(arena, name, order):
    """Withdraw the first of the order, so that the block's job is over."""
    arena.admin.withdraw(name, order.entrants[0].name)
    job = select(Job.state).join(Block, Block.job_id == Job.id).where(Block.id == order.block_id)

    def is_over():
        with arena.database.read() as session:
            return session.scalar(job) == "over"

    until(is_over)


def test_no_seating_of_a_first_run_counts_in_the_second(arena, two, monkeypatch):
    """Even if the service is killed as soon as the first run is kept."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)
    put_off = Bookings.put_off

    def killed(*asked):
        put_off(*asked)
        raise RuntimeError("killed")

    seen(two)
    name = arena.begin("first", "random", block=2, cap=4)
    block = arena.queued(name)[0]
    order = two[0].claim(block.id)
    assert two[0].report(order, overrun(order)).stored
    order = two[1].claim(block.id)
    with monkeypatch.context() as patch:
        patch.setattr(Bookings, "put_off", killed)
        with pytest.raises(Exception, match="The arena made a mistake"):
            two[1].report(order)
    assert (state_of(arena, block), players(arena, block)) == ("queued", {})
    assert not two[1].report(order).stored  # it asks again, for no answer came
    arena.end_rest(block.id)
    second = two[0].claim(block.id)
    assert list(second.seatings) == [0]
    assert two[0].report(second).stored
    assert state_of(arena, block) == "queued"


@pytest.mark.long
def test_a_last_seating_that_comes_when_its_match_is_over_is_booked_as_a_whole_block_is(arena, two, begun):
    name, block, order = begun
    withdraw(arena, name, order)
    assert two[1].report(order).stored
    assert state_of(arena, block) == "done"


def test_a_first_seating_that_comes_when_its_match_is_over_is_dropped(arena, two):
    seen(two)
    name = arena.begin("first", "random", "second", block=2, cap=4)
    block = arena.queued(name)[0]
    order = two[0].claim(block.id)
    assert list(order.seatings) == [0]
    withdraw(arena, name, order)
    with refused(BlockDropped, "The block is not needed any more"):
        two[0].report(order)
    assert state_of(arena, block) == "dropped"


def test_where_a_block_was_played_as_a_whole_no_liar_has_part_in_it(arena, two, begun):
    _, block, order = begun
    Workers(arena.database).distrust_worker("left-1", "it lied elsewhere", 1)
    assert two[1].stream("SubmitBlock", report_parts(order, play_order(order))).stored
    assert (state_of(arena, block), players(arena, block)) == ("done", {})
    with arena.database.write() as session:
        session.execute(text("UPDATE worker SET distrusted_at = 0 WHERE name = 'left-1'"))


def test_a_report_that_is_refused_takes_no_seating_away(arena, two, begun):
    _, block, order = begun
    with refused(BadReport, "The block has 2 sets"):
        two[1].stream("SubmitBlock", report_parts(order, play_order(order)[:1]))
    assert players(arena, block) == {0: "left-1"}


def test_another_seating_than_was_ordered_is_refused(arena, two, begun):
    _, block, order = begun
    order.seatings[:] = [0]
    with refused(BadReport, "Seating 1 was ordered; the report is of seating 0."):
        two[1].report(order)
    assert players(arena, block) == {0: "left-1"}
