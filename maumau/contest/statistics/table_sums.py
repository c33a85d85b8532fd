"""Sums of a match at a table of more than two: whole numbers, from which all its pairs follow.

A player's score u in a set is from 0 to `unit`. Of two players at one table the lead of the first is
x = ½ + (u - v) / (2·unit), from 0 to 1: half the difference of their shares of what a set is worth.
"""

from __future__ import annotations

from typing import NamedTuple

from maumau.contest.statistics.sequential import Sums


class TableSums(NamedTuple):
    """Sets of the same players. totals: Σu of each.

    products: Σu·v of each two, each with itself first: (0, 0), (0, 1) … (1, 1), (1, 2) …, by position.
    """

    unit: int
    sets: int
    totals: tuple[int, ...]
    products: tuple[int, ...]

    def join_sums(self, sets: int, totals: tuple[int, ...], products: tuple[int, ...]) -> TableSums:
        """Return the sums with those of more sets."""
        return TableSums(
            self.unit,
            self.sets + sets,
            tuple(map(sum, zip(self.totals, totals, strict=True))),
            tuple(map(sum, zip(self.products, products, strict=True))),
        )

    def sum_scores(self, position: int) -> Sums:
        """Return the sums of a player's scores."""
        return Sums(self.unit, self.sets, self.totals[position], self.sum_products(position, position))

    def compare_players(self, one: int, other: int) -> Sums:
        """Return the sums of the lead of one player over another."""
        lead = self.totals[one] - self.totals[other]
        squares = (
            self.sum_products(one, one) - 2 * self.sum_products(one, other) + self.sum_products(other, other)
        )
        total = self.sets * self.unit + lead
        return Sums(
            2 * self.unit, self.sets, total, self.sets * self.unit**2 + 2 * self.unit * lead + squares
        )

    def sum_products(self, one: int, other: int) -> int:
        """Return Σu·v of two players."""
        a, b = min(one, other), max(one, other)
        return self.products[a * len(self.totals) - a * (a - 1) // 2 + b - a]


def empty_sums(unit: int, players: int) -> TableSums:
    """Return the sums before the first set."""
    return TableSums(unit, 0, (0,) * players, (0,) * (players * (players + 1) // 2))
