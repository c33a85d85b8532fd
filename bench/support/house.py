"""House bots as the programs of a block, and deal sets of bots in this process."""

from __future__ import annotations

from collections.abc import Sequence

from maumau.bot import Bot
from maumau.bot.inside import play_inside
from maumau.bots import folder
from maumau.contest.score import UNITS, DealScore, score_set
from maumau.contest.statistics.sequential import Sums
from maumau.game import Rules
from maumau.referee.block import Program
from maumau.submission import package


def house_program(name: str) -> Program:
    """Return a house bot from its folder; it has no build step."""
    packed = package.pack_submission(folder(name))
    return Program(folder(name), packed.manifest, packed.sha256, name)


def play_sets(rules: Rules, bots: Sequence[type[Bot]], sets: int) -> Sums:
    """Return the sums of one pair's sets, each a deal in both seatings, won or lost."""
    scores = []
    for number in range(sets):
        deals = [play_inside(rules, seats, f"house {number}") for seats in (bots, bots[::-1])]
        score = score_set("win", number, [DealScore(d.places, d.points) for d in deals])
        scores.append(score.half_points)
    return Sums(UNITS["win"]).add_scores(scores)
