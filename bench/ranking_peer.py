"""Ways of ranking that others use, for `make bench-ranking`: all runs at once, a row each run.

Each plays single games of independent deals, as their arenas do. TrueSkill (Herbrich, Minka, Graepel 2007) is
that of two players without draws; its quality of a match is the chance of a draw. Who plays is who is least
sure of its rating; its opponent is drawn with chances in proportion to the quality.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from bench.efficiency import GRID, Floats
from bench.field import Whole, win_chance
from maumau.contest.rating import Duel, fit
from maumau.contest.sequential import Sums

K: Final = 16.0
MU, SIGMA, BETA, TAU = 25.0, 25 / 3, 25 / 6, 25 / 300
"""TrueSkill's defaults."""

T = np.linspace(-9, 9, 18_001)
_SHARE = np.array([0.5 * math.erfc(-t / math.sqrt(2)) for t in T])
V = np.exp(-T * T / 2) / math.sqrt(2 * math.pi) / _SHARE
"""How far an outcome moves the means, by how much it was expected."""


def elo(theta: Floats, runs: int, rng: np.random.Generator) -> Floats:
    """B0: pairs at random, Elo with K = 16."""
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


def trueskill(theta: Floats, runs: int, rng: np.random.Generator, tau: float) -> Floats:
    """B1 with tau = 25/300, its default, and B2 with tau = 0, for players that never change."""
    size = len(theta)
    mu, var = np.full((runs, size), MU), np.full((runs, size), SIGMA**2)
    looks = []
    for game in range(1, GRID[-1] + 1):
        i = (var + rng.random((runs, size)) * 1e-9).argmax(axis=1)
        j = _draw_opponent(i, mu, var, rng)
        won = rng.random(runs) < win_chance(theta[i], theta[j])
        winner, loser = np.where(won, i, j), np.where(won, j, i)
        book_win(mu, var, winner, loser, tau)
        if game in GRID:
            looks.append(mu.copy())
    return np.stack(looks, axis=1)


def book_win(mu: Floats, var: Floats, winner: Whole, loser: Whole, tau: float) -> None:
    """A win in each run. mu, var: run by player, changed in place."""
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


def round_robin(theta: Floats, runs: int, rng: np.random.Generator) -> Floats:
    """B3: everybody plays everybody as often, Bradley-Terry by maximum likelihood."""
    pairs = [(i, j) for i in range(len(theta)) for j in range(i + 1, len(theta))]
    chance = win_chance(*(theta[[pair[side] for pair in pairs]] for side in (0, 1)))
    looks = np.zeros((runs, len(GRID), len(theta)))
    for run in range(runs):
        order = rng.permutation(len(pairs))
        wins, played = np.zeros(len(pairs), dtype=int), np.zeros(len(pairs), dtype=int)
        for look, games in enumerate(GRID):
            due = np.full(len(pairs), games // len(pairs))
            due[order[: games % len(pairs)]] += 1
            wins, played = wins + rng.binomial(due - played, chance), due
            duels = [
                Duel(*pair, Sums(1, int(sets), int(won), int(won)))
                for pair, sets, won in zip(pairs, played, wins, strict=True)
            ]
            looks[run, look] = [rating.elo for rating in fit(len(theta), duels)]
    return looks
