"""Calls: what an action owes is what keeps its player from paying."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from maumau.game import deal_by_hand, load, parse
from maumau.game.state import NOBODY
from tests.game.play import dealt, numbered, step


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(numbered)
def test_who_makes_each_call_that_is_due_owes_none(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    while not d.over:
        step(d, rng)
        assert d.owing == NOBODY


def test_a_joker_that_counts_as_a_nine_is_called_as_one() -> None:
    rules = load("neuner", joker_effect="copy_top")
    d = deal_by_hand(rules, {0: "9S QH TD", 1: "XX"}, "KS", "")
    d.apply(0, "9S>H")
    assert d.due(1, parse("XX")) == "!!"
    d.apply(1, "XX!!")
    assert d.winner == 1
