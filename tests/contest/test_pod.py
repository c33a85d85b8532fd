"""Ratings of tables with more than two seats: from places, whole, and with all pairs of a table as one."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from maumau.contest.score import DealScore, score_set
from maumau.contest.statistics.pod import Pod, add_up_pod, believe_pods, join_pods
from maumau.contest.statistics.rating import ELO, Centre, Duel, compute_posterior
from maumau.contest.statistics.sequential import Sums
from tests.support.kinds import one_of


def test_the_sums_of_two_sets_by_hand():
    """Three players in the order 7, 2, 5: scores (12, 6, 0) and (7, 4, 7)."""
    pod = add_up_pod((7, 2, 5), [(12, 6, 0), (7, 4, 7)])
    assert pod.players == (2, 5, 7)
    assert pod.sets == 2
    assert pod.totals == (10, 7, 19)
    #                      2·2          2·5         2·7           5·5     5·7     7·7
    assert pod.products == (36 + 16, 0 + 28, 72 + 28, 0 + 49, 0 + 49, 144 + 49)


def test_two_players_are_compared_by_how_far_they_are_ahead():
    """At three seats a set is worth at most 12: 7 is ahead of 2 by 6 and by 3, of at most 12 each way."""
    pod = add_up_pod((7, 2, 5), [(12, 6, 0), (7, 4, 7)])
    assert pod.compare_players(7, 2) == Sums(24, 2, 12 + 6 + 12 + 3, 18**2 + 15**2)
    assert pod.compare_players(2, 7) == pod.compare_players(7, 2).mirrored
    assert pod.compare_players(7, 5).estimate == pytest.approx((24 + 12) / 48)


def test_sums_are_the_same_in_any_order_and_cut_anywhere():
    rng = random.Random(2)
    sets = [[rng.randrange(25) for _ in range(4)] for _ in range(12)]
    whole = add_up_pod((3, 1, 8, 4), sets)
    turned = add_up_pod((4, 8, 1, 3), [row[::-1] for row in sets[::-1]])
    assert turned == whole
    parts = [add_up_pod((3, 1, 8, 4), part) for part in (sets[7:], sets[:3], sets[3:7])]
    other = add_up_pod((1, 2, 3, 4), sets[:1])
    assert join_pods([*parts, other]) == [other, whole]


def test_at_two_seats_it_is_the_rating_of_pairs():
    """A set at two seats is worth 0 to 4 by places, in both ways of adding it up."""
    rng = random.Random(3)
    pods, duels = [], []
    for first, second in combinations(range(5), 2):
        scores = [rng.choice((0, 2, 2, 4)) for _ in range(15)]
        pods.append(add_up_pod((first, second), [(score, 4 - score) for score in scores]))
        duels.append(Duel(first, second, Sums(4).add_scores(scores)))
    pod, pair = believe_pods(5, pods, Centre([1])), compute_posterior(5, duels, [1])
    assert pod.theta == pytest.approx(pair.theta)
    assert pod.covariance == pytest.approx(pair.covariance)


def play(rng, theta, seats):
    """Return the scores of a set: in each seating places by strength and chance (Plackett-Luce)."""
    deals = []
    for seating in range(seats):
        keys = {k: rng.expovariate(1) / math.exp(theta[k]) for k in range(seats)}
        order = sorted(keys, key=keys.get)
        seat = [(s + seating) % seats for s in range(seats)]
        deals.append(DealScore([1 + order.index(k) for k in seat], [0] * seats))
    return score_set("places", 0, deals, seats).scores


@pytest.mark.parametrize(("seats", "size"), one_of(2, [(3, 6), (4, 8)]))
def test_intervals_cover_the_truth(seats, size):
    """Tables at random among players of known strengths: within five deviations of 95 of 100 cover."""
    rng, inside, count = random.Random(seats), 0, 0
    for _ in range(40):
        theta = [rng.gauss(0, 60 / ELO) for _ in range(size)]
        pods = []
        for _ in range(60):
            who = rng.sample(range(size), seats)
            pods.append(add_up_pod(who, [play(rng, [theta[k] for k in who], seats) for _ in range(3)]))
        ratings = believe_pods(size, pods).ratings
        mean = sum(theta) / size
        inside += sum(
            one.low <= (truth - mean) * ELO <= one.high for one, truth in zip(ratings, theta, strict=True)
        )
        count += size
    assert inside / count == pytest.approx(0.95, abs=5 * math.sqrt(0.95 * 0.05 / count))


def test_pairs_of_one_table_are_no_separate_evidence():
    """All sets of four are alike but for chance: the error of a mean of n sets, by hand.

    Scores of 24, 16, 8, 0 in every order the same number of times: (24 - 12)² + 4² + 4² + 12² = 320, so the
    variance of u is 80, in opponents beaten 80 / 64 = 1.25 a set. Over n sets of equal players the gradient
    of one has the variance 1.25·n and moves its strength by 1 / (n · 4/4) about the mean.
    """
    from itertools import permutations

    sets = list(permutations((24, 16, 8, 0))) * 500
    found = believe_pods(4, [add_up_pod(range(4), sets)], sigma=1e6)
    assert found.theta == pytest.approx(np.zeros(4), abs=1e-12)
    assert found.covariance[0, 0] == pytest.approx(1.25 / len(sets), rel=1e-3)


def test_without_a_result_nothing_is_known():
    assert believe_pods(3, []).theta == pytest.approx([0, 0, 0])
    assert Pod((0, 1, 2), 0, (0, 0, 0), (0,) * 6).compare_players(0, 1).estimate == 0.5
