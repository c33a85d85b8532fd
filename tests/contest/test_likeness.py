"""Decisions of two bots in the same positions: counted by hand, and of copies among independent bots."""

from itertools import combinations

import numpy as np
import pytest

from maumau.bot.inside import bot_class, play_inside
from maumau.bots import folder
from maumau.contest.statistics.likeness import Alike, compare_seatings, find_likeness
from maumau.game import load, record

HEAD = "maumau 1\nrules mau_mau\n"


def count(records, players):
    found = {}
    compare_seatings([HEAD + one for one in records], players, found)
    return {pair: (one.deals, one.same, one.changed) for pair, one in found.items()}


def test_decisions_are_counted_up_to_the_first_change():
    """Two equal decisions; then seat B lays another card: it has player 2 in seating 0, 1 in seating 1."""
    assert count(["A 7H\nB 8H\nB 9H\nA TH\n", "A 7H\nB 8H\nB TH\nA 7S\n"], (1, 2)) == {(1, 2): (1, 2, 1)}


def test_a_deal_that_ends_alike_has_no_change():
    assert count(["A 7H\nB 8H\n"] * 2, (5, 3)) == {(3, 5): (1, 2, 0)}


def test_a_change_of_turn_is_nobodys():
    assert count(["A 7H\nB 8H\n", "A 7H\nA 8H\n"], (1, 2)) == {(1, 2): (1, 1, 0)}


def test_at_three_seats_each_seating_is_compared_with_each():
    """Seat A has players 1, 2, 3 in the three seatings, seat B 2, 3, 1.

    Seatings 0 and 1: A alike (1, 2), B changed (2, 3); 0 and 2: both alike, (1, 3) and (1, 2); 1 and 2: A
    alike (2, 3), B changed (1, 3).
    """
    found = count(["A 7H\nB 8H\n", "A 7H\nB 9H\n", "A 7H\nB 8H\n"], (1, 2, 3))
    assert found == {(1, 2): (2, 2, 0), (2, 3): (2, 1, 1), (1, 3): (2, 1, 1)}


def make_field(rates, deals=100, decisions=10):
    """Return comparisons with these shares of changed decisions."""
    return {
        pair: Alike(deals, round(deals * decisions * (1 - rate)), round(deals * decisions * rate))
        for pair, rate in rates.items()
    }


def test_a_pair_is_named_by_what_is_usual_in_the_field():
    pairs = list(combinations(range(1, 9), 2))
    rng = np.random.default_rng(1)
    usual = dict(zip(pairs, 0.25 * np.exp(rng.normal(0, 0.3, len(pairs))), strict=True))
    assert not any(one.named for one in find_likeness(make_field(usual)))
    first, *rest = find_likeness(make_field({**usual, (3, 5): 0.02}))
    assert (first.first, first.second, first.named) == (3, 5, True)
    assert first.share == 0.98
    assert 0.6 < first.usual < 0.9
    assert not any(one.named for one in rest)


def test_in_a_field_in_which_all_are_close_nobody_is_named():
    pairs = list(combinations(range(1, 9), 2))
    assert not any(one.named for one in find_likeness(make_field(dict.fromkeys(pairs, 0.03))))


def test_two_bots_alone_are_named_only_if_they_never_differ():
    (only,) = find_likeness({(1, 2): Alike(50, 500, 0)})
    assert only.named
    assert np.isnan(only.usual)
    (only,) = find_likeness({(1, 2): Alike(50, 500, 1)})
    assert not only.named
    (only,) = find_likeness({(1, 2): Alike(39, 400, 0)})
    assert not only.named
    assert find_likeness({}) == []


@pytest.mark.long
def test_a_copy_that_errs_now_and_then_is_found_among_house_bots():
    """The copy of `greedy` decides at random in one decision of twenty; nobody else is named."""
    kinds = [
        bot_class(folder(name) / "bot.py") for name in ("random", "first", "greedy", "hoarder", "counter")
    ]

    class Erring(kinds[2]):
        def act(self, view):
            choice = super().act(view)
            return self.rng.choice(view.legal) if self.rng.random() < 0.05 else choice

    kinds.append(Erring)
    rules, found = load("mau_mau"), {}
    for one, other in combinations(range(len(kinds)), 2):
        for number in range(40):
            seatings = [(one, other), (other, one)]
            deals = [play_inside(rules, [kinds[each] for each in seats], f"{number}") for seats in seatings]
            compare_seatings([record(deal) for deal in deals], (one, other), found)
    assert [(one.first, one.second) for one in find_likeness(found) if one.named] == [(2, 5)]
