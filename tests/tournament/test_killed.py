"""A program that was killed from outside is believed: only if it is killed again the deal is lost."""

import uuid

import pytest

from services.tournament.play import lease
from services.tournament.store.blocks.audit import _depends_on_host
from tests.support.arenas.tournament import SECRET, Worker
from tests.tournament.test_second_run import (
    again_of,
    compared,
    measured,
    number,
    overrun,
    play_late,
    suspended,
)
from tests.tournament.test_watch import Watch

SPEC = {"block": 5, "cap": 20, "top": SECRET}
WORDS = "it ended with signal 9 (SIGKILL)"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Let second runs begin at once."""
    monkeypatch.setattr(lease, "PAUSE", 0.0)


@pytest.fixture
def cup(arena):
    """Return a match of four blocks of five sets between two bots."""
    return arena.begin("first", "random", **SPEC)


@pytest.fixture
def unlucky(arena):
    """Return a new bot."""
    return arena.bot("first", name=f"first-{uuid.uuid4().hex[:8]}")


def killed(order, entrant=0):
    """Return the sets of an order in which a program was killed in the first deal."""
    return overrun(order, entrant, "killed")


def test_a_block_in_which_a_program_was_killed_is_played_again_by_another_worker(arena, cup):
    first, second = arena.queued(cup)[:2]
    order = arena.worker.claim(first.id)
    other = Worker(arena.address, "another")
    other.play(second.id)
    assert arena.worker.report(order, killed(order)).stored
    waiting = number(arena, cup, first.number)
    assert (waiting.state, waiting.attempts) == ("queued", 0)
    assert arena.worker.claim(first.id) is None
    again = other.claim(first.id)
    assert (again.seeds, again.first_set) == (order.seeds, order.first_set)
    assert other.report(again).stored
    assert number(arena, cup, first.number).worker == "another"
    assert arena.admin.match(cup, "1.1.1").faults == ()
    arena.admin.cancel(cup)


def test_a_program_that_is_killed_again_has_crashed_and_gets_no_third_run(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, killed(order))
    again = again_of(arena, block.id)
    assert arena.worker.report(again, killed(again)).stored
    assert number(arena, cup, block.number).state == "done"
    (fault,) = arena.admin.match(cup, "1.1.1").faults
    assert (fault.kind, fault.words) == ("crash", WORDS)
    with arena.database.read() as session:
        assert _depends_on_host(session, block.id)  # an audit of it finds no liar
    arena.admin.cancel(cup)


def test_a_second_run_for_a_bank_is_the_last_one_for_a_kill_too(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, overrun(order))
    again = again_of(arena, block.id)
    assert arena.worker.report(again, killed(again, entrant=1)).stored
    assert number(arena, cup, block.number).state == "done"
    arena.admin.cancel(cup)


def test_a_crash_of_its_own_gets_no_second_run(arena, cup):
    block = arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    assert arena.worker.report(order, overrun(order, policy="crash")).stored
    assert number(arena, cup, block.number).state == "done"
    with arena.database.read() as session:
        assert not _depends_on_host(session, block.id)
    arena.admin.cancel(cup)


@pytest.mark.long
def test_the_compared_sections_are_those_of_a_match_in_which_nobody_was_killed(arena, cup):
    undisturbed = arena.begin("first", "random", **SPEC)
    arena.finish(undisturbed)
    watch, block = Watch(arena, cup), arena.queued(cup)[0]
    order = arena.worker.claim(block.id)
    arena.worker.report(order, killed(order))
    arena.worker.report(again_of(arena, block.id))
    arena.finish(cup)
    assert compared(arena, cup) == compared(arena, undisturbed)
    (first,) = measured(arena, cup, f"first run 1.1.1 {block.number}")
    assert first["overran"] == [
        {"entrant": 1, "seating": 0, "deal": 0, "kind": "crash", "words": WORDS, "killed": True}
    ]
    assert watch.saw_the_end()
    (said,) = (event.words for event in watch.events if event.block_put_off)
    assert said.endswith(f" was killed in block {block.number}, which is played a second time")


@pytest.mark.long
def test_a_bot_that_ends_itself_in_every_block_is_suspended(arena, unlucky):
    play_late(arena, unlucky, [0, 1, 2], "killed")
    said = "was killed in the first runs of blocks 0 to 2 in a row, in match 1.1.1"
    assert said in suspended(arena, unlucky)


@pytest.mark.long
def test_matches_of_one_block_with_a_kill_each_count_like_matches_with_faults(arena, unlucky):
    for _ in range(3):
        assert arena.version(unlucky).state == "active"
        name = play_late(arena, unlucky, [0], "killed", block=5, cap=5)
    said = f"faults in 3 matches in a row, last in 1.1.1 of {name}: was killed in first runs"
    assert said in suspended(arena, unlucky)
