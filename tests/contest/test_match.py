"""A match is decided after a block, in the order of the blocks, by whole numbers alone."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.format.match import MatchPlan
from maumau.contest.judge import judge_blocks, judge_match, walkover
from maumau.contest.match_rule import MatchRule
from maumau.contest.score import SetScore, add_up
from maumau.contest.spec.spec import Spec, Stage
from maumau.contest.statistics.sequential import Sums, compute_bound
from maumau.errors import BadResult

ROUND_ROBIN = MatchPlan("1.1.1", 1, 1, 1, first=3, second=5, bracket=False, better_seed=3)
BRACKET = MatchPlan("2.1.1", 2, 1, 1, first=3, second=5, bracket=True, better_seed=5)


def spec(block=100, cap=2000, delta=0.025, alpha=0.05, score="win"):
    return Spec(
        "cup", "prsi", (Stage("round_robin"),), score=score, match=MatchRule(block, delta, alpha, cap)
    )


def sets(*runs):
    """Return sets from (how many, score) runs: 3 sets of 4, then 2 of 0 is sets((3, 4), (2, 0))."""
    scores = [score for count, score in runs for _ in range(count)]
    return [SetScore(number, score, (score, 4 - score), 0) for number, score in enumerate(scores)]


LEVEL = ((50, 4), (50, 0))
"""A block in which both win as much."""


def definition(scores, unit, delta):
    """Return the design's formula, word for word, in floating point."""
    xs = [score / unit for score in scores]
    n, m = len(xs), sum(xs) / len(xs)
    var = (sum((x - m) ** 2 for x in xs) + 0.25) / (n + 1)
    return 2 * delta * sum(x - 0.5 for x in xs) / var


@given(st.lists(st.integers(0, 4), min_size=1, max_size=300), st.sampled_from([0.01, 0.025, 0.1]))
def test_the_llr_is_the_one_of_the_design(scores, delta):
    exact = Sums(4).add_scores(scores).compute_llr(Fraction(str(delta)))
    assert float(exact) == pytest.approx(definition(scores, 4, delta), rel=1e-9, abs=1e-12)


def test_the_llr_by_hand():
    """Two sets, 1 and ½: m = ¾, Σ(x - m)² = ⅛, var = ⅜ / 3 = ⅛, LLR = 2 · 0.025 · ½ / ⅛ = 0.2."""
    assert Sums(4).add_scores([4, 2]).compute_llr(Fraction("0.025")) == Fraction(1, 5)


def test_the_bound_is_ln_19():
    assert float(compute_bound(Fraction("0.05"))) == math.log(19)


def test_sums_do_not_depend_on_the_order_and_mirror_for_the_second():
    sums = Sums(4).add_scores([4, 0, 3]).join_sums(Sums(4).add_scores([1]))
    assert sums == Sums(4).add_scores([1, 3, 4, 0])
    assert sums.mirrored == Sums(4).add_scores([0, 4, 1, 3])
    assert sums.mirrored.lead == -sums.lead


def test_a_clear_match_ends_after_its_first_block():
    verdict = judge_match(spec(), ROUND_ROBIN, sets((60, 4), (40, 2)))
    assert (verdict.decided, verdict.winner, verdict.rule) == (True, 3, "sequential")
    assert (verdict.counted, verdict.wanted) == (100, 1)
    assert (verdict.total, verdict.squares, verdict.points) == (320, 60 * 16 + 40 * 4, (320, 80))
    assert verdict.estimate == 0.8


def test_the_second_can_win():
    assert judge_match(spec(), ROUND_ROBIN, sets((60, 0), (40, 2))).winner == 5


def test_nothing_is_decided_inside_a_block():
    verdict = judge_match(spec(), ROUND_ROBIN, sets((99, 4)))
    assert (verdict.decided, verdict.counted, verdict.wanted) == (False, 0, 20)
    assert (verdict.estimate, verdict.interval, verdict.llr) == (0.5, (0.0, 1.0), 0.0)


def test_sets_beyond_the_deciding_block_do_not_count():
    short = judge_match(spec(), ROUND_ROBIN, sets((60, 4), (40, 2)))
    assert judge_match(spec(), ROUND_ROBIN, sets((60, 4), (40, 2), (500, 0))) == short


def test_at_the_cap_of_a_round_robin_nobody_is_separated():
    verdict = judge_match(spec(cap=200), ROUND_ROBIN, sets(*LEVEL, (51, 4), (49, 0)))
    assert (verdict.decided, verdict.winner, verdict.rule) == (True, None, "cap: not separated")
    assert (verdict.counted, verdict.wanted) == (200, 2)


def test_at_the_cap_of_a_bracket_more_points_decide():
    verdict = judge_match(spec(cap=200), BRACKET, sets(*LEVEL, (50, 4), (49, 0), (1, 1)))
    assert (verdict.winner, verdict.rule, verdict.counted) == (3, "points", 200)


def test_a_level_bracket_match_goes_on_into_sudden_death():
    verdict = judge_match(spec(cap=200), BRACKET, sets(*LEVEL, *LEVEL))
    assert (verdict.decided, verdict.wanted) == (False, 12)


def test_the_first_lead_after_a_block_ends_sudden_death():
    verdict = judge_match(spec(cap=200), BRACKET, sets(*LEVEL, *LEVEL, (100, 2), (1, 1), (99, 2), (200, 4)))
    assert (verdict.winner, verdict.rule, verdict.counted) == (5, "sudden death", 400)


def test_after_ten_level_blocks_of_sudden_death_the_better_seed_goes_on():
    level = sets(*LEVEL, *LEVEL, (999, 2))
    assert not judge_match(spec(cap=200), BRACKET, level).decided
    verdict = judge_match(spec(cap=200), BRACKET, sets(*LEVEL, *LEVEL, (1000, 2)))
    assert (verdict.winner, verdict.rule, verdict.counted, verdict.wanted) == (5, "seed", 1200, 12)


def test_two_that_play_alike_have_no_variance_and_are_not_separated():
    verdict = judge_match(spec(), ROUND_ROBIN, sets((2000, 2)))
    assert (verdict.rule, verdict.llr, verdict.estimate) == ("cap: not separated", 0.0, 0.5)
    assert verdict.interval[0] < 0.5 < verdict.interval[1]


def test_a_walkover_counts_no_set():
    verdict = walkover(spec(), BRACKET, 5)
    assert (verdict.decided, verdict.winner, verdict.rule, verdict.counted) == (True, 5, "withdrawn", 0)


def test_a_gap_in_the_sets_is_refused():
    with pytest.raises(BadResult) as raised:
        judge_match(spec(), ROUND_ROBIN, [*sets((3, 2)), SetScore(4, 2, (0, 0), 0)])
    assert str(raised.value) == "Set 3 of the match is missing: after 2 comes 4."


def test_a_score_above_its_unit_is_refused():
    with pytest.raises(BadResult) as raised:
        judge_match(spec(), ROUND_ROBIN, sets((1, 5)))
    assert str(raised.value) == "Set 0 scores 5, not 0 to 4."


@pytest.mark.long
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.4, 0.6), st.booleans(), st.integers(1, 8))
def test_no_order_of_the_workers_changes_the_verdict(seed, strength, bracket, ahead):
    """Blocks finish in any order; after each the finished prefix is judged, until one verdict decides."""
    rng = random.Random(seed)
    terms = spec(block=10, cap=100)
    plan = BRACKET if bracket else ROUND_ROBIN
    scores = [2 * (rng.random() < strength) + 2 * (rng.random() < strength) for _ in range(200)]
    all_sets = [SetScore(number, score, (0, 0), 0) for number, score in enumerate(scores)]
    whole = judge_match(terms, plan, all_sets)
    done, running, verdict = set(), set(), judge_match(terms, plan, [])
    while not verdict.decided:
        waiting = [block for block in range(verdict.wanted) if block not in done | running]
        running |= set(waiting[: ahead - len(running)])
        finished = rng.choice(sorted(running))
        running.remove(finished)
        done.add(finished)
        prefix = next(block for block in range(21) if block not in done)
        verdict = judge_match(terms, plan, all_sets[: 10 * prefix])
    assert verdict == whole


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.3, 0.7), st.booleans(), st.lists(st.integers(1, 6), min_size=4))
def test_judging_goes_on_from_an_open_verdict(seed, strength, bracket, steps):
    """Blocks may come in any number at once; points and gains are those of every block that counts."""
    rng = random.Random(seed)
    terms = spec(block=10, cap=100)
    plan = BRACKET if bracket else ROUND_ROBIN
    scores = [2 * (rng.random() < strength) + 2 * (rng.random() < strength) for _ in range(200)]
    all_sets = [SetScore(n, score, (n % 7, n % 5), score - 2) for n, score in enumerate(scores)]
    blocks = [add_up(all_sets[start : start + 10]) for start in range(0, 200, 10)]
    done, verdict = 0, judge_blocks(terms, plan, [], seed_take=3)
    for step in steps:
        done += step
        verdict = judge_blocks(terms, plan, blocks[:done], 3, None if verdict.decided else verdict)
        assert verdict == judge_blocks(terms, plan, blocks[:done], 3)
        counted = all_sets[: verdict.counted]
        assert verdict.points == (sum(s.points[0] for s in counted), sum(s.points[1] for s in counted))
        assert sum(gain for gain, _ in verdict.gains) == sum(s.gain for s in counted)


@pytest.mark.long
def test_the_test_errs_as_seldom_as_it_says():
    """At the edge of the zone (a mean of ½ + δ) at most about alpha of the matches go wrong."""
    rng = random.Random(7)
    terms = spec(block=20, cap=2000, delta=0.05)
    winners = []
    for _ in range(200):
        scores = [2 * (rng.random() < 0.55) + 2 * (rng.random() < 0.55) for _ in range(2000)]
        verdict = judge_match(
            terms, ROUND_ROBIN, [SetScore(n, score, (0, 0), 0) for n, score in enumerate(scores)]
        )
        winners.append(verdict.winner)
    assert winners.count(5) <= 18
    assert winners.count(3) >= 180
