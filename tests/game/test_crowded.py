"""Ten seats and one pack: the stock is empty most of the time, and no card is lost."""

from __future__ import annotations

import random

import pytest

from maumau.game import deal, load
from tests.game.check import conserved, scored
from tests.game.play import step

SEATS = 10
CROWDED = {
    "pesten": {"deal": 5}, "haft_khabis": {"deal": 5}, "schweizer": {"deal": 3},
    "schweizer_2016": {"deal": 3}, "shop_basic": {"deal": 3},
}  # fmt: skip
"""Variants for ten, with what makes one pack enough to deal from."""


def play_many(name: str, deals: int) -> int:
    """Play deals at random; return how often the stock was empty."""
    rules, empty = load(name, packs=1, **CROWDED[name]), 0
    for number in range(deals):
        rng = random.Random(f"crowded {name} {number}")
        d = deal(rules, SEATS, f"crowded {number}", rng.randrange(SEATS))
        while not d.over:
            step(d, rng)
            conserved(d)
            empty += d.stock == 0
        scored(d)
    return empty


@pytest.mark.parametrize("name", CROWDED)
def test_ten_seats_and_one_pack_lose_no_card(name: str) -> None:
    assert play_many(name, 40) > 0


@pytest.mark.long
@pytest.mark.parametrize("name", CROWDED)
def test_ten_seats_and_one_pack_lose_no_card_in_ten_thousand_deals(name: str) -> None:
    """Of all these variants together."""
    assert play_many(name, 10_000 // len(CROWDED)) > 0
