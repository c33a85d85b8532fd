"""Strengths of the house bots: `python -m bench.play.house_bots` updates docs/reference/house-bots.md.

Every pair plays mirrored deals at two seats in three variants, in this process, with the decisions the bots
make in the arena; the ratings are those of a tournament, with the deal set as unit.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from itertools import combinations

from bench.support.checkout import ROOT
from bench.support.house import play_sets
from maumau.bot import Bot
from maumau.bot.inside import bot_class
from maumau.bots import HOUSE, folder
from maumau.contest.statistics.rating import Duel, Rating, fit_ratings
from maumau.game import load

PAGE = ROOT / "docs/reference/house-bots.md"
START, END = "<!-- measured -->", "<!-- end of measured -->"
VARIANTS = ("mau_mau", "prsi", "app")
SETS = 2000  # per pair
SLOW, SLOW_SETS = "rollout", 800


def write_house_bots(sets: int = SETS, slow_sets: int = SLOW_SETS) -> None:
    """Measure and print the strengths, and update their tables in the page."""
    bots = {name: bot_class(folder(name) / "bot.py") for name in HOUSE}
    replace_lines(START, _write_all(bots, sets, slow_sets), END)


def replace_lines(start: str, lines: Iterable[str], end: str) -> None:
    """Replace the lines between two markers of the page."""
    body = "\n".join(lines).strip()
    head, found, rest = PAGE.read_text(encoding="utf-8").partition(start)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise LookupError(f"{PAGE} does not contain {start} and, after it, {end}")
    PAGE.write_text(f"{head}{start}\n\n{body}\n\n{end}{tail}", encoding="utf-8")


def _write_all(bots: dict[str, type[Bot]], sets: int, slow_sets: int) -> Iterator[str]:
    for name in VARIANTS:
        began, rules, duels = time.process_time(), load(name), []
        for first, second in combinations(HOUSE, 2):
            count = slow_sets if SLOW in (first, second) else sets
            sums = play_sets(rules, (bots[first], bots[second]), count)
            duels.append(Duel(HOUSE.index(first), HOUSE.index(second), sums))
        for line in _write_tables(name, fit_ratings(len(HOUSE), duels), duels):
            print(line, flush=True)
            yield line
        print(f"({time.process_time() - began:.0f} s of CPU)", flush=True)


def _write_tables(name: str, ratings: list[Rating], duels: list[Duel]) -> Iterator[str]:
    """Yield the table of ratings and the table of every pair's score."""
    order = sorted(range(len(HOUSE)), key=lambda i: -ratings[i].elo)
    yield f"### `{name}`"
    yield ""
    yield "| bot | Elo | 95 % | " + " | ".join(f"v {HOUSE[i]}" for i in order) + " |"
    yield "|---|---|---|" + "---|" * len(order)
    for i in order:
        rating = ratings[i]
        cells = [_score_cell(i, j, duels) for j in order]
        interval = f"{rating.low:+.0f} to {rating.high:+.0f}"
        yield f"| `{HOUSE[i]}` | {rating.elo:+.0f} | {interval} | " + " | ".join(cells) + " |"
    yield ""


def _score_cell(i: int, j: int, duels: list[Duel]) -> str:
    """Return the mean score of bot i against bot j with its interval, in per cent."""
    for duel in duels:
        if {duel.first, duel.second} == {i, j}:
            sums = duel.sums if duel.first == i else duel.sums.mirrored
            half = (sums.interval[1] - sums.interval[0]) / 2
            return f"{100 * sums.estimate:.1f} ±{100 * half:.1f}"
    return "-"


if __name__ == "__main__":
    write_house_bots(*map(int, sys.argv[1:3]))
