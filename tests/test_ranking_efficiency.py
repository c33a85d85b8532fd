"""Tools of `make bench-ranking`: players of known strength, and games until a ranking is right."""

import math

import numpy as np
import pytest

from bench.statistics import ranking_own, ranking_peer
from bench.statistics.efficiency import fit_rising, games_until, judge_ratings, kendall_tau
from bench.support.field import RHO, play_sets, spread_strengths, win_chance


def test_the_best_of_sixteen_wins_as_often_as_it_is_meant_to():
    theta = spread_strengths()
    assert list(theta) == sorted(theta, reverse=True)
    assert win_chance(theta[0], theta[1:]).mean() == pytest.approx(0.575)
    assert win_chance(theta[0], theta[1]) == pytest.approx(0.521, abs=0.0005)
    assert win_chance(theta[7], theta[8]) == pytest.approx(0.506, abs=0.0005)


def test_the_games_of_a_set_are_as_likely_and_as_correlated_as_they_are_meant_to_be():
    p, sets = 0.57, 200_000
    none, one, both = play_sets([p], sets, np.random.default_rng(1))[0] / sets
    mean = (one + 2 * both) / 2
    variance = (one + 4 * both) / 4 - mean**2
    assert none + one + both == pytest.approx(1)
    assert mean == pytest.approx(p, abs=0.004)
    assert variance == pytest.approx(p * (1 - p) / 2 * (1 - RHO), rel=0.02)


def test_a_curve_is_made_to_rise():
    assert list(fit_rising(np.array([0.1, 0.5, 0.3, 0.7]))) == pytest.approx([0.1, 0.4, 0.4, 0.7])


def test_games_between_two_points_follow_from_their_logarithm():
    curve = np.array([0.5, 0.9, 1.0])
    assert games_until(curve, 0.95, (100, 1000, 10_000)) == pytest.approx(1000 * math.sqrt(10))
    assert games_until(curve, 0.4, (100, 1000, 10_000)) == 100
    assert games_until(curve[:2], 0.95, (100, 1000)) == math.inf


def test_tau_counts_pairs_in_the_right_order_less_those_in_the_wrong_one():
    assert kendall_tau(np.array([3.0, 2.0, 1.0])) == 1
    assert kendall_tau(np.array([2.0, 3.0, 1.0])) == pytest.approx(1 / 3)
    ratings = np.array([[[3.0, 2.0, 1.0]], [[2.0, 3.0, 1.0]]])
    assert judge_ratings(ratings).right == 0.5
    assert judge_ratings(ratings).tau == pytest.approx(2 / 3)


def test_a_win_of_two_unknown_players_moves_trueskill_as_its_inventors_write():
    """25 ± 8.333 twice, no draws, beta 25/6: 29.205 and 20.795, ± 7.195."""
    mu, var = np.full((1, 2), 25.0), np.full((1, 2), (25 / 3) ** 2)
    ranking_peer.book_win(mu, var, np.array([0]), np.array([1]), tau=0)
    assert mu[0] == pytest.approx([29.2052, 20.7948], abs=1e-3)
    assert np.sqrt(var[0]) == pytest.approx([7.1948, 7.1948], abs=1e-3)


def test_top_two_sampling_pairs_who_may_be_the_best():
    """Two who stand out, one who is certain, and three alike, each of whom leads a draw in three."""
    mu = np.array([[30.0, 30.0, 0.0], [40.0, 10.0, 0.0], [20.0, 20.0, 20.0]])
    var = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 9.0]])
    many = 3000
    first, second = ranking_peer.choose_top_two(
        np.repeat(mu, many, axis=0), np.repeat(var, many, axis=0), np.random.default_rng(1)
    )
    pairs = np.sort(np.stack([first, second]).reshape(2, 3, many), axis=0)
    assert (pairs[:, :2] == np.array([0, 1])[:, None, None]).all()
    assert (first != second).all()
    for seat in range(3):
        assert (first.reshape(3, many)[2] == seat).mean() == pytest.approx(1 / 3, abs=0.04)


@pytest.mark.sample
@pytest.mark.parametrize("mode", ["ladder", "final", "full"])
def test_a_run_of_the_ladder_is_judged_from_the_best_to_the_worst(mode):
    """With strengths so far apart, whatever their numbers on the ladder are, the order is found at once."""
    found = ranking_own.run_ladder(np.array([0.4, 0.0, -0.4]), mode, 3, most=4000)
    assert judge_ratings(found.looks[None]).tau[-1] == 1
    assert found.right
    assert found.stopped <= 4000
