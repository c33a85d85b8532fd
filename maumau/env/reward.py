"""The reward of a deal: from -1 for the last place to 1 for the first, and 0 in all."""

from __future__ import annotations

from maumau.game import Deal


def reward_seats(d: Deal) -> list[float]:
    """Return the reward of each seat of a deal that is over; seats that share places share their worth."""
    places = d.places
    most = len(places) - 1
    return [
        sum((mine < other) - (mine > other) for other in places) / most for mine in places
    ]  # a place better than another's counts 1, a worse one -1, as a contest's score does
