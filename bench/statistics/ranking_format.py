"""The formats of contests with the real schedule: the race until its winner is sure, all at 8,000 games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import msgspec
import numpy as np

from bench.results.row import ResultRow
from bench.support.field import RHO, spread_strengths
from maumau.contest.format import FORMATS
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.other import find_equal_match
from maumau.contest.rehearsal.play import RehearsedContest, play_contests
from maumau.contest.rehearsal.set_score import model_scores
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec, build_spec
from maumau.contest.statistics.rating import ELO, Floats

RUNS, PILOT = 200, 40
GAMES: Final = 8000
BUDGET: Final = 15_000
"""Deal sets after which a race that is not sure ends."""
KNOWN: Final = {
    "round_robin": 89,
    "swiss": 88,
    "single_elimination": 90,
    "double_elimination": 84,
    "race": 100,
}
"""The right winner in percent at these games, by a simulation of the formats that is not this code. Groups
alone are in none."""


def measure_formats() -> Iterator[ResultRow]:
    """Of the race until its winner is sure, then of each format of two seats at the same games."""
    spec = make_spec("race", budget=BUDGET)
    played, right = play(spec, RUNS)
    games = SEATINGS * float(np.mean([one.sets for one in played]))
    how = f"mean of {RUNS} races, sure = 0.95"
    yield ResultRow("games until a race names the winner", games, 6000, most=True, unit="games", how=how)
    yield ResultRow("right winner of a race", right, 95, unit="%", how=how)
    for name in FORMATS:
        if 2 in FORMATS[name].seats:
            found, right = play(at_equal_cost(name), RUNS)
            mean = SEATINGS * float(np.mean([one.sets for one in found]))
            words = f"{RUNS} contests of {mean:,.0f} games in the mean"
            yield ResultRow(f"right winner, {name}", right, KNOWN.get(name, 2) - 2, unit="%", how=words)


def make_spec(name: str, **keys: Any) -> Spec:
    """Return a contest of one stage of this format."""
    stage = {"format": name, **FORMATS[name].usual, **keys}
    return build_spec({"name": "cup", "rules": "prsi", "stage": [stage], "entries": {"most": 16}})


def at_equal_cost(name: str) -> Spec:
    """Return a contest of this format that has 8,000 games in the mean."""
    wanted = GAMES / SEATINGS
    if spend := FORMATS[name].spend:
        return make_spec(name, **spend(wanted))
    spec = make_spec(name)
    return _with_match(spec, find_equal_match(spec.match, wanted, partial(_count_sets, spec)))


def play(spec: Spec, runs: int) -> tuple[list[RehearsedContest], float]:
    """Return contests of sixteen bots, and in how many percent of them the best one has won."""
    best_first, rng = spread_strengths() * ELO, np.random.default_rng(1)
    strengths: Floats = np.stack([rng.permutation(best_first) for _ in range(runs)])
    played = play_contests(spec, model_scores("win", (1 - RHO) / 8), strengths, rng)
    won = [row[one.order[0] - 1] == best_first[0] for row, one in zip(strengths, played, strict=True)]
    return played, 100 * float(np.mean(won))


def _count_sets(spec: Spec, match: MatchRule) -> float:
    played, _ = play(_with_match(spec, match), PILOT)
    return float(np.mean([one.sets for one in played]))


def _with_match(spec: Spec, match: MatchRule) -> Spec:
    return msgspec.structs.replace(spec, match=match)
