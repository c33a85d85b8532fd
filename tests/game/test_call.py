"""Calls: what an action owes is what keeps its player from paying."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from maumau.game import deal_by_hand, load, parse, record, replay
from maumau.game.model.state import NOBODY
from tests.game.play import dealt, numbered, step


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(numbered)
def test_who_makes_each_call_that_is_due_owes_none(number: tuple[str, int]) -> None:
    d, rng = dealt(*number)
    while not d.over:
        step(d, rng)
        assert d.calls.owing == NOBODY


def test_a_joker_that_counts_as_a_nine_is_called_as_one() -> None:
    rules = load("neuner", joker_effect="copy_top")
    d = deal_by_hand(rules, {0: "9S QH TD", 1: "XX"}, "KS", "")
    d.apply(0, "9S>H")
    assert d.due(1, parse("XX")) == "!!"
    d.apply(1, "XX!!")
    assert d.winner == 1


def test_who_is_out_accuses_nobody() -> None:
    """`apply` accepts what `also` lists and `allows` promises, also for a seat that is out."""
    rules = load("mau_mau", places=True, detection="accuse")
    d = deal_by_hand(rules, {0: "9H", 1: "TH TD KC", 2: "8D KD QC"}, "7H", "AC AD AS")
    d.apply(0, "9H!")
    while d.asks == "window":
        d.apply(d.to_act[0], "hold")
    assert d.out == [0]
    assert d.also(0) == []
    assert not d.allows(0, "accuse@B:mau")
    assert "accuse@C:mau" in d.also(1)


def test_the_cap_waits_for_everybody_who_was_asked_together() -> None:
    """A reply that was listed when it was asked for is never too late: that would be a fault of nobody's."""
    for most in range(1, 12):
        rules = load("schweizer_2016", max_decisions=most)
        d = deal_by_hand(rules, {0: "KH 8C 9C", 1: "KD 7D TD", 2: "KS QS 8S"}, "TH", "AC AD AS AH")
        while not d.over:
            for seat in d.to_act:
                listed = d.legal(seat)
                assert listed
                d.apply(seat, listed[-1] + d.due(seat, listed[-1]))
        assert replay(record(d)).events == d.events
