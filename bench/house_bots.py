"""How strong the house bots are: `python -m bench.house_bots` rewrites the tables of docs/house-bots.md.

Every pair plays mirrored deals at two seats in three variants, in this process, with the decisions the bots
make in the arena; the ratings are those of a tournament, with the deal set as unit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from maumau.bot import Bot
from maumau.bot.inside import bot_class, play_inside
from maumau.bots import HOUSE, folder
from maumau.contest.rating import Duel, Rating, fit
from maumau.contest.score import UNITS, DealScore, score_set
from maumau.contest.sequential import Sums
from maumau.game import Rules, load

PAGE = Path(__file__).parents[1] / "docs" / "house-bots.md"
START, END = "<!-- measured -->", "<!-- end of measured -->"
VARIANTS = ("mau_mau", "prsi", "app")
SETS = 2000  # of a pair
SLOW, SLOW_SETS = "rollout", 800


def main(sets: int = SETS, slow_sets: int = SLOW_SETS) -> None:
    """Measure, print, and write the page's tables."""
    bots = {name: bot_class(folder(name) / "bot.py") for name in HOUSE}
    write(START, _all(bots, sets, slow_sets), END)


def write(start: str, lines: Iterable[str], end: str) -> None:
    """Put lines between two markers of the page, in place of what was there."""
    body = "\n".join(lines).strip()
    head, found, rest = PAGE.read_text(encoding="utf-8").partition(start)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise LookupError(f"{PAGE} does not contain {start} and, after it, {end}")
    PAGE.write_text(f"{head}{start}\n\n{body}\n\n{end}{tail}", encoding="utf-8")


def _all(bots: dict[str, type[Bot]], sets: int, slow_sets: int) -> Iterator[str]:
    for name in VARIANTS:
        began, rules, duels = time.process_time(), load(name), []
        for first, second in combinations(HOUSE, 2):
            count = slow_sets if SLOW in (first, second) else sets
            sums = play(rules, (bots[first], bots[second]), count)
            duels.append(Duel(HOUSE.index(first), HOUSE.index(second), sums))
        for line in _tables(name, fit(len(HOUSE), duels), duels):
            print(line, flush=True)
            yield line
        print(f"({time.process_time() - began:.0f} s of CPU)", flush=True)


def play(rules: Rules, bots: Sequence[type[Bot]], sets: int) -> Sums:
    """The sets of one pair, each a deal in both seatings, won or lost."""
    scores = []
    for number in range(sets):
        deals = [play_inside(rules, seats, f"house {number}") for seats in (bots, bots[::-1])]
        score = score_set("win", number, [DealScore(d.places, d.points) for d in deals])
        scores.append(score.half_points)
    return Sums(UNITS["win"]).plus(scores)


def _tables(name: str, ratings: list[Rating], duels: list[Duel]) -> Iterator[str]:
    """The table of ratings and the table of every pair's score."""
    order = sorted(range(len(HOUSE)), key=lambda i: -ratings[i].elo)
    yield f"### `{name}`"
    yield ""
    yield "| bot | Elo | 95 % | " + " | ".join(f"v {HOUSE[i]}" for i in order) + " |"
    yield "|---|---|---|" + "---|" * len(order)
    for i in order:
        rating = ratings[i]
        cells = [_cell(i, j, duels) for j in order]
        interval = f"{rating.low:+.0f} to {rating.high:+.0f}"
        yield f"| `{HOUSE[i]}` | {rating.elo:+.0f} | {interval} | " + " | ".join(cells) + " |"
    yield ""


def _cell(i: int, j: int, duels: list[Duel]) -> str:
    """The mean score of bot i against bot j with its interval, in percent."""
    for duel in duels:
        if {duel.first, duel.second} == {i, j}:
            sums = duel.sums if duel.first == i else duel.sums.mirrored
            half = (sums.interval[1] - sums.interval[0]) / 2
            return f"{100 * sums.estimate:.1f} ±{100 * half:.1f}"
    return "-"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
