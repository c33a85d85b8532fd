"""The interval of a match that stopped early covers what it says."""

import math

import numpy as np
import pytest

from maumau.contest.match_rule import MatchRule, parse_exact
from maumau.contest.statistics.interval import compute_interval, stopped_interval
from maumau.contest.statistics.sequential import Z95, Sums
from tests.support.kinds import one_of


def wald(sums):
    mean, half = sums.total / (sums.sets * sums.unit), Z95 * math.sqrt(sums.variance / sums.sets)
    return mean - half, mean + half


def chances(p, variance):
    """Return the chances of 0, 1 and 2 of 2, with this mean and variance of x; 0.25: no set is level."""
    spread = min(4 * (variance + (p - 0.5) ** 2), 1.0)
    return [(spread - 2 * p + 1) / 2, 1 - spread, (spread + 2 * p - 1) / 2]


def stopped(rng, p, variance, match):
    """Return the sums of a match when its test stops it."""
    bound, sums = math.log(19), Sums(2)
    while sums.sets < match.cap:
        sums = sums.add_scores(
            int(score) for score in rng.choice(3, size=match.block, p=chances(p, variance))
        )
        if abs(2 * match.delta * sums.lead / 4 / float(sums.variance)) >= bound:
            break
    return sums


def coverage(p, variance, matches, match=MatchRule(), seed=1):  # noqa: B008 - a frozen default
    """Return how often the true mean is in the usual interval and in ours, and ours excludes one half."""
    rng = np.random.default_rng(seed)
    usual = ours = better = 0
    for _ in range(matches):
        sums = stopped(rng, p, variance, match)
        (a, b), (low, high) = wald(sums), compute_interval(match, sums)
        usual += a <= p <= b
        ours += low <= p <= high
        better += not low <= 0.5 <= high
    return usual / matches, ours / matches, better / matches


def test_before_a_second_look_it_is_the_usual_one():
    """One block and no stop at its end: 100 sets, 55 won, 45 lost."""
    sums = Sums(2).add_scores([2] * 55 + [0] * 45)
    assert compute_interval(MatchRule(), sums) == pytest.approx(wald(sums), abs=2e-6)
    assert compute_interval(MatchRule(), Sums(2)) == (0.0, 1.0)


def test_from_the_other_side_it_is_the_other_way_round():
    sums = Sums(2).add_scores([2] * 160 + [1] * 100 + [0] * 140)
    low, high = compute_interval(MatchRule(), sums)
    mirrored = compute_interval(MatchRule(), sums.mirrored)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=2e-6)


def test_a_stop_that_equal_bots_often_come_to_does_not_exclude_one_half():
    """At the bound after 300 sets: the usual interval says better, though half of all matches stop so."""
    sums = Sums(2).add_scores([2] * 62 + [1] * 200 + [0] * 38)
    assert wald(sums)[0] > 0.5
    low, high = compute_interval(MatchRule(), sums)
    assert low < 0.5 < high


def test_looks_too_dense_to_matter_are_left_out():
    """A thousand looks, a bound that is never reached: as if there had been one."""
    sums = Sums(2).add_scores([2] * 300 + [1] * 500 + [0] * 250)
    low, high = stopped_interval(sums, range(1, 1050), 1e-6, 0.05)
    assert (low, high) == pytest.approx(wald(sums), abs=1e-4)


def test_after_a_stop_in_the_first_block_the_end_near_one_half_is_that_of_the_stopped_matches():
    """100 sets, 70 won and 30 lost: a lead of 20, and the bound is 12.4.

    Where the true mean is the lower end, a fortieth of the normal leads beyond either bound lie beyond 20.
    The upper end is the usual one.
    """
    sums = Sums(2).add_scores([2] * 70 + [0] * 30)
    low, high = compute_interval(MatchRule(), sums)
    spread, lead = math.sqrt(100 * sums.variance), 20.0
    bound = math.log(19) * float(sums.variance) / 0.05
    beyond = [math.erfc((x - 100 * (low - 0.5)) / spread / math.sqrt(2)) / 2 for x in (lead, bound, -bound)]
    assert beyond[0] / (beyond[1] + 1 - beyond[2]) == pytest.approx(0.025, abs=1e-4)
    assert low < wald(sums)[0]
    assert high == pytest.approx(wald(sums)[1], abs=2e-6)


def first_stops(p, variance, wanted, match=MatchRule(), seed=2):  # noqa: B008 - a frozen default
    """Return the sums of matches that stop at the end of their first block, leaving out all others."""
    rng = np.random.default_rng(seed)
    found: list[Sums] = []
    while len(found) < wanted:
        for _, level, won in rng.multinomial(match.block, chances(p, variance), size=20_000):
            sums = Sums(2, match.block, int(level + 2 * won), int(level + 4 * won))
            if abs(float(sums.compute_llr(parse_exact(match.delta)))) >= math.log(19):
                found.append(sums)
    return found[:wanted]


@pytest.mark.sample
@pytest.mark.parametrize("variance", one_of(2, [0.07, 0.125]))
@pytest.mark.parametrize("p", one_of(3, [0.5, 0.51, 0.55, 0.6, 0.7]))
def test_the_interval_covers_after_a_stop_in_the_first_block(p, variance):
    """The usual one covers 57, 68, 96, 96 and 95 % (variance 0.07): docs/reference/verify.md."""
    matches = first_stops(p, variance, 4000)
    ends = [compute_interval(MatchRule(), sums) for sums in matches]
    assert 0.915 <= sum(low <= p <= high for low, high in ends) / len(ends) <= 0.985


@pytest.mark.long
def test_near_equal_bots_are_covered_after_stopping():
    _, ours, better = coverage(0.5, 0.125, 150)
    assert ours >= 0.9
    assert better <= 0.1


@pytest.mark.long
@pytest.mark.parametrize("variance", [0.07, 0.125, 0.25])
@pytest.mark.parametrize("p", [0.5, 0.51, 0.525, 0.55, 0.6])
def test_the_interval_covers_95_percent_after_stopping(p, variance):
    """1,000 matches a line: three standard errors are 2.1 points. docs/reference/verify.md has the table."""
    _, ours, _ = coverage(p, variance, 1000)
    assert ours >= 0.925
