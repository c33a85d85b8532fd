"""Contests of a rehearsal, played through the schedule of real ones, side by side.

The contests of a batch take a step at the same time: `advance_schedule` says what each has to play, and the
matches of all are drawn at once. A contest ends with the table that the same results would have in the arena.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from maumau.contest.entrant import Entrant
from maumau.contest.format import count_meeting
from maumau.contest.format.match import MatchPlan, Verdict
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal.match import play_matches, say_verdict
from maumau.contest.rehearsal.set_score import SetScores
from maumau.contest.rehearsal.table_match import find_means, find_scatter, play_tables, say_table
from maumau.contest.schedule.advance import Plan, advance_schedule
from maumau.contest.score import SEATINGS
from maumau.contest.spec.spec import Spec
from maumau.contest.statistics.rating import ELO, Floats, win_chance

Report = Callable[[int], None]
"""Called with the number of contests that have ended since the last call."""

BATCH: Final = 250
RACES: Final = 30
"""Contests with a race that are played at once: their batches stay in memory until they end."""
MOST_PAIRS: Final = 60_000
"""Contests that are played at once, and the pairs of bots in them: their results are in memory together."""


@dataclass(frozen=True)
class RehearsedContest:
    """The outcome of a rehearsed contest.

    order: entrants by place, numbered from 1. sets, matches, unseparated: how many of each; unseparated are
    matches that the sequential test did not decide. deals: of two seats that cost as much as all sets.
    """

    order: tuple[int, ...]
    sets: int
    matches: int
    unseparated: int
    deals: float


def play_contests(
    spec: Spec, scores: SetScores, strengths: Floats, rng: np.random.Generator, report: Report | None = None
) -> list[RehearsedContest]:
    """Play a contest for each row of strengths, in Elo."""
    bots = strengths.shape[1]
    most = RACES if any(map(count_meeting, spec.stages)) else BATCH
    size = max(1, min(most, 2 * MOST_PAIRS // (bots * (bots - 1))))
    found: list[RehearsedContest] = []
    for start in range(0, len(strengths), size):
        found += _play_batch(spec, scores, strengths[start : start + size], rng)
        if report:
            report(len(found) - start)
    return found


def _play_batch(
    spec: Spec, scores: SetScores, strengths: Floats, rng: np.random.Generator
) -> list[RehearsedContest]:
    entrants = make_entrants(strengths.shape[1])
    results: list[list[Verdict]] = [[] for _ in strengths]
    played: dict[int, RehearsedContest] = {}
    while len(played) < len(strengths):
        going = [one for one in range(len(strengths)) if one not in played]
        plans = {one: advance_schedule(spec, entrants, results[one]) for one in going}
        played |= {one: _conclude_contest(plan, results[one]) for one, plan in plans.items() if plan.done}
        matches = [(one, match) for one, plan in plans.items() if not plan.done for match in plan.matches]
        for one, verdict in _play_step(spec, scores, strengths, matches, rng):
            results[one].append(verdict)
    return [played[one] for one in range(len(strengths))]


def make_entrants(bots: int) -> list[Entrant]:
    """Return invented entrants."""
    return [Entrant(number, f"bot-{number}", f"{number:064x}") for number in range(1, bots + 1)]


def _play_step(
    spec: Spec,
    scores: SetScores,
    strengths: Floats,
    matches: Sequence[tuple[int, MatchPlan]],
    rng: np.random.Generator,
) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts of these matches, each with the number of its contest."""
    shapes: dict[tuple[int, int, int], list[tuple[int, MatchPlan]]] = {}
    for one, plan in matches:
        shapes.setdefault((plan.stage, len(plan.players), plan.through), []).append((one, plan))
    for (stage, seats, through), alike in shapes.items():
        match = spec.choose_match(stage)
        if seats == SEATINGS:
            yield from _play_pairs(match, scores, strengths, alike, rng)
        else:
            scatter = find_scatter(seats, scores.variance)
            players = np.array([plan.players for _, plan in alike]) - 1
            means = find_means(strengths[np.array([one for one, _ in alike])[:, None], players] / ELO)
            ended = play_tables(match, scatter, means, through, rng)
            yield from ((one, say_table(plan, ended, n)) for n, (one, plan) in enumerate(alike))


def _play_pairs(
    match: MatchRule,
    scores: SetScores,
    strengths: Floats,
    matches: Sequence[tuple[int, MatchPlan]],
    rng: np.random.Generator,
) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts of matches of two."""
    contest = np.array([one for one, _ in matches])
    first, second = (np.array([getattr(plan, side) for _, plan in matches]) for side in ("first", "second"))
    means = win_chance(strengths[contest, first - 1] / ELO, strengths[contest, second - 1] / ELO)
    bracket = np.array([plan.bracket for _, plan in matches])
    ended = play_matches(match, scores, means, bracket, rng)
    for number, (one, plan) in enumerate(matches):
        yield one, say_verdict(plan, ended, number, scores.unit)


def _conclude_contest(plan: Plan, results: Sequence[Verdict]) -> RehearsedContest:
    return RehearsedContest(
        order=tuple(row.entrant for row in plan.table),
        sets=sum(verdict.counted for verdict in results),
        matches=len(results),
        unseparated=sum(verdict.rule != "sequential" for verdict in results),
        deals=sum(verdict.counted * _weigh_deals(len(verdict.players)) for verdict in results),
    )


def _weigh_deals(seats: int) -> float:
    """Return how many deals of two cost as much as a set: each seat decides about as often as one of two."""
    return seats * seats / SEATINGS
