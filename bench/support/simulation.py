"""A ladder of invented players, with the arena's own pairing and fit."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bench.support.field import Floats, play_sets, win_chance
from maumau.contest.ladder.pairing import (
    MIN_PAIRINGS,
    LadderPlayer,
    Mode,
    pair_players,
    size_pairing,
)
from maumau.contest.ladder.played import Played
from maumau.contest.statistics.rating import Centre, Duel, Posterior, add_up_duels
from maumau.contest.statistics.sequential import Sums


class LadderPlay:
    """One run of a ladder among players of these strengths."""

    def __init__(self, theta: Floats, mode: Mode, seed: int) -> None:
        self.theta, self.mode = theta, mode
        self.rng = np.random.default_rng(seed)
        self.number = self.rng.permutation(len(theta))  # of each player, independent of its strength
        self.strength = theta[np.argsort(self.number)]
        self.players = [LadderPlayer(number) for number in range(len(theta))]
        self.sums = {(i, j): Sums(2) for i, j in combinations(range(len(theta)), 2)}
        self.games = 0

    @property
    def played(self) -> Played:
        """All results so far."""
        return Played([Duel(*numbers, sums) for numbers, sums in self.sums.items()])

    def believe(self) -> Posterior:
        return self.played.compute_posterior(len(self.theta))

    def centre_strengths(self, posterior: Posterior) -> Floats:
        """Return the true strengths by number, about the mean that is 0 in a posterior of all players."""
        told = Centre(by_information=True).weigh_mean(posterior.theta, add_up_duels(self.played.duels))
        return self.strength - told @ self.strength

    def go_on(self, until: int) -> Posterior:
        """Play on until this number of games; return the posterior."""
        while self.games + 1 < until:
            batch = MIN_PAIRINGS * size_pairing(2, self.games // 2)
            self.play(min(batch, (until - self.games) // 2))
        return self.believe()

    def play(self, sets: int) -> None:
        """Play a batch of pairs, which are all chosen before any of them is played."""
        counts = {numbers: sums.sets for numbers, sums in self.sums.items() if sums.sets}
        known = {number for numbers in counts for number in numbers}
        players = [player._replace(known=player.number in known) for player in self.players]
        size = size_pairing(2, self.games // 2)
        chosen = pair_players(
            players, counts, self.believe(), -(-sets // size), int(self.rng.integers(2**32)),
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
        self.sums[first, second] = self.sums[first, second].join_sums(played)
        self.games += 2 * sets
