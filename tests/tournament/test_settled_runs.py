"""The deals of a block played twice: each as in the first run, unless the overrun affected it."""

import uuid

import msgspec
import pytest
from sqlalchemy import text

from maumau import wire
from maumau.referee.block import SetOutcome
from services.tournament.domain.pack import expand_bytes
from services.tournament.models import BlockResult, FirstRun
from services.tournament.play import lease
from services.tournament.store.blocks.worker import Workers
from services.tournament.store.contests.schedule import Schedule
from tests.support.arenas.play import play_set
from tests.support.arenas.tournament import SECRET, Worker
from tests.tournament.test_second_run import overrun

SPEC = {"block": 3, "cap": 6, "top": SECRET}


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Let second runs begin at once."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)


@pytest.fixture
def early(arena):
    """Return the worker that plays the first run."""
    return Worker(arena.address, f"early-{uuid.uuid4().hex[:8]}")


@pytest.fixture
def cup(arena):
    name = arena.begin("first", "random", **SPEC)
    yield name
    arena.admin.cancel(name)


@pytest.fixture
def first(arena, cup, early):
    """Return the order of a first run that led to a second one."""
    order = early.claim(arena.queued(cup)[0].id)
    assert early.report(order, overrun(order)).stored
    return order


def report_second(arena, order):
    """Report a second run of this block in which both programs play at random; the records of its deals."""
    late = Worker(arena.address, "late")
    again, both = late.claim(order.block_id), ("random", "random")
    sets = [
        play_set(order.rules.name, both, order.first_set + n, seed, order.rules.options_json)
        for n, seed in enumerate(order.seeds)
    ]
    assert late.report(again, [wire.set_message(one) for one in sets]).stored
    return records(sets)


def records(sets):
    return [[deal.record for deal in one.deals] for one in sets]


def first_records(order):
    return records(wire.set_outcomes(overrun(order)))


def booked_records(arena, order):
    with arena.database.read() as session:
        found = session.get(BlockResult, order.block_id)
        return records(msgspec.msgpack.decode(expand_bytes(found.records), type=list[SetOutcome]))


def change(arena, words, **values):
    with arena.database.write() as session:
        session.execute(text(words).bindparams(**values))


def test_only_the_deal_that_the_overrun_cost_is_that_of_the_second_run(arena, first):
    expected, second = first_records(first), report_second(arena, first)
    assert sum(a != b for one in zip(expected, second, strict=True) for a, b in zip(*one, strict=True)) >= 4
    expected[0][0] = second[0][0]
    assert booked_records(arena, first) == expected


def test_the_sets_of_a_first_run_are_kept_until_its_block_is_booked(arena, first):
    with arena.database.read() as session:
        assert session.get(FirstRun, first.block_id).sets
    report_second(arena, first)
    with arena.database.read() as session:
        assert session.get(FirstRun, first.block_id).sets is None


def test_a_first_run_that_an_earlier_version_kept_does_not_count(arena, first):
    change(
        arena, "UPDATE first_run SET sets = NULL, players = '' WHERE block_id = :block", block=first.block_id
    )
    second = report_second(arena, first)
    assert booked_records(arena, first) == second


def test_the_first_run_of_a_distrusted_worker_does_not_count(arena, early, first):
    Workers(arena.database).distrust_worker(early.name, "it lied", 1)
    second = report_second(arena, first)
    assert booked_records(arena, first) == second


def test_a_match_begins_again_if_the_player_of_a_first_run_that_counts_is_distrusted(
    arena, cup, early, first
):
    report_second(arena, first)
    schedule = Schedule(arena.database)
    assert schedule.begin_again(2) == []
    Workers(arena.database).distrust_worker(early.name, "it lied", 1)
    schedule.begin_again(2)  # unless the arena has just done it
    assert arena.admin.match(cup, "1.1.1").match.take == 2
