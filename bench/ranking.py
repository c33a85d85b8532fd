"""`make bench-ranking`: how many games the ladder needs until its order is right, beside other ways."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final, TypeVar

import numpy as np

from bench import leaderboard as serving
from bench import ranking_own, ranking_peer
from bench.efficiency import GRID, Curve, judge
from bench.field import strengths
from bench.row import Row
from maumau.contest import leaderboard
from maumau.contest.pairing import Mode, Player, pair
from maumau.contest.rating import Duel, Posterior, believe
from maumau.contest.sequential import Sums

RUNS, PEER_RUNS = 960, 240  # a number of games scatters by 15 % with 240 runs, by 7 % with 960
VERSIONS, PAIRS, BATCH = 1000, 20_000, 100
PEERS: Final = {
    "Elo, K = 16, pairs at random": ranking_peer.elo,
    "TrueSkill with its defaults, pairs by quality": lambda theta, runs, rng: ranking_peer.trueskill(
        theta, runs, rng, ranking_peer.TAU
    ),
    "TrueSkill, tau = 0, pairs by quality": lambda theta, runs, rng: ranking_peer.trueskill(
        theta, runs, rng, 0
    ),
    "Bradley-Terry, everybody against everybody": ranking_peer.round_robin,
}
PEER: Final = "TrueSkill, tau = 0, pairs by quality"
MODES: Final[dict[Mode, int]] = {"ladder": 25_000, "final": 10_000, "full": 20_000}
"""Games of a run."""


def rows() -> Iterator[Row]:
    """Of the peers, of the ladder's modes, and of the time that they take."""
    theta, peer = strengths(), None
    for name, play in PEERS.items():
        curve = judge(play(theta, PEER_RUNS, np.random.default_rng(1)))
        peer = curve if name == PEER else peer
        yield from _peer_rows(name, curve)
    assert peer is not None
    for mode, most in MODES.items():
        runs = [ranking_own.run(theta, mode, seed, most) for seed in range(RUNS)]
        yield from _own_rows(mode, runs, peer)
    yield from _speed_rows()


def _peer_rows(name: str, curve: Curve) -> Iterator[Row]:
    """A peer that never gets there has the games that were played: no bound is meant to hold it back."""
    for what, games, last in (
        ("games to the right winner", curve.winner, f"right in {curve.right[-1]:.0%} of the runs"),
        ("games to tau 0.9", curve.order, f"tau {curve.tau[-1]:.2f}"),
    ):
        never = "" if math.isfinite(games) else "never: "
        how = f"{never}{last} after {GRID[-1]:,} games"
        yield Row(f"{what}, {name}", min(games, GRID[-1]), 0, unit="games", how=how)


def _own_rows(mode: Mode, runs: list[ranking_own.Run], peer: Curve) -> Iterator[Row]:
    curve = judge(np.stack([one.looks for one in runs]))
    if mode != "full":
        yield _against(f"games to the right winner, mode {mode}", curve.winner, peer.winner, WINNER[mode])
    if mode != "final":
        yield _against(f"games to tau 0.9, mode {mode}", curve.order, peer.order, ORDER[mode])
    if mode == "final":
        yield from _stop_rows(runs)
    if mode == "full":
        covered = 100 * float(np.mean([one.covered for one in runs]))
        how = "95 % intervals, of all players and runs, at the end"
        yield Row("strengths within their intervals", covered, 93, unit="%", how=how)


WINNER: Final[dict[Mode, float]] = {"ladder": 3600, "final": 3200}
ORDER: Final[dict[Mode, float]] = {"ladder": 18_500, "full": 13_000}


def _against(name: str, games: float, peer: float, bound: float) -> Row:
    how = f"{peer / games:.1f} times fewer than {PEER}: {peer:,.0f}"
    return Row(name, games, bound, most=True, unit="games", how=how)


def _stop_rows(runs: list[ranking_own.Run]) -> Iterator[Row]:
    stopped = [one for one in runs if math.isfinite(one.stopped)]
    games = float(np.mean([min(one.stopped, MODES["final"]) for one in runs]))
    how = f"mean; {len(stopped)} of {len(runs)} runs were sure before {MODES['final']:,} games"
    yield Row("games until the best one is sure, mode final", games, 8000, most=True, unit="games", how=how)
    right = 100 * float(np.mean([one.right for one in stopped]))
    yield Row("right when it was sure, mode final", right, 95, unit="%", how="named at a chance of 95 %")


def _speed_rows() -> Iterator[Row]:
    duels = _duels(np.random.default_rng(1))
    seconds, posterior = _timed(lambda: believe(VERSIONS, duels))
    yield Row(
        "a refit", seconds, 1, most=True, unit="s", how=f"CPU time; {VERSIONS:,} versions, {PAIRS:,} pairs"
    )
    seconds, _ = _timed(lambda: _pair(duels, posterior))
    how = f"CPU time; {BATCH} pairs of {VERSIONS:,} versions"
    yield Row("pairing a batch", 1000 * seconds, 100, most=True, unit="ms", how=how)
    sets = dict.fromkeys(range(VERSIONS), 40)
    seconds, _ = _timed(lambda: leaderboard.lines(posterior, sets, range(VERSIONS)))
    how = f"CPU time; {VERSIONS:,} lines from {leaderboard.SAMPLES:,} samples, made once after each refit"
    yield Row("places of a leaderboard", 1000 * seconds, 100, most=True, unit="ms", how=how)
    with tempfile.TemporaryDirectory() as folder:
        served = serving.open_ladder(folder, VERSIONS, PAIRS)
        serving.serve(served)  # it is made once after each change
        seconds, _ = _timed(lambda: serving.serve(served))
    how = f"CPU time; GetLeaderboard of {VERSIONS:,} rows that have not changed"
    yield Row("a leaderboard served", 1000 * seconds, 50, most=True, unit="ms", how=how)


def _duels(rng: np.random.Generator) -> list[Duel]:
    """Pairs at random with some sets each, scored as the arena does."""
    every = list(combinations(range(VERSIONS), 2))
    theta = rng.normal(0, 0.15, VERSIONS)
    found = []
    for index in rng.choice(len(every), PAIRS, replace=False):
        first, second = every[index]
        scores = rng.binomial(4, 1 / (1 + np.exp(theta[second] - theta[first])), 20)
        found.append(Duel(first, second, Sums(4).plus(int(score) for score in scores)))
    return found


def _pair(duels: list[Duel], posterior: Posterior) -> object:
    counts = {(duel.first, duel.second): duel.sums.sets for duel in duels}
    return pair([Player(number) for number in range(VERSIONS)], counts, posterior, BATCH, 1, sets=20)


T = TypeVar("T")


def _timed(call: Callable[[], T]) -> tuple[float, T]:
    """CPU seconds, the least of three."""
    took = []
    for _ in range(3):
        begin = time.process_time()
        answer = call()
        took.append(time.process_time() - begin)
    return min(took), answer
