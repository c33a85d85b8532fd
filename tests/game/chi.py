"""Fairness of shuffling: Pearson's chi-square over many deals, for the places of cards and for draws."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from maumau.game import deal, load

Z = 5.0  # with both tails, one fair table in two million is beyond it


def bounds(freedom: int) -> tuple[float, float]:
    """Return the bounds between which chi-square is expected (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * freedom)
    low, high = (freedom * (1 - spread + z * spread**0.5) ** 3 for z in (-Z, Z))
    return low, high


def chi(counts: list[int]) -> float:
    """Return Pearson's statistic for counts that should be equal."""
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected


def tables(deals: int, seats: int = 3) -> dict[str, list[int]]:
    """Return frequencies: each card in each place of the deal, each pair of consecutive cards,
    and the place in the stock of a seat's first draw, and of another seat's after it.
    """
    rules = load("prsi", start_card="none")
    size = 4 * seats + 1
    place = {1 << code: at for at, code in enumerate(code for code in range(64) if rules.kinds >> code & 1)}
    found = {f"place {at}": [0] * 32 for at in range(size)}
    found |= {f"places {at} and {at + 1}": [0] * 1024 for at in range(0, size - 1, 4)}
    found |= {f"draw of seat {seat}": [0] * (32 - size - seat) for seat in range(2)}
    for number in range(deals):
        d = deal(rules, seats, f"chi {number}")
        order = [place[card] for hand in d.made.dealt for card in hand] + [place[d.made.up]]
        for at, card in enumerate(order):
            found[f"place {at}"][card] += 1
        for at, (one, other) in enumerate(pairwise(order)):
            if at % 4 == 0:
                found[f"places {at} and {at + 1}"][32 * one + other] += 1
        for seat in range(2):
            stock, hand = d.stock, d.hands[seat]
            d.apply(seat, "draw")
            drawn = d.hands[seat] ^ hand
            found[f"draw of seat {seat}"][(stock & drawn - 1).bit_count()] += 1
    return found


def unfair(deals: int) -> Iterator[str]:
    """Yield a sentence about each table whose chi-square is out of bounds."""
    for name, counts in tables(deals).items():
        possible = [count for at, count in enumerate(counts) if len(counts) < 1024 or at % 33]
        low, high = bounds(len(possible) - 1)
        if not low < (value := chi(possible)) < high:
            yield f"{name}: chi-square is {value:.1f}, not between {low:.1f} and {high:.1f}"
