"""Ratings are the maximum likelihood of Bradley and Terry, and their intervals cover as they say."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.statistics.rating import ELO, Duel, fit_ratings
from maumau.contest.statistics.sequential import Sums
from maumau.errors import RatingDiverged
from tests.support.kinds import one_of

WIDE = 10.0**9
"""A prior so wide that it has no effect."""


def duel(first, second, *scores):
    return Duel(first, second, Sums(4).add_scores(scores))


def simulated(rng, theta, sets):
    """Everybody against everybody; the two deals of a set are played independently."""
    duels = []
    for first in range(len(theta)):
        for second in range(first + 1, len(theta)):
            chance = 1 / (1 + math.exp(theta[second] - theta[first]))
            scores = [2 * sum(rng.random() < chance for _ in "ab") for _ in range(sets)]
            duels.append(duel(first, second, *scores))
    return duels


def by_evalica(size, duels):
    """Elo by the library: a drawn set counts half for both, as ours."""
    import evalica  # it imports pandas: a second that the other tests do not need

    lines = [(d.first, d.second, d.sums.total / 4, d.sums.sets - d.sums.total / 4) for d in duels]
    xs, ys = [line[0] for line in lines] * 2, [line[1] for line in lines] * 2
    winners = [evalica.Winner.X] * len(lines) + [evalica.Winner.Y] * len(lines)
    weights = [line[2] for line in lines] + [line[3] for line in lines]
    result = evalica.bradley_terry(xs, ys, winners, weights=weights, tolerance=1e-13, limit=10**6)
    logs = [math.log(result.scores[player]) for player in range(size)]
    return [ELO * (value - sum(logs) / size) for value in logs]


def test_two_players_by_hand():
    """Three sets of four: p = 3/4, θ1 - θ2 = ln 3, so the ratings are ±½·ln 3·400/ln 10 = ±95.42."""
    one, two = fit_ratings(2, [duel(0, 1, 4, 4, 4, 0)], WIDE)
    assert (one.elo, two.elo) == (95.42, -95.42)


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 9))
def test_the_fit_is_that_of_evalica(seed, size):
    rng = random.Random(seed)
    duels = simulated(rng, [rng.gauss(0, 0.4) for _ in range(size)], 60)
    ours = [rating.elo for rating in fit_ratings(size, duels, WIDE, about_known=False)]
    assert ours == pytest.approx(by_evalica(size, duels), abs=0.006)


def test_the_prior_moves_a_rating_of_some_hundred_sets_by_hundredths():
    duels = simulated(random.Random(3), [0.3, 0.1, -0.1, -0.3], 150)
    pairs = zip(fit_ratings(4, duels), fit_ratings(4, duels, WIDE), strict=True)
    assert max(abs(with_.elo - without.elo) for with_, without in pairs) < 0.1


def test_who_won_everything_has_a_finite_rating_and_a_wide_interval():
    one, two = fit_ratings(2, [duel(0, 1, *[4] * 100)])
    assert 500 < one.elo < 1000
    assert one.high - one.low > 300
    assert two.elo == -one.elo


def test_who_never_played_stands_in_the_middle_and_could_be_anything():
    *_, idle = fit_ratings(3, [duel(0, 1, 4, 2, 2, 0, 4)])
    assert idle.elo == 0.0
    assert idle.high - idle.low > 2000


def test_two_that_play_alike_are_equal_with_a_narrow_interval():
    one, two = fit_ratings(2, [duel(0, 1, *[2] * 400)])
    assert one.elo == two.elo == 0.0
    assert one.high < 3


def test_no_rating_is_minus_zero():
    assert all(str(value.elo) == "0.0" for value in fit_ratings(3, []))


@settings(max_examples=50, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 7))
def test_no_order_of_results_or_sides_changes_a_rating(source, size):
    rng = random.Random(source.randrange(10**9))
    duels = simulated(rng, [rng.gauss(0, 0.5) for _ in range(size)], 12)
    turned = [
        Duel(d.second, d.first, d.sums.mirrored) if rng.random() < 0.5 else d
        for d in rng.sample(duels, len(duels))
    ]
    assert fit_ratings(size, duels) == fit_ratings(size, turned)


scores = st.lists(st.sampled_from([0, 2, 4]), max_size=40)
any_duel = st.tuples(st.integers(0, 5), st.integers(0, 5), scores).filter(lambda one: one[0] != one[1])


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.lists(any_duel, max_size=12))
def test_every_set_of_results_has_ratings(duels):
    """Islands, players who lost everything, nobody at all: always finite, always about zero.

    Both centres shift all ratings alike and leave the intervals as wide.
    """
    made = [duel(first, second, *given) for first, second, given in duels]
    plain, known = fit_ratings(6, made, about_known=False), fit_ratings(6, made)
    for rating in (*plain, *known):
        assert abs(rating.elo) < 10_000
        assert rating.low <= rating.elo <= rating.high
    assert abs(sum(rating.elo for rating in plain)) <= 0.031
    shifts = [one.elo - other.elo for one, other in zip(known, plain, strict=True)]
    assert max(shifts) - min(shifts) <= 0.021
    widths = [
        (one.high - one.low) - (other.high - other.low) for one, other in zip(known, plain, strict=True)
    ]
    assert max(map(abs, widths)) <= 0.021


def test_a_fit_that_does_not_come_to_rest_says_so(monkeypatch):
    monkeypatch.setattr("maumau.contest.statistics.rating.STEPS", 1)
    with pytest.raises(RatingDiverged) as raised:
        fit_ratings(2, [duel(0, 1, 4, 4, 0)])
    assert str(raised.value) == "The ratings' fit did not converge; the results are damaged."


@pytest.mark.parametrize(
    "mirrored", one_of(2, [0.0, 0.44]), ids=["independent deals", "deals that cancel luck"]
)
def test_intervals_cover_the_truth_as_often_as_they_say(mirrored):
    """400 tournaments of six: with a share `mirrored` of the sets split by the luck of the cards alone."""
    rng = random.Random(11)
    truth = [0.3, 0.15, 0.05, -0.05, -0.15, -0.3]
    inside = 0
    for _ in range(400):
        ratings = fit_ratings(6, correlated(rng, truth, 60, mirrored))
        inside += sum(
            rating.low <= ELO * theta <= rating.high for rating, theta in zip(ratings, truth, strict=True)
        )
    assert 0.93 <= inside / 2400 <= 0.97


def correlated(rng, theta, sets, rho):
    """Return sets of two deals whose results have the correlation -rho, as mirrored seatings have."""
    duels = []
    for first in range(len(theta)):
        for second in range(first + 1, len(theta)):
            p = 1 / (1 + math.exp(theta[second] - theta[first]))
            both, none = p * p - rho * p * (1 - p), (1 - p) ** 2 - rho * p * (1 - p)
            weights = [both, 1 - both - none, none]
            duels.append(duel(first, second, *rng.choices([4, 2, 0], weights, k=sets)))
    return duels


def test_who_loses_everything_widens_nobody_elses_interval():
    """Eight bots, 100 sets a pair; the eighth scores 0 of 700, as one that crashes in every deal does."""
    rng = random.Random(8)
    level = simulated(rng, [0.0] * 7, 100)
    lost = [duel(other, 7, *[4] * 100) for other in range(7)]
    alone, *_ = fit_ratings(7, level)
    *seven, loser = fit_ratings(8, [*level, *lost])
    assert loser.high - loser.low > 500
    for one in seven:
        assert one.high - one.low == pytest.approx(alone.high - alone.low, rel=0.15)


def test_who_never_played_moves_no_interval_by_hand():
    """It tells nothing, so the two others' intervals are those they have alone."""
    scores = duel(0, 1, 4, 2, 2, 0, 4)
    alone, together = fit_ratings(2, [scores]), fit_ratings(3, [scores])
    for one, other in zip(alone, together[:2], strict=True):
        assert other.elo == one.elo
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.04)


def test_with_one_who_loses_everything_the_others_are_still_covered():
    """About the mean of the field that they were measured against, the loser having next to no weight."""
    rng = random.Random(95)
    true = [0.15, 0.05, -0.05, -0.15]
    covered = 0
    for _ in range(60):
        duels = [*simulated(rng, true, 60), *(duel(other, 4, *[4] * 60) for other in range(4))]
        ratings = fit_ratings(5, duels)[:4]
        mean = sum(one.elo for one in ratings) / 4
        covered += sum(
            one.low - mean <= ELO * strength <= one.high - mean
            for one, strength in zip(ratings, true, strict=True)
        )
    assert covered / 240 >= 0.91


@pytest.mark.sample
@pytest.mark.parametrize("wins", [0.0025, 0.01, 0.05])
def test_beside_a_hopeless_bot_a_rating_and_its_interval_have_one_centre(wins):
    """Seven bots 15 Elo apart and one that wins so many of its deals, 100 sets a pair, 100 tournaments.

    About the plain mean of all the shown intervals held 60, 81 and 92 % of the ratings.
    """
    rng = random.Random(17)
    true = [15 * (3 - number) / ELO for number in range(7)]
    true.append(math.log(wins / (1 - wins)))
    expected = [[1 / (1 + math.exp(other - one)) for other in true] for one in true]
    known = [
        sum(p * (1 - p) for at, p in enumerate(row) if at != number) for number, row in enumerate(expected)
    ]
    mean = sum(weight * one for weight, one in zip(known, true, strict=True)) / sum(known)
    inside = 0
    for _ in range(100):
        ratings = fit_ratings(8, simulated(rng, true, 100))[:7]
        inside += sum(
            one.low <= ELO * (theta - mean) <= one.high for one, theta in zip(ratings, true, strict=False)
        )
    assert 0.92 <= inside / 700 <= 0.98
