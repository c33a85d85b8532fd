"""Deals as watchers see them live: open cards only."""

from __future__ import annotations

import msgspec

from maumau.game import Deal
from maumau.game.held import counts_after


class LiveDeal(msgspec.Struct):
    """A piece of a deal: its set and seating, the events from number `start` on.

    entrants: by seat, from 0. counts: cards in hand by seat, after each of the events. places, points:
    by seat, empty until the deal is over.
    """

    set: int
    seating: int
    entrants: list[int]
    start: int
    events: list[str]
    counts: list[int]
    places: list[int] = []
    points: list[int] = []


def make_live_piece(deal: Deal, number: int, seating: int, start: int) -> LiveDeal:
    """Return a watcher's view of set `number` since event `start`, without hidden cards."""
    places, points = (deal.places, deal.points) if deal.over else ([], [])
    entrants = [(seat + seating) % deal.seats for seat in range(deal.seats)]
    counts = [count for hands in counts_after(deal, start) for count in hands]
    return LiveDeal(number, seating, entrants, start, deal.watched(start), counts, places, points)
