"""The table of a ladder: what is believed of all strengths at once, and what that says of the order."""

import math
import random

import numpy as np
import pytest

from maumau.contest.ladder.leaderboard import SAMPLES, count_places, draw_samples, rank_players
from maumau.contest.ladder.played import Played
from maumau.contest.statistics.rating import ELO, Duel, compute_posterior
from maumau.contest.statistics.sequential import Sums


def duel(first, second, *scores):
    return Duel(first, second, Sums(4).add_scores(scores))


def played(rng, theta, sets, pairs):
    """Return this many sets of each pair, the two deals of a set independent."""
    found = []
    for first, second in pairs:
        chance = 1 / (1 + math.exp(theta[second] - theta[first]))
        found.append(
            duel(first, second, *(2 * sum(rng.random() < chance for _ in "ab") for _ in range(sets)))
        )
    return found


def test_the_strongest_posterior_of_two_players_by_hand():
    """The prior of 90 Elo alone: θ is 0, its deviation 90 Elo; relative to the mean of both 90 / √2."""
    posterior = compute_posterior(2, [])
    assert posterior.theta == pytest.approx([0.0, 0.0])
    deviation = np.sqrt(np.diag(posterior.covariance)) * ELO
    assert deviation == pytest.approx([90 / math.sqrt(2)] * 2)


def test_anchors_hold_the_scale():
    duels = [duel(0, 1, *[4] * 30, *[0] * 20), duel(1, 2, *[4] * 30, *[0] * 20)]
    free, pinned = compute_posterior(3, duels), compute_posterior(3, duels, anchors=[2])
    assert pinned.theta[2] == pytest.approx(0.0)
    assert pinned.covariance[2, 2] == pytest.approx(0.0)
    assert np.diff(pinned.theta) == pytest.approx(np.diff(free.theta))


def test_the_order_of_results_changes_nothing_to_the_last_bit():
    rng = random.Random(4)
    pairs = [(a, b) for a in range(6) for b in range(6) if a < b]
    duels = [one for _ in range(5) for one in played(rng, [0.1 * k for k in range(6)], 10, pairs)]
    shuffled = rng.sample(duels, len(duels))
    turned = [Duel(one.second, one.first, one.sums.mirrored) for one in shuffled]
    lines, posterior = rank_players(6, Played(duels), range(6))
    for others in (shuffled, turned):
        again, same = rank_players(6, Played(others), range(6))
        assert again == lines
        assert (same.theta == posterior.theta).all()


def test_places_and_chances_are_of_those_who_are_shown():
    """Player 1 is the best, and has left: the next one is first."""
    rng = random.Random(1)
    duels = played(rng, [0.0, 1.5, 0.9, -0.5], 300, [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)])
    lines, _ = rank_players(4, Played(duels), [0, 2, 3])
    assert [line.player for line in lines] == [2, 0, 3]
    assert [line.place for line in lines] == [1, 2, 3]
    assert [(line.best_place, line.worst_place) for line in lines] == [(1, 1), (2, 2), (3, 3)]
    assert [line.best for line in lines] == [1.0, 0.0, 0.0]
    assert [line.sets for line in lines] == [900, 900, 600]


def test_players_nobody_can_tell_apart_share_the_chance_and_the_places():
    lines, _ = rank_players(
        4, Played([duel(a, b, 2, 2, 4, 0) for a in range(4) for b in range(4) if a < b]), range(4)
    )
    assert [line.player for line in lines] == [0, 1, 2, 3]
    for line in lines:
        assert (line.elo, line.best_place, line.worst_place) == (0.0, 1, 4)
        assert line.best == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("size", [8, 16])
def test_intervals_cover_the_truth(size):
    """Of strengths as the prior has them: 95 of 100 intervals cover, within four deviations."""
    rng, inside, count = random.Random(size), 0, 0
    pairs = [(a, b) for a in range(size) for b in range(size) if a < b]
    for _ in range(60):
        theta = [rng.gauss(0, 90 / ELO) for _ in range(size)]
        lines, _ = rank_players(size, Played(played(rng, theta, 12, pairs)), range(size))
        mean = sum(theta) / size
        truth = [(value - mean) * ELO for value in theta]
        inside += sum(line.low <= truth[line.player] <= line.high for line in lines)
        count += size
    assert inside / count == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / count))


def test_without_a_player_there_is_no_line():
    assert rank_players(3, Played(), [])[0] == []


def test_places_are_counted_in_each_sample_by_itself():
    """Three players, two samples; in the second one two are equal, and the lower number comes first."""
    samples = np.array([[0.1, 0.3, -0.2], [0.5, -0.5, 0.5]], np.float32)
    assert count_places(samples).tolist() == [[2, 1], [1, 3], [3, 2]]
    assert count_places(np.zeros((2, 1), np.float32)).tolist() == [[1, 1]]


def test_places_of_many_are_those_of_a_plain_sort():
    """No two strengths of a sample are nearer than a millionth of the widest one."""
    rng, size = np.random.default_rng(5), 300
    order = np.array([rng.permutation(size) for _ in range(40)])
    samples = ((order - 150) * 0.01).astype(np.float32)
    assert (count_places(samples) == (size - order).T).all()


def test_samples_have_the_mean_and_the_covariance_of_what_is_believed():
    """2,000 samples: means within 5 standard errors, each covariance within 5 of its own."""
    posterior = compute_posterior(
        130, played(random.Random(3), [0.0] * 130, 4, [(k, k + 1) for k in range(129)])
    )
    samples = draw_samples(posterior).astype(float)
    errors = np.sqrt(np.diag(posterior.covariance) / SAMPLES)
    assert (np.abs(samples.mean(axis=0) - posterior.theta) < 5 * errors).all()
    wide = np.sqrt(np.diag(posterior.covariance))
    found = np.cov(samples, rowvar=False)
    assert (np.abs(found - posterior.covariance) < 5 * 1.5 * np.outer(wide, wide) / math.sqrt(SAMPLES)).all()
