"""What comes together is done together, and one that cannot be done spoils no other."""

import threading
from concurrent.futures import ThreadPoolExecutor

from bench.patience import patient
from services.shared.batcher import Batcher
from tests.tournament.arena import until


class Work:
    """Doubles numbers. "first" waits for the gate; "bad" spoils its batch; a negative number is refused."""

    def __init__(self, most):
        self.batches, self.gate = [], threading.Event()
        self.batcher = Batcher(self.do, most)

    def do(self, batch):
        self.batches.append(list(batch))
        if "first" in batch:
            assert self.gate.wait(patient(20))
        if "bad" in batch:
            raise KeyError(batch[0])
        return [ValueError(one) if isinstance(one, int) and one < 0 else one * 2 for one in batch]

    def ask(self, *asked):
        """The answers, or the kinds of error, of those that ask while the first one is busy."""
        with ThreadPoolExecutor(len(asked) + 1) as pool:
            first = pool.submit(self.batcher, "first")
            until(lambda: self.batches)
            others = []
            for count, one in enumerate(asked, start=1):
                others.append(pool.submit(self.batcher, one))
                until(lambda count=count: len(self.batcher) == count)
            self.gate.set()
            assert first.result() == "firstfirst"
            return [type(err) if (err := one.exception()) else one.result() for one in others]


def test_those_that_wait_are_done_together_in_the_order_in_which_they_came():
    work = Work(most=3)
    assert work.ask(1, 2, 3, 4) == [2, 4, 6, 8]
    assert work.batches == [["first"], [1, 2, 3], [4]]


def test_who_is_refused_spoils_no_other():
    work = Work(most=8)
    assert work.ask(1, -2, 3) == [2, ValueError, 6]
    assert work.batches == [["first"], [1, -2, 3]]


def test_each_of_a_batch_that_fails_is_asked_alone():
    work = Work(most=8)
    assert work.ask(1, "bad", 3) == [2, KeyError, 6]
    assert work.batches == [["first"], [1, "bad", 3], [1], ["bad"], [3]]
