"""Concurrent requests are handled together, and an impossible one does not spoil others."""

import threading
from concurrent.futures import ThreadPoolExecutor

from bench.support.patience import patient
from services.shared.base.batcher import Batcher
from tests.support.waiting import until


class Work:
    """Doubles numbers. "first" waits for the gate, "last" for the end; "bad" spoils its batch; "lost" has no
    answer; a negative number is refused.
    """

    def __init__(self, most):
        self.batches, self.gate, self.end = [], threading.Event(), threading.Event()
        self.batcher = Batcher(self.do, most)

    def do(self, batch):
        self.batches.append(list(batch))
        for word, opened in (("first", self.gate), ("last", self.end)):
            if word in batch:
                assert opened.wait(patient(20))
        if "bad" in batch:
            raise KeyError(batch[0])
        if "lost" in batch:
            return []
        return [ValueError(one) if isinstance(one, int) and one < 0 else one * 2 for one in batch]

    def ask(self, *asked):
        """Return the answers, or the kinds of error, of those that ask while the first one is busy."""
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


def test_what_has_no_answer_fails_and_the_others_are_done():
    work = Work(most=8)
    assert work.ask(1, "lost", 3) == [2, ValueError, 6]
    assert work.batches == [["first"], [1, "lost", 3], [1], ["lost"], [3]]


def test_who_has_an_answer_does_not_wait_for_the_next_batch():
    work = Work(most=2)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(work.batcher, "first")
        until(lambda: work.batches)
        asked = []
        for count, one in enumerate((1, 2, "last"), start=1):
            asked.append(pool.submit(work.batcher, one))
            until(lambda count=count: len(work.batcher) == count)
        work.gate.set()
        until(lambda: ["last"] in work.batches)
        assert [one.result(patient(20)) for one in (first, *asked[:2])] == ["firstfirst", 2, 4]
        assert not asked[2].done()
        work.end.set()
        assert asked[2].result(patient(20)) == "lastlast"
