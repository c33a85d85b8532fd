"""A ladder as the arena pairs and rates it, on which helpers lose to one bot: long simulations."""

import numpy as np
import pytest

from bench.support.field import play_sets
from bench.support.simulation import LadderPlay
from maumau.contest.statistics.rating import ELO, Duel, compute_posterior
from maumau.contest.statistics.sequential import Sums

HONEST = 10


class Bought(LadderPlay):
    """Equal bots: player 0, its helpers, which lose to it in `lose`, and honest ones."""

    def __init__(self, helpers, lose, seed):
        super().__init__(np.zeros(1 + helpers + HONEST), "ladder", seed)
        self.helpers, self.lose = helpers, lose

    def book(self, first, second, sets):
        chance = self.lose if first == 0 and second <= self.helpers else 0.5
        _, one, both = (int(count) for count in play_sets([chance], sets, self.rng, rho=0.0)[0])
        played = Sums(2, sets, one + 2 * both, one + 4 * both)
        self.sums[first, second] = self.sums[first, second].join_sums(played)
        self.games += 2 * sets


class Alike(Bought):
    """A ladder on which every set counts equally."""

    def believe(self):
        return compute_posterior(len(self.theta), [Duel(*pair, sums) for pair, sums in self.sums.items()])


def carry(kind, helpers, lose, seed):
    """Return by how much player 0 is above the honest ones' mean, in Elo, and half its interval."""
    posterior = kind(helpers, lose, seed).go_on(25_000)
    rating = posterior.ratings[0]
    lead = posterior.theta[0] - posterior.theta[1 + helpers :].mean()
    return lead * ELO, (rating.high - rating.low) / 2


@pytest.mark.long
@pytest.mark.parametrize(("helpers", "lose"), [(1, 0.97), (5, 0.97), (5, 0.6)])
def test_helpers_carry_a_bot_on_a_ladder_by_less_than_its_interval(helpers, lose):
    """In the mean of four ladders: how far a single one is off is chance."""
    runs = [carry(Bought, helpers, lose, seed) for seed in range(4)]
    lead, interval = np.mean(runs, axis=0)
    assert abs(lead) < interval


@pytest.mark.long
def test_they_would_carry_it_far_if_every_set_counted_alike():
    lead, interval = np.mean([carry(Alike, 5, 0.97, seed) for seed in range(2)], axis=0)
    assert lead > 2 * interval
