"""Bots that lose on purpose to one bot carry it nowhere, and honest fields hardly notice."""

import random
from itertools import combinations

import numpy as np
import pytest

from bench.support.field import play_sets, win_chance
from maumau.contest.ladder.leaderboard import rank_players
from maumau.contest.ladder.played import ALL_ALIKE, Played
from maumau.contest.statistics.author import Owner
from maumau.contest.statistics.rating import ELO, Centre, Duel, add_up_duels, compute_posterior
from maumau.contest.statistics.robust import measure_distance, weigh_distance, weigh_duels
from maumau.contest.statistics.sequential import Sums


def duel(first, second, chance, sets, rng):
    none, one, both = (int(count) for count in play_sets([chance], sets, rng, rho=0.0)[0])
    return Duel(first, second, Sums(2, none + one + both, one + 2 * both, one + 4 * both))


def play(helpers, lose, seed=1, honest=10, sets=300, spread=0.1):
    """Player 0, its helpers, and others; all pairs play, and the helpers lose to player 0 in `lose`."""
    rng = np.random.default_rng(seed)
    theta = np.zeros(1 + helpers + honest)
    theta[1 + helpers :] = rng.normal(0, spread, honest)
    chance = {
        (i, j): lose if i == 0 and 1 <= j <= helpers else float(win_chance(theta[i], theta[j]))
        for i, j in combinations(range(len(theta)), 2)
    }
    return [duel(*pair, p, sets, rng) for pair, p in chance.items()]


def test_weights_fall_from_two_deviations_to_four():
    """At 3: 2/3 of it counts, times half of the way to 4."""
    assert weigh_distance(np.array([0.0, 2.0, 3.0, 4.0, 9.0])) == pytest.approx([1, 1, 1 / 3, 0, 0])


def test_the_distance_of_a_pair_by_hand():
    """60 of 100 sets won, the others lost: Σ(x - ½)² is 25, of 100 sets (25 + ¼)·100/101 = 25.

    The mean is off by 0.1; its variance is 25 / 100² + 0.01² = 0.0026: 0.1 / 0.05099 = 1.961.
    """
    pairs = add_up_duels([Duel(0, 1, Sums(2, 100, 120, 240))])
    assert measure_distance(np.zeros(2), pairs) == pytest.approx([1.9612], abs=1e-4)


def test_few_sets_are_never_far_from_anything():
    """Four sets lost: Σ(x - ½)² = 1, so the distance is at most √4."""
    pairs = add_up_duels([Duel(0, 1, Sums(2, 4, 0, 0))])
    assert 1.9 < measure_distance(np.zeros(2), pairs)[0] < 2
    assert weigh_duels(2, [Duel(0, 1, Sums(2, 4, 0, 0))]).weights == pytest.approx([1])


@pytest.mark.parametrize("anchors", [0, 5])
@pytest.mark.parametrize("lose", [0.97, 0.7, 0.6])
@pytest.mark.parametrize("helpers", [1, 2, 5])
def test_helpers_carry_a_bot_by_less_than_its_interval(helpers, lose, anchors):
    """Without its helpers the bot is as good as rated by the others alone."""
    duels = play(helpers, lose)
    size = 1 + helpers + 10
    held = range(1 + helpers, 1 + helpers + anchors)
    honest = [one for one in duels if one.first or one.second > helpers]
    alone = compute_posterior(size, honest, held).ratings[0]
    robust, alike = (
        weigh_duels(size, duels, Centre(held)).posterior.ratings[0],
        compute_posterior(size, duels, held).ratings[0],
    )
    assert alone.low <= robust.elo <= alone.high
    assert alike.elo > robust.elo
    if helpers * (lose - 0.5) > 0.9:
        assert alike.elo > alone.high


@pytest.mark.parametrize("helpers", [10, 49])
def test_a_majority_of_helpers_is_seen_where_anchors_hold_the_scale(helpers):
    duels, held = play(helpers, 0.97), range(1 + helpers, 6 + helpers)
    size = 1 + helpers + 10
    robust = weigh_duels(size, duels, Centre(held)).posterior.ratings[0]
    alike = compute_posterior(size, duels, held).ratings[0]
    assert robust.low <= 0.0 - _mean_strength(helpers) <= robust.high
    assert alike.elo > 100


def _mean_strength(helpers, honest=10, anchors=5):
    """Return the anchors' mean, in Elo, as `play` draws them."""
    return float(np.random.default_rng(1).normal(0, 0.1, honest)[:anchors].mean()) * ELO


def test_the_order_of_results_changes_nothing_to_the_last_bit():
    duels = play(2, 0.9, honest=5, sets=40)
    halves = [Duel(*one[:2], Sums(2, *part)) for one in duels for part in _split(one.sums)]
    shuffled = random.Random(3).sample(halves, len(halves))
    turned = [Duel(one.second, one.first, one.sums.mirrored) for one in shuffled]
    first, again = weigh_duels(8, duels, Centre([4, 5])), weigh_duels(8, turned, Centre([4, 5]))
    assert (first.posterior.theta == again.posterior.theta).all()
    assert (first.weights == again.weights).all()


def _split(sums):
    """Return two parts with the same sum."""
    return (1, 0, 0), (sums.sets - 1, sums.total, sums.squares)


def test_nobody_and_nothing_can_be_rated():
    assert weigh_duels(0, []).posterior.ratings == []
    assert weigh_duels(0, []).list_doubts() == []
    assert weigh_duels(2, []).posterior.theta == pytest.approx([0, 0])


def test_a_leaderboard_says_what_does_not_count():
    """One helper of eleven opponents: 300 sets do not count, and would be worth some 29 Elo."""
    lines, _ = rank_players(12, Played(play(1, 0.97)), range(12))
    doubt = next(line for line in lines if line.player == 0).doubt
    assert doubt.sets == pytest.approx(300, abs=60)
    assert doubt.elo == pytest.approx(29, abs=6)
    assert max(abs(line.doubt.elo) for line in lines if line.player > 1) < 6
    lines, _ = rank_players(12, Played(play(1, 0.97)), range(12), fit=ALL_ALIKE)
    assert {line.doubt for line in lines} == {(0, 0)}


@pytest.mark.parametrize("honest", [2, 6])
def test_a_bot_that_loses_everything_to_everybody_is_the_weakest(honest):
    """However unlikely that is beforehand: none of its pairs is far from the others."""
    rng, weak = np.random.default_rng(2), honest
    chances = {(i, j): 1.0 if j == weak else 0.5 for i, j in combinations(range(honest + 1), 2)}
    duels = [duel(*pair, chance, 60, rng) for pair, chance in chances.items()]
    weighed, alike = weigh_duels(honest + 1, duels), compute_posterior(honest + 1, duels)
    assert weighed.posterior.theta[weak] == pytest.approx(alike.theta[weak], rel=0.02)
    assert weighed.count_discounted()[weak] == pytest.approx(0, abs=1)


def test_pairs_of_one_author_are_left_out():
    duels = play(1, 0.97, honest=2)
    owners = [Owner("ada", "one"), Owner("ada", "two"), Owner("bob", "three"), Owner("cyd", "four")]
    left = Played(duels).leave_out_own(owners)
    assert [(one.first, one.second) for one in left.duels] == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.long
def test_intervals_of_honest_fields_cover_what_they_say():
    """Of 100 fields of 16, strengths 20 Elo apart in the mean, with 100 sets a pair: 94 to 97 in 100."""
    inside = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        theta = rng.normal(0, 0.12, 16)
        chances = {(i, j): float(win_chance(theta[i], theta[j])) for i, j in combinations(range(16), 2)}
        duels = [duel(*pair, chance, 100, rng) for pair, chance in chances.items()]
        posterior = weigh_duels(16, duels).posterior
        off = np.abs(posterior.theta - (theta - theta.mean()))
        inside += list(off <= 1.96 * np.sqrt(np.diag(posterior.covariance)))
    assert 0.935 < np.mean(inside) < 0.975
