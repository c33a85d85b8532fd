"""Matches that go on until one bot is better: evidence and interval, worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.contest.export.line import result_line
from maumau.contest.judge import judge_match
from maumau.contest.match_rule import MatchRule
from maumau.contest.spec.spec import parse_spec
from maumau.contest.statistics.evidence import cover_always, find_bound, weigh_evidence
from maumau.contest.statistics.interval import compute_interval
from maumau.contest.statistics.sequential import Sums
from maumau.errors import BadSpec
from tests.contest.test_match import ROUND_ROBIN, sets

BETTER = MatchRule(delta=0.05, decide="better")
SIXTY = Sums(4, 100, 240, 960)
"""60 sets of 100 won completely, 40 lost: S = 10, var = (24 + 1/4) / 101, V = 24.0099; r = 5."""


def test_evidence_by_hand():
    """100 / (2 · 29.0099) - ln(29.0099 / 5) / 2 = 1.72355 - 0.87910."""
    assert float(weigh_evidence(BETTER, SIXTY)) == pytest.approx(0.84445, abs=1e-5)
    assert weigh_evidence(BETTER, SIXTY.mirrored) == -weigh_evidence(BETTER, SIXTY)


def test_the_interval_by_hand():
    """Half of it is sqrt(29.0099 · (1.75820 + 5.99146)) / 100 = 0.14994."""
    assert cover_always(BETTER, SIXTY) == pytest.approx((0.45006, 0.74994), abs=1e-5)
    assert compute_interval(BETTER, SIXTY) == cover_always(BETTER, SIXTY)


def test_the_bound_is_ln_20_and_that_of_a_lead_follows_from_alpha():
    assert float(find_bound(BETTER)) == pytest.approx(math.log(20))
    assert float(find_bound(MatchRule())) == pytest.approx(math.log(19))
    assert float(find_bound(MatchRule(alpha=0.2))) == pytest.approx(math.log(4))


def test_without_a_set_nothing_is_known():
    assert weigh_evidence(BETTER, Sums(4)) == 0
    assert cover_always(BETTER, Sums(4)) == (0.0, 1.0)


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.01, 0.025, 0.1]))
def test_a_match_is_decided_exactly_when_its_interval_excludes_one_half(sets, mean, spread, delta):
    """Of sets that score 0, 2 or 4, so that Σh² lies between the least for this Σh and 4 Σh."""
    halves = round(2 * sets * mean)
    least = halves + 2 * max(0, halves - sets)
    squares = 4 * (least + 2 * round(spread * (2 * halves - least) / 2))
    match, sums = MatchRule(delta=delta, decide="better"), Sums(4, sets, 2 * halves, squares)
    decided = abs(weigh_evidence(match, sums)) >= find_bound(match)
    low, high = cover_always(match, sums)
    near = min(abs(low - 0.5), abs(high - 0.5)) < 2e-6  # ends are rounded to six places
    assert near or decided == (low > 0.5 or high < 0.5)


def judged(text, scores):
    spec = parse_spec(f'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n[match]\n{text}')
    return judge_match(spec, ROUND_ROBIN, sets(*scores))


def test_a_match_goes_on_beyond_a_lead_until_one_bot_is_better():
    """Nine sets of ten won.

    LLR: 0.05 · 4 / 0.1045 = 1.9 after 10 sets, 0.05 · 8 / 0.0976 = 4.1 after 20, where ln 19 is 2.9.
    E, with r = 20: 64 / 43.90 - 0.05 = 1.4 after 20, 144 / 45.71 - 0.07 = 3.1 after 30; ln 20 is 3.0.
    """
    scores = [(9, 4), (1, 0)] * 5
    leads = judged("block = 10\ncap = 50", scores)
    better = judged('block = 10\ncap = 50\ndecide = "better"', scores)
    assert (leads.rule, leads.counted) == ("sequential", 20)
    assert (better.rule, better.counted, result_line(better).claim) == ("sequential", 30, "better")


def test_at_its_cap_a_match_is_not_separated():
    found = judged('block = 10\ncap = 20\ndecide = "better"', [(9, 4), (1, 0)] * 2)
    assert (found.rule, result_line(found).claim) == ("cap: not separated", "")


def test_a_spec_without_the_key_is_as_it_was():
    spec = parse_spec('name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n')
    assert "decide" not in spec.to_toml()
    assert set(spec.shown["match"]) == {"block", "delta", "alpha", "cap"}


def test_another_alpha_is_refused():
    with pytest.raises(BadSpec, match=r"match\.alpha: 0\.2 belongs to the test for a lead"):
        judged('decide = "better"\nalpha = 0.2', [(1, 4)])


def test_another_word_is_refused():
    with pytest.raises(BadSpec, match="decide"):
        judged('decide = "best"', [(1, 4)])
