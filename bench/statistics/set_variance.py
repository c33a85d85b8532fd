"""`python -m bench.statistics.set_variance`: the variance of a deal set, by variant and way to score.

Pairs of house bots of similar strength play mirrored deals at two seats, in this process. The variance is
that of a set about the mean of its pair. Variants in which these bots always decide alike are left out. The
table is written to maumau/contest/rehearsal/variance_table.py.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, pvariance

from maumau.bot import Bot
from maumau.bot.inside import bot_class, play_inside
from maumau.bots import folder
from maumau.contest.score import UNITS, DealScore, score_set
from maumau.game import Rules, load, variants

TABLE = Path(__file__).parents[1] / "maumau/contest/rehearsal/variance_table.py"
PAIRS = (("greedy", "hoarder"), ("hoarder", "counter"))
SETS = 700  # of a pair
HEAD = f'''"""The variance of a deal set's score between house bots of similar strength, at two seats.

Written by `python -m bench.statistics.set_variance`, {len(PAIRS)} pairs of {SETS} sets a variant.
"""

from typing import Final

VARIANCES: Final[dict[str, tuple[float, float]]] = {{
'''
TAIL = '''}
"""By variant, with its own options: where deals are won or lost, and where points count."""
'''


def measure_variance(
    rules: Rules, pairs: Sequence[Sequence[type[Bot]]], sets: int = SETS
) -> tuple[float, float]:
    """Return the variances of the score from 0 to 1, by `win` and by `points`."""
    found = [_measure_pair(rules, pair, sets) for pair in pairs]
    return fmean(win for win, _ in found), fmean(points for _, points in found)


def _measure_pair(rules: Rules, pair: Sequence[type[Bot]], sets: int) -> tuple[float, float]:
    scores: dict[str, list[float]] = {"win": [], "points": []}
    for number in range(sets):
        deals = [play_inside(rules, seats, f"variance {number}") for seats in (pair, pair[::-1])]
        results = [DealScore(deal.places, deal.points) for deal in deals]
        for mode, kept in scores.items():
            kept.append(score_set(mode, number, results).half_points / UNITS[mode])
    return pvariance(scores["win"]), pvariance(scores["points"])


def write_variances(sets: int = SETS) -> None:
    """Measure all variants that two can play, and write the table."""
    bots = {name: bot_class(folder(name) / "bot.py") for pair in PAIRS for name in pair}
    pairs = [[bots[name] for name in pair] for pair in PAIRS]
    lines = []
    for name in variants():
        rules = load(name)
        if rules.seats[0] <= 2:
            win, points = measure_variance(rules, pairs, sets)
            print(f"{name}: {win:.3f}, {points:.2g}", flush=True)
            if win:
                lines.append(f'    "{name}": ({win:.3f}, {points:.2g}),\n')
    TABLE.write_text(HEAD + "".join(lines) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    write_variances(*map(int, sys.argv[1:]))
