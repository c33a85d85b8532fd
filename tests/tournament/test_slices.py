"""A schedule of many matches is carried out in parts, and nobody waits for the whole of it."""

import threading

import pytest

from maumau.contest.format.match import MatchPlan
from services.shared.store.connect import Turnstile
from services.tournament.domain.steps import NOTHING, Steps
from services.tournament.store.contests import schedule
from tests.support.waiting import until


def plan(number):
    return MatchPlan(
        label=f"1.1.{number}",
        stage=1,
        round=1,
        number=number,
        first=1,
        second=2,
        bracket=False,
        better_seed=1,
    )


def test_parts_have_everything_once_and_in_order():
    steps = Steps(
        taken_back=["m1", "m2", "m3"], decided=[], begun=[(plan(number), None) for number in range(1, 6)],
        blocks={f"1.1.{number}": range(2) for number in range(3, 9)}, finished=True,
    )  # fmt: skip
    parts = list(steps.split_steps(2))
    assert [part.taken_back for part in parts if part.taken_back] == [["m1", "m2"], ["m3"]]
    assert [found for part in parts for found in part.begun] == steps.begun
    assert {label: found for part in parts for label, found in part.blocks.items()} == steps.blocks
    begun = [label for part in parts if part.begun for label in part.blocks]
    assert begun == sorted(begun)  # in the order of the schedule, not of a set
    assert parts[-1] == NOTHING._replace(finished=True)
    assert not any(part.finished for part in parts[:-1])
    for part in parts:
        assert len(part.taken_back) + len(part.begun) <= 2
        new = {begun.label for begun, _ in part.begun}
        assert not new or set(part.blocks) <= new


@pytest.mark.long
def test_a_schedule_changed_in_the_middle_is_carried_on_with(start, monkeypatch):
    """The version that a part was made for is the one after the part before it."""
    monkeypatch.setattr(schedule, "SLICE", 2)
    with start() as arena:
        name = arena.begin("first", "random", "crash", "first", "random", block=5, cap=5)
        until(lambda: len(arena.blocks(name)) == 10)
        arena.admin.withdraw(name, arena.field("crash")[0])
        arena.finish(name)
        assert len(arena.admin.matches(name)) == 10


def test_writers_come_through_in_the_order_in_which_they_came():
    turnstile, came = Turnstile(), []

    def write(number):
        with turnstile:
            came.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(5)]
    with turnstile:
        for number, thread in enumerate(threads, start=1):
            thread.start()
            until(lambda number=number: len(turnstile) == number)
    for thread in threads:
        thread.join()
    assert came == [0, 1, 2, 3, 4]


def test_a_turnstile_lets_the_next_one_through_after_an_error():
    turnstile = Turnstile()
    with pytest.raises(ZeroDivisionError), turnstile:
        1 / 0  # noqa: B018
    with turnstile:
        assert len(turnstile) == 0
