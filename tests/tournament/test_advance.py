"""Of many threads that carry a tournament's schedule on, one does it at a time."""

import threading

import pytest

from services.tournament.organising.organiser import Organiser
from tests.support.waiting import until


class Settling(Organiser):
    """Its schedule takes as long as the test wants, or fails."""

    def __init__(self):
        super().__init__(*[None] * 7)
        self.begun, self.go_on, self.fails = [], threading.Semaphore(0), False

    def _settle_steps(self, tournament_id):
        self.begun.append(threading.current_thread().name)
        assert self.go_on.acquire(timeout=60)
        if self.fails:
            raise ZeroDivisionError
        return 1


def advancing(organiser, name, **wait):
    thread = threading.Thread(target=organiser.advance_schedule, args=("t",), kwargs=wait, name=name)
    thread.start()
    return thread


def test_who_does_not_wait_leaves_it_to_the_one_who_looks_again_at_the_end():
    organiser = Settling()
    first = advancing(organiser, "first")
    until(lambda: organiser.begun)
    assert organiser.advance_schedule("t", wait=False) == 0
    organiser.go_on.release(2)
    first.join()
    assert organiser.begun == ["first", "first"]


def test_who_waits_has_looked_himself_when_he_comes_back():
    organiser = Settling()
    first = advancing(organiser, "first")
    until(lambda: organiser.begun)
    second = advancing(organiser, "second", wait=True)
    organiser.go_on.release(3)
    first.join()
    second.join()
    assert "second" in organiser.begun


def test_after_a_failure_the_next_one_may_try():
    organiser = Settling()
    organiser.fails = True
    organiser.go_on.release(2)
    with pytest.raises(ZeroDivisionError):
        organiser.advance_schedule("t")
    organiser.fails = False
    assert organiser.advance_schedule("t", wait=False) == 1
