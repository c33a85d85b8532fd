"""The score of several deals that the same players play one after another. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from maumau.screen.output import count_things


class DealTally:
    """Deals won and points by player, in the order in which they sat in the first deal."""

    def __init__(self) -> None:
        self.deals = 0
        self._won: Counter[str] = Counter()
        self._points: Counter[str] = Counter()

    def add(self, players: Sequence[str], end: Mapping[str, Any]) -> None:
        """Count a deal; players: by seat. A deal in which several are first is won by nobody."""
        self.deals += 1
        first = [seat for seat, place in enumerate(end["places"]) if place == 1]
        for seat, player in enumerate(players):
            self._won[player] += int(first == [seat])
            self._points[player] += end["points"][seat]

    def __str__(self) -> str:
        won = ", ".join(f"{player} {count}" for player, count in self._won.items())
        points = ", ".join(f"{player} {count}" for player, count in self._points.items())
        told = f"After {count_things(self.deals, 'deal')}: won {won}"
        return f"{told}; points {points}" if any(self._points.values()) else told
