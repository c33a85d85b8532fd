"""A question written from the deal, as the referee does, against the same line by way of its view."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator

from bench.results.row import ResultRow
from maumau.game import Deal, deal, load
from maumau.protocol import question
from maumau.protocol.message import write_question

DEALS, ROUNDS = 30, 15
BANK_MS = 1000
QUESTION_HEAD = '{"deal":1,'
Decision = tuple[Deal, int, int]  # with the seat and the events that it knows


def measure_rows() -> Iterator[ResultRow]:
    """Yield the ratio of the two ways."""
    decisions = list_decisions()
    if any(write_from_deal(*each) != write_from_view(*each) for each in decisions):
        raise AssertionError("the two ways write different questions")
    ways = (write_from_view, write_from_deal)
    view, fast = zip(*[[measure_way(way, decisions) for way in ways] for _ in range(ROUNDS)], strict=True)
    ratio = statistics.median(one / other for one, other in zip(view, fast, strict=True))
    shown = [f"{statistics.median(each) * 1e6:.1f}" for each in (view, fast)]
    how = f"{' / '.join(shown)} µs of CPU time; medians of {ROUNDS} rounds of {len(decisions)}"
    yield ResultRow("a question written from its view against one from the deal", ratio, 1.4, how=how)


def list_decisions() -> list[Decision]:
    """Return the decisions of some deals played by chance, each with a copy of its deal."""
    chance, found = random.Random(1), []
    for number in range(DEALS):
        d, told = deal(load("mau_mau"), 2, f"question {number}"), [0, 0]
        while not d.over:
            seat = d.to_act[0]
            if question.is_plain_decision(d, seat):
                found.append((d.copy(), seat, told[seat]))
            told[seat] = len(d.log)
            d.play_out(chance, most=1)
    return found


def write_from_deal(d: Deal, seat: int, start: int) -> bytes:
    """Write a question as a table does."""
    return question.write_question(d, seat, start, question.list_late_calls(d, seat), QUESTION_HEAD, BANK_MS)


def write_from_view(d: Deal, seat: int, start: int) -> bytes:
    """Write the same question by way of its view."""
    return write_question(d.view(seat, start), 1, "", BANK_MS)


def measure_way(way: Callable[[Deal, int, int], bytes], decisions: list[Decision]) -> float:
    """Return the CPU seconds of a question."""
    began = time.process_time()
    for decision in decisions:
        way(*decision)
    return (time.process_time() - began) / len(decisions)
