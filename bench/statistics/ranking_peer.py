"""Ranking methods of others, for `make bench-ranking`: all runs at once, a row each run.

Each plays single games of independent deals, as their arenas do, or mirrored sets as the ladder does: pairing
the deals is worth much by itself, whoever rates. TrueSkill (Herbrich, Minka, Graepel 2007) is
that of two players without draws; its quality of a match is the chance of a draw. Who plays is who is least
sure of its rating; its opponent is drawn with chances in proportion to the quality.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Final

import numpy as np

from bench.statistics.efficiency import GRID, Floats
from bench.support.field import Whole, play_sets, win_chance
from maumau.contest.statistics.rating import Duel, compute_posterior, fit_ratings
from maumau.contest.statistics.sequential import Sums

K: Final = 16.0
MU, SIGMA, BETA, TAU = 25.0, 25 / 3, 25 / 6, 25 / 300
"""TrueSkill's defaults."""

MOST_DRAWS: Final = 8
"""Draws of a challenger, after which the second of the last draw plays."""

Choose = Callable[[Floats, Floats, np.random.Generator], tuple[Whole, Whole]]
"""Which two play next in each run, by means and variances."""

PROBIT: Final = 1.702
"""The factor by which a logistic curve is closest to a normal one."""

T = np.linspace(-9, 9, 18_001)
_SHARE = np.array([0.5 * math.erfc(-t / math.sqrt(2)) for t in T])
V = np.exp(-T * T / 2) / math.sqrt(2 * math.pi) / _SHARE
"""The shift of the means by an outcome, depending on how expected it was."""


def rate_by_elo(theta: Floats, runs: int, rng: np.random.Generator) -> Floats:
    """Return ratings of B0: random pairs, Elo with K = 16."""
    size = len(theta)
    rating, rows, looks = np.zeros((runs, size)), np.arange(runs), []
    for game in range(1, GRID[-1] + 1):
        i = rng.integers(size, size=runs)
        j = (i + rng.integers(1, size, size=runs)) % size
        won = rng.random(runs) < win_chance(theta[i], theta[j])
        step = K * (won - 1 / (1 + 10 ** ((rating[rows, j] - rating[rows, i]) / 400)))
        rating[rows, i] += step
        rating[rows, j] -= step
        if game in GRID:
            looks.append(rating.copy())
    return np.stack(looks, axis=1)


def choose_by_quality(mu: Floats, var: Floats, rng: np.random.Generator) -> tuple[Whole, Whole]:
    """Return the least certain player of each run, and an opponent by the quality of the match."""
    i = (var + rng.random(var.shape) * 1e-9).argmax(axis=1)
    return i, _draw_opponent(i, mu, var, rng)


def choose_top_two(mu: Floats, var: Floats, rng: np.random.Generator) -> tuple[Whole, Whole]:
    """Return the best players of two draws from the ratings that differ (top-two Thompson sampling)."""
    deviation = np.sqrt(var)
    i = rng.normal(mu, deviation).argmax(axis=1)
    j, left = i.copy(), np.arange(len(mu))
    for _ in range(MOST_DRAWS):
        drawn = rng.normal(mu[left], deviation[left])
        j[left] = drawn.argmax(axis=1)
        left = left[j[left] == i[left]]
        if not len(left):
            return i, j
    drawn = rng.normal(mu[left], deviation[left])
    drawn[np.arange(len(left)), i[left]] = -np.inf
    j[left] = drawn.argmax(axis=1)
    return i, j


def rate_by_trueskill(
    theta: Floats,
    runs: int,
    rng: np.random.Generator,
    tau: float,
    *,
    is_mirrored: bool = False,
    choose: Choose = choose_by_quality,
    sigma: float = SIGMA,
) -> Floats:
    """B1 with tau = 25/300, its default, and B2 with tau = 0, for players that never change; B5 by choose.

    sigma: the deviation of a player's strength before any game.
    """
    size = len(theta)
    mu, var = np.full((runs, size), MU), np.full((runs, size), sigma**2)
    games = 2 if is_mirrored else 1
    due, looks = [most // games for most in GRID], []
    for turn in range(1, due[-1] + 1):
        i, j = choose(mu, var, rng)
        for won in _play_games(win_chance(theta[i], theta[j]), games, rng):
            book_win(mu, var, np.where(won, i, j), np.where(won, j, i), tau)
        if turn in due:
            looks.append(mu.copy())
    return np.stack(looks, axis=1)


def fit_sigma(theta: Floats) -> float:
    """Return the deviation of these strengths on TrueSkill's scale: the best prior there is."""
    return float(theta.std()) * math.sqrt(2) * BETA / PROBIT


def _play_games(chance: Floats, games: int, rng: np.random.Generator) -> list[Whole]:
    """Return who won each game, the first or not, by run: one game, or the two of a mirrored set."""
    if games == 1:
        return [rng.random(len(chance)) < chance]
    wins = play_sets(chance, 1, rng).argmax(axis=1)
    return [wins >= 1, wins == 2]


def book_win(mu: Floats, var: Floats, winner: Whole, loser: Whole, tau: float) -> None:
    """Book a win in each run. mu, var: run by player, changed in place."""
    rows = np.arange(len(mu))
    for who in (winner, loser):
        var[rows, who] += tau**2
    both = 2 * BETA**2 + var[rows, winner] + var[rows, loser]
    t = (mu[rows, winner] - mu[rows, loser]) / np.sqrt(both)
    v = np.interp(t, T, V)
    for who, sign in ((winner, 1), (loser, -1)):
        mu[rows, who] += sign * var[rows, who] / np.sqrt(both) * v
        var[rows, who] *= 1 - var[rows, who] / both * v * (v + t)


def _draw_opponent(i: Whole, mu: Floats, var: Floats, rng: np.random.Generator) -> Whole:
    rows = np.arange(len(i))
    both = 2 * BETA**2 + var + var[rows, i][:, None]
    weight = np.sqrt(2 * BETA**2 / both) * np.exp(-((mu - mu[rows, i][:, None]) ** 2) / both / 2)
    weight[rows, i] = 0
    edge = weight.cumsum(axis=1)
    return (edge < rng.random(len(i))[:, None] * edge[:, -1:]).sum(axis=1)


def round_robin(theta: Floats, runs: int, rng: np.random.Generator, *, is_mirrored: bool = False) -> Floats:
    """B3: everybody plays everybody as often, Bradley-Terry by maximum likelihood."""
    pairs = list(combinations(range(len(theta)), 2))
    looks = np.zeros((runs, len(GRID), len(theta)))
    for run in range(runs):
        order, sums = rng.permutation(len(pairs)), dict.fromkeys(pairs, Sums(2))
        for look, games in enumerate(GRID):
            sets = games // 2 if is_mirrored else games
            due = np.full(len(pairs), sets // len(pairs))
            due[order[: sets % len(pairs)]] += 1
            for number, pair in enumerate(pairs):
                more = int(due[number]) - sums[pair].sets
                sums[pair] = sums[pair].join_sums(_play_pair(theta, pair, more, rng, is_mirrored=is_mirrored))
            looks[run, look] = _rate_sums(len(theta), sums)
    return looks


def rate_by_swiss(theta: Floats, runs: int, rng: np.random.Generator) -> Floats:
    """B4: neighbours in the ranking play mirrored sets, Bradley-Terry with the ladder's own prior.

    Each round has a twentieth of all sets so far, at least one for each pair.
    """
    size = len(theta)
    looks = np.zeros((runs, len(GRID), size))
    for run in range(runs):
        sums, rating, played = dict.fromkeys(combinations(range(size), 2), Sums(2)), rng.random(size), 0
        for look, games in enumerate(GRID):
            while 2 * played + 1 < games:
                order = np.argsort(-rating)[rng.integers(2) :]
                pairs = [(int(min(two)), int(max(two))) for two in zip(order[::2], order[1::2], strict=False)]
                sets = min(max(1, played // (20 * len(pairs))), -(-(games // 2 - played) // len(pairs)))
                for pair in pairs:
                    sums[pair] = sums[pair].join_sums(_play_pair(theta, pair, sets, rng, is_mirrored=True))
                played += sets * len(pairs)
                rating = compute_posterior(size, _list_duels(sums)).theta
            looks[run, look] = rating
    return looks


def _play_pair(
    theta: Floats, pair: tuple[int, int], sets: int, rng: np.random.Generator, *, is_mirrored: bool
) -> Sums:
    """Return the sums of single games (2 for a win) or of mirrored sets (1 for each win)."""
    chance = float(win_chance(theta[pair[0]], theta[pair[1]]))
    if not is_mirrored:
        won = int(rng.binomial(sets, chance))
        return Sums(2, sets, 2 * won, 4 * won)
    _, one, both = (int(count) for count in play_sets([chance], sets, rng)[0])
    return Sums(2, sets, one + 2 * both, one + 4 * both)


def _rate_sums(size: int, sums: dict[tuple[int, int], Sums]) -> Floats:
    return np.array([rating.elo for rating in fit_ratings(size, _list_duels(sums))])


def _list_duels(sums: dict[tuple[int, int], Sums]) -> list[Duel]:
    return [Duel(*pair, of_pair) for pair, of_pair in sums.items() if of_pair.sets]
