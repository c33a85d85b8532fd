"""The ladder's own way of ranking, on invented players: its pairing, its fit, mirrored sets."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from bench.efficiency import GRID, Floats
from bench.field import play_sets, win_chance
from maumau.contest.pairing import MIN_PAIRINGS, SHARE_UNDER_WAY, Mode, Player, pair, size_pairing
from maumau.contest.rating import Duel, Posterior, believe
from maumau.contest.sequential import Z95, Sums

SURE: Final = 0.95
SAMPLES: Final = 2000


class Run(NamedTuple):
    """What one run came to.

    looks: the ratings by point of the grid and player, the best one first. covered: the share of players
    whose true strength was in its 95 % interval at the end. stopped: the games after which one was the best
    with a chance of 95 % for the first time; right: whether it was.
    """

    looks: Floats
    covered: float
    stopped: float
    right: bool


class Play:
    """One run of a ladder among players of these strengths."""

    def __init__(self, theta: Floats, mode: Mode, seed: int) -> None:
        self.theta, self.mode = theta, mode
        self.rng = np.random.default_rng(seed)
        self.number = self.rng.permutation(len(theta))  # of each player: it says nothing of its strength
        self.strength = theta[np.argsort(self.number)]
        self.players = [Player(number) for number in range(len(theta))]
        self.sums = {(i, j): Sums(2) for i, j in combinations(range(len(theta)), 2)}
        self.games = 0

    def believe(self) -> Posterior:
        duels = [Duel(*numbers, sums) for numbers, sums in self.sums.items()]
        return believe(len(self.theta), duels)

    def go_on(self, until: int) -> Posterior:
        """Play on until there are so many games."""
        while self.games + 1 < until:
            played = self.games // 2
            batch = max(MIN_PAIRINGS * size_pairing(2, played), round(SHARE_UNDER_WAY * played))
            self.play(min(batch, (until - self.games) // 2))
        return self.believe()

    def play(self, sets: int) -> None:
        """A batch of pairs, which are all chosen before any of them is played."""
        counts = {numbers: sums.sets for numbers, sums in self.sums.items() if sums.sets}
        size = size_pairing(2, self.games // 2)
        chosen = pair(
            self.players, counts, self.believe(), -(-sets // size), int(self.rng.integers(2**32)),
            mode=self.mode, sets=size,
        )  # fmt: skip
        left = sets
        for one in chosen:
            each = min(size, left)
            left -= each
            self.book(min(one.first, one.second), max(one.first, one.second), each)

    def book(self, first: int, second: int, sets: int) -> None:
        chance = float(win_chance(self.strength[first], self.strength[second]))
        _, one, both = (int(count) for count in play_sets([chance], sets, self.rng)[0])
        played = Sums(2, sets, one + 2 * both, one + 4 * both)
        self.sums[first, second] = self.sums[first, second].joined(played)
        self.games += 2 * sets


def run(theta: Floats, mode: Mode, seed: int, most: int) -> Run:
    """Up to the last point of the grid that is not above `most`."""
    play, looks, stopped, right = Play(theta, mode, seed), [], math.inf, False
    for games in (games for games in GRID if games <= most):
        posterior = play.go_on(games)
        looks.append(posterior.theta[play.number])
        if math.isinf(stopped):
            chances = np.bincount(posterior.draw(SAMPLES, play.rng).argmax(axis=1), minlength=len(theta))
            if chances.max() >= SURE * SAMPLES:
                stopped, right = games, int(chances.argmax()) == play.number[0]
    error = Z95 * np.sqrt(np.diag(posterior.covariance))[play.number]
    covered = np.abs(looks[-1] - (theta - theta.mean())) <= error
    return Run(np.array(looks), float(covered.mean()), stopped, right)
