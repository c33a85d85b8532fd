"""Reports of simulated blocks: real deals, many different ones, with the ordered seeds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from typing import Any, NamedTuple

from bench.support.lab import report_deals
from maumau import game
from maumau.v1 import game_pb2
from maumau.v1 import tournament_pb2 as pb

SEED = re.compile(r"\[seed [^\]]*\]")


class PlayedDeal(NamedTuple):
    """A deal: its record before and after its seed, and its places and points."""

    before: str
    after: str
    places: list[int]
    points: list[int]


class Deals:
    """This many sets of two seatings, played at random once and reported in turn."""

    def __init__(self, sets: int) -> None:
        self._sets = cycle(
            [[_play_seed(f"scale-{number}-{seat}") for seat in range(2)] for number in range(sets)]
        )

    def report(self, order: Any) -> Iterator[pb.SubmitBlockRequest]:
        """Yield the messages of a block's report."""
        played = [next(self._sets) for _ in order.seeds]

        def make_deal(index: int, seating: int) -> game_pb2.DealResult:
            one = played[index][seating]
            record = f"{one.before}[seed {order.seeds[index]}]{one.after}"
            return game_pb2.DealResult(places=one.places, points=one.points, record=record)

        return report_deals(order, "scale", make_deal)


def _play_seed(seed: str) -> PlayedDeal:
    deal, chance = game.deal(game.load("mau_mau"), 2, seed), game.stream(seed, "bot:0")
    while not deal.over:
        for seat in deal.to_act:
            legal = deal.legal(seat)
            action = legal[chance.below(len(legal))]
            deal.apply(seat, action + deal.due(seat, action))
    before, after = SEED.split(game.record(deal), maxsplit=1)
    return PlayedDeal(before, after, list(deal.places), list(deal.points))
