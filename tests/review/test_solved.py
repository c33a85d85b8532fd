"""Deals that can be solved by hand: few cards, next to nothing hidden. The review names the right action."""

from __future__ import annotations

import random

import pytest

from maumau.game import deal_by_hand, load, record
from maumau.review.policy import Policy
from maumau.review.review import Decision
from tests.review.laid_out import review_text

SECONDS = 0.1


def first_decision(
    variant: str, hands: list[str], up: str, stock: str, action: str, seconds: float = SECONDS
) -> Decision:
    """Return the review of seat A's first decision, in which it did this."""
    d = deal_by_hand(load(variant), dict(enumerate(hands)), up, stock)
    d.apply(0, action)
    policy, rng = Policy(d), random.Random(0)
    while not d.over:
        policy.step(d, rng)
    return review_text(record(d), 0, seconds).decisions[0]


def chances(decision: Decision) -> dict[str, float]:
    return {figure.action: figure.chance for figure in decision.actions}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("variant", "hands", "taken", "right"),
    [
        # A wish for its own spade, which B cannot follow with the only card that nobody has seen, its king of
        # hearts; with hearts it would be out at once. The stock is empty, so nothing is hidden.
        ("mau_mau", ["JC 9S", "KH"], "JC>H!", "JC>S!"),
        ("mau_mau", ["JC 9S", "KH", "AD"], "JC>H!", "JC>S!"),
        ("prsi", ["QC 9S", "KH"], "QC>H", "QC>S"),
        ("tschau_sepp", ["JC 9S", "KH"], "JC>H!", "JC>S!"),
        ("neuner", ["9C KS", "KH"], "9C>H!", "9C>S!"),
    ],
)
def test_it_names_the_wish_that_wins(variant: str, hands: list[str], taken: str, right: str) -> None:
    found = first_decision(variant, hands, "TC", "", taken)
    assert (found.taken, found.best, found.costly) == (taken, right, True)
    assert (chances(found)[right], chances(found)[taken], found.loss) == (1, 0, 1)


@pytest.mark.parametrize(
    ("variant", "hand", "taken", "right"),
    [
        ("mau_mau", "8H KH", "KH!", "8H!"),
        ("prsi", "AH KH", "KH", "AH"),
        ("tschau_sepp", "8H KH", "KH!", "8H!"),
    ],
)
def test_it_lays_first_what_makes_the_other_miss_a_turn(
    variant: str, hand: str, taken: str, right: str
) -> None:
    """The king first loses where B's one card is the queen of hearts: one of three that A cannot see."""
    found = first_decision(variant, [hand, "QH"], "TH", "TC TS", taken)
    assert (found.taken, found.best, found.costly) == (taken, right, True)
    assert chances(found)[right] == 1
    assert chances(found)[taken] == pytest.approx(2 / 3, abs=4 * found.error)
    assert found.loss == pytest.approx(1 / 3, abs=4 * found.loss_error)


def test_a_right_action_costs_nothing() -> None:
    found = first_decision("mau_mau", ["8H KH", "QH"], "TH", "TC TS", "8H!")
    assert (found.best, found.loss, found.loss_error, found.costly) == ("8H!", 0, 0, False)


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize("variant", ["mau_mau", "tschau_sepp"])
def test_a_forgotten_call_has_its_price(variant: str) -> None:
    """With its word A is out next, for B has nothing that fits a nine; without it A takes cards."""
    found = first_decision(variant, ["9H 9C", "KD QD KS QS"], "TH", "TD TS AD AS", "9H", 0.5)
    assert (found.taken, found.best, found.costly) == ("9H", "9H!", True)
    assert chances(found)["9H!"] > chances(found)["9H"]
