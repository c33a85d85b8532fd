"""`make bench-ranking`: games that the ladder needs until its order is right, compared with other methods."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final, TypeVar

import numpy as np

from bench.results.row import ResultRow
from bench.statistics import leaderboard as serving
from bench.statistics import ranking_own, ranking_peer
from bench.statistics.efficiency import GRID, Curve, judge_ratings
from bench.statistics.ranking_format import measure_formats
from bench.support.field import spread_strengths
from maumau.contest.ladder import leaderboard
from maumau.contest.ladder.pairing import LadderPlayer, Mode, pair_players
from maumau.contest.statistics.rating import Duel, Posterior
from maumau.contest.statistics.robust import weigh_duels
from maumau.contest.statistics.sequential import Sums

RUNS, PEER_RUNS = 960, 240  # a number of games scatters by 15 % with 240 runs, by 7 % with 960
VERSIONS, PAIRS, BATCH = 1000, 20_000, 100
PEERS: Final = {
    "Elo, K = 16, pairs at random": ranking_peer.rate_by_elo,
    "TrueSkill with its defaults, pairs by quality": lambda theta, runs, rng: ranking_peer.rate_by_trueskill(
        theta, runs, rng, ranking_peer.TAU
    ),
    "TrueSkill, tau = 0, pairs by quality": lambda theta, runs, rng: ranking_peer.rate_by_trueskill(
        theta, runs, rng, 0
    ),
    "Bradley-Terry, everybody against everybody": ranking_peer.round_robin,
    "TrueSkill, tau = 0, pairs by quality, mirrored sets": lambda theta, runs, rng: (
        ranking_peer.rate_by_trueskill(theta, runs, rng, 0, is_mirrored=True)
    ),
    "TrueSkill, tau = 0, top-two Thompson sampling, mirrored sets": (
        lambda theta, runs, rng: ranking_peer.rate_by_trueskill(
            theta, runs, rng, 0, is_mirrored=True, choose=ranking_peer.choose_top_two
        )
    ),
    "Bradley-Terry, everybody against everybody, mirrored sets": (
        lambda theta, runs, rng: ranking_peer.round_robin(theta, runs, rng, is_mirrored=True)
    ),
    "Bradley-Terry, neighbours in the ranking, mirrored sets": ranking_peer.rate_by_swiss,
}
PEER: Final = "TrueSkill, tau = 0, pairs by quality"
MIRRORED: Final = "TrueSkill, tau = 0, pairs by quality, mirrored sets"
MODES: Final[dict[Mode, int]] = {"ladder": 25_000, "final": 10_000, "full": 20_000}
"""Games of a run."""


def measure_rows() -> Iterator[ResultRow]:
    """Of the peers, of the ladder's modes, and of the time that they take."""
    theta, curves = spread_strengths(), dict[str, Curve]()
    for name, play in PEERS.items():
        curves[name] = judge_ratings(play(theta, PEER_RUNS, np.random.default_rng(1)))
        yield describe_curve(f"games to the right winner, {name}", curves[name], GRID[-1])
    for mode, most in MODES.items():
        runs = [ranking_own.run_ladder(theta, mode, seed, most) for seed in range(RUNS)]
        yield from _own_rows(mode, runs, curves)
    yield from measure_formats()
    yield from _speed_rows()


def describe_curve(name: str, curve: Curve, most: int) -> ResultRow:
    """Return the games to the right winner, or those played if it is never found, without a bound."""
    order = f"tau 0.9 after {curve.order:,.0f}" if math.isfinite(curve.order) else "never tau 0.9"
    never = "" if math.isfinite(curve.winner) else "never: "
    how = f"{order}; {never}right in {curve.right[-1]:.0%} of the runs, tau {curve.tau[-1]:.2f}"
    how += f" after {most:,} games"
    return ResultRow(name, min(curve.winner, most), 0, unit="games", how=how)


def _own_rows(mode: Mode, runs: list[ranking_own.LadderRun], curves: dict[str, Curve]) -> Iterator[ResultRow]:
    curve = judge_ratings(np.stack([one.looks for one in runs]))
    if mode != "full":
        yield _compare_peer(
            f"games to the right winner, mode {mode}",
            curve.winner,
            [curves[name].winner for name in (PEER, MIRRORED)],
            WINNER[mode],
        )
    if mode != "final":
        yield _compare_peer(
            f"games to tau 0.9, mode {mode}",
            curve.order,
            [curves[name].order for name in (PEER, MIRRORED)],
            ORDER[mode],
        )
    if mode == "final":
        yield from _stop_rows(runs)
    if mode == "full":
        covered = 100 * float(np.mean([one.covered for one in runs]))
        how = "95 % intervals, of all players and runs, at the end"
        yield ResultRow("strengths within their intervals", covered, 93, unit="%", how=how)


WINNER: Final[dict[Mode, float]] = {"ladder": 3600, "final": 3200}
ORDER: Final[dict[Mode, float]] = {"ladder": 18_500, "full": 13_000}


def _compare_peer(name: str, games: float, peers: list[float], bound: float) -> ResultRow:
    single, mirrored = peers
    how = f"{PEER}: {single / games:.1f} times as many; in mirrored sets: {mirrored / games:.1f} times"
    return ResultRow(name, games, bound, most=True, unit="games", how=how)


def _stop_rows(runs: list[ranking_own.LadderRun]) -> Iterator[ResultRow]:
    stopped = [one for one in runs if math.isfinite(one.stopped)]
    games = float(np.mean([min(one.stopped, MODES["final"]) for one in runs]))
    how = f"mean; {len(stopped)} of {len(runs)} runs were sure before {MODES['final']:,} games"
    yield ResultRow(
        "games until the best one is sure, mode final", games, 8000, most=True, unit="games", how=how
    )
    right = 100 * float(np.mean([one.right for one in stopped]))
    yield ResultRow(
        "right when it was sure, mode final", right, 95, unit="%", how="named at a chance of 95 %"
    )


def _speed_rows() -> Iterator[ResultRow]:
    duels = _draw_duels(np.random.default_rng(1))
    seconds, posterior = _time_call(lambda: weigh_duels(VERSIONS, duels).posterior)
    yield ResultRow(
        "a refit", seconds, 1, most=True, unit="s", how=f"CPU time; {VERSIONS:,} versions, {PAIRS:,} pairs"
    )
    seconds, _ = _time_call(lambda: _compare_posterior(duels, posterior))
    how = f"CPU time; {BATCH} pairs of {VERSIONS:,} versions"
    yield ResultRow("pairing a batch", 1000 * seconds, 100, most=True, unit="ms", how=how)
    sets = [40] * VERSIONS
    seconds, _ = _time_call(lambda: leaderboard.build_lines(posterior, sets, range(VERSIONS)))
    how = f"CPU time; {VERSIONS:,} lines from {leaderboard.SAMPLES:,} samples, made once after each refit"
    yield ResultRow("places of a leaderboard", 1000 * seconds, 100, most=True, unit="ms", how=how)
    with tempfile.TemporaryDirectory() as folder:
        served = serving.open_ladder(folder, VERSIONS, PAIRS)
        serving.serve_leaderboard(served)  # it is made once after each change
        seconds, _ = _time_call(lambda: serving.serve_leaderboard(served))
    how = f"CPU time; GetLeaderboard of {VERSIONS:,} rows that have not changed"
    yield ResultRow("a leaderboard served", 1000 * seconds, 50, most=True, unit="ms", how=how)


def _draw_duels(rng: np.random.Generator) -> list[Duel]:
    """Return random pairs with some sets each, scored as the arena does."""
    every = list(combinations(range(VERSIONS), 2))
    theta = rng.normal(0, 0.15, VERSIONS)
    found = []
    for index in rng.choice(len(every), PAIRS, replace=False):
        first, second = every[index]
        scores = rng.binomial(4, 1 / (1 + np.exp(theta[second] - theta[first])), 20)
        found.append(Duel(first, second, Sums(4).add_scores(int(score) for score in scores)))
    return found


def _compare_posterior(duels: list[Duel], posterior: Posterior) -> object:
    counts = {(duel.first, duel.second): duel.sums.sets for duel in duels}
    return pair_players(
        [LadderPlayer(number) for number in range(VERSIONS)], counts, posterior, BATCH, 1, sets=20
    )


T = TypeVar("T")


def _time_call(call: Callable[[], T]) -> tuple[float, T]:
    """Return the CPU seconds, the least of three, and the answer."""
    took = []
    for _ in range(3):
        begin = time.process_time()
        answer = call()
        took.append(time.process_time() - begin)
    return min(took), answer
