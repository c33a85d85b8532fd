"""Matches that end by a count of deal sets: fixed ones, and those to a number of wins."""

import numpy as np
import pytest

from maumau.contest.export.verify import verify
from maumau.contest.format.match import MatchPlan
from maumau.contest.judge import judge_blocks, judge_match
from maumau.contest.rehearsal.match import FIRST_TO, play_matches
from maumau.contest.rehearsal.set_score import model_scores
from maumau.contest.score import SetScore, add_up
from maumau.contest.spec.spec import build_spec, parse_spec
from maumau.errors import BadSpec
from tests.contest.conftest import SECRET, Arena, entrants

UNIT = 4


def make_spec(match, stage='format = "round_robin"'):
    return parse_spec(f'name = "cup"\nrules = "prsi"\n[[stage]]\n{stage}\n[match]\n{match}\n')


def plan(*, bracket=False):
    return MatchPlan("1.1.1", 1, 1, 1, 1, 2, bracket, 2)


def decide(spec, scores, *, bracket=False):
    """Return the verdict after sets with these scores of the first, 0 to 4."""
    return judge_match(spec, plan(bracket=bracket), [SetScore(n, h, (0, 0), 0) for n, h in enumerate(scores)])


def test_a_fixed_match_is_won_by_who_is_ahead_after_its_last_set():
    spec = make_spec('kind = "fixed"\nsets = 20')
    assert (spec.match.block, spec.match.cap) == (20, 20)
    found = decide(spec, [3] + 19 * [2])
    assert (found.rule, found.winner, found.counted) == ("fixed", 1, 20)
    assert decide(spec, 20 * [4]).winner == 1
    assert not decide(spec, 19 * [4]).decided


def test_no_lead_ends_a_fixed_match_before_its_last_block():
    spec = make_spec('kind = "fixed"\nsets = 40\nblock = 20')
    assert not decide(spec, 20 * [4]).decided


def test_a_tie_of_a_fixed_match_is_level_and_in_a_bracket_goes_on_for_ten_blocks():
    spec = make_spec('kind = "fixed"\nsets = 20\nblock = 10')
    assert decide(spec, 20 * [2]).rule == "tie"
    assert decide(spec, 20 * [2]).winner is None
    assert not decide(spec, 20 * [2], bracket=True).decided
    ahead = decide(spec, [*(20 * [2]), 1, *(9 * [2])], bracket=True)
    assert (ahead.rule, ahead.winner) == ("sudden death", 2)
    assert decide(spec, 120 * [2], bracket=True).rule == "seed"


def test_the_interval_of_a_fixed_match_is_that_of_its_mean():
    """Σx = 12.5 of 20, Σ(x - m)² = 7.5·... as `Sums.interval` says it: nothing has stopped the match."""
    found = decide(make_spec('kind = "fixed"\nsets = 20'), [4, 4, 2, 2, 0] * 4)
    assert found.interval == found.sums.interval


def test_who_has_won_so_many_sets_first_has_won_although_the_other_catches_up_in_the_block():
    spec = make_spec('kind = "first_to"\nwins = 2\nblock = 5\ncap = 20')
    found = decide(spec, [4, 2, 4, 0, 0])
    assert (found.rule, found.winner, found.reached, found.wins) == ("first to", 1, 3, (2, 0))
    assert (found.counted, found.total) == (5, 10)
    found = decide(spec, [0, 2, 4, 1, 4])
    assert (found.winner, found.reached, found.wins) == (2, 4, (1, 2))


def test_the_count_goes_on_over_blocks_and_from_an_open_verdict():
    spec = make_spec('kind = "first_to"\nwins = 3\nblock = 2\ncap = 20')
    scores = [4, 0, 2, 4, 0, 4, 0, 0]
    sets = [SetScore(n, h, (0, 0), 0) for n, h in enumerate(scores)]
    blocks = [add_up(sets[at : at + 2], UNIT) for at in range(0, 8, 2)]
    whole = judge_blocks(spec, plan(), blocks)
    assert (whole.winner, whole.reached, whole.wins, whole.counted) == (1, 6, (3, 2), 6)
    early = judge_blocks(spec, plan(), blocks[:2])
    assert (early.rule, early.wins) == ("", (2, 1))
    assert judge_blocks(spec, plan(), blocks, before=early) == whole


def test_at_the_cap_a_match_to_a_number_of_wins_is_level_and_in_a_bracket_goes_to_who_is_ahead():
    spec = make_spec('kind = "first_to"\nwins = 4\nblock = 2\ncap = 4')
    assert decide(spec, [4, 4, 2, 0]).rule == "cap: not separated"
    found = decide(spec, [4, 4, 2, 0], bracket=True)
    assert (found.rule, found.winner) == ("points", 1)


@pytest.mark.parametrize(
    ("match", "words"),
    [
        ('kind = "fixed"', "such as sets = 500"),
        ('kind = "first_to"', "such as wins = 20"),
        ("sets = 200", 'sets belongs to kind = "fixed", and kind is "sequential"'),
        ('kind = "fixed"\nsets = 200\nwins = 3', 'wins belongs to kind = "first_to"'),
        ('kind = "fixed"\nsets = 200\ncap = 300', "ends after its 200 sets"),
        ('kind = "fixed"\nsets = 101', "without a block of your own 100 or 102 can be played"),
        ('kind = "fixed"\nsets = 200\nblock = 30', "possible are 180 and 210"),
        ('kind = "fixed"\nsets = 200\nalpha = 0.01', "alpha belongs to a sequential match"),
        ('kind = "fixed"\nsets = 200\ndecide = "better"', "decide belongs to a sequential match"),
        ('kind = "first_to"\nwins = 50\ncap = 40', "50 deal sets cannot be won within a cap of 40"),
        ('kind = "first_to"\nwins = 200000', "match.wins"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused_in_words(match, words):
    with pytest.raises(BadSpec, match=words):
        make_spec(match)


def test_tables_of_more_than_two_are_refused():
    with pytest.raises(BadSpec, match="tables of more play sequential matches"):
        make_spec('kind = "fixed"\nsets = 100', 'format = "tables"\nseats = 4')


def test_a_sequential_match_is_bound_and_written_as_before():
    spec = make_spec("block = 50")
    assert spec.shown["match"] == {"block": 50, "delta": 0.025, "alpha": 0.05, "cap": 2000}
    assert "kind" not in spec.to_toml()


@pytest.mark.parametrize("match", ['kind = "fixed"\nsets = 150', 'kind = "first_to"\nwins = 7\ncap = 500'])
def test_a_spec_says_its_kind_of_match_and_is_read_again_as_it_is(match):
    spec = make_spec(match)
    assert parse_spec(spec.to_toml()) == spec
    assert build_spec(spec.shown, is_export=True).match == spec.match


@pytest.mark.long
@pytest.mark.sample
@pytest.mark.parametrize(
    "match", ['kind = "fixed"\nsets = 10', 'kind = "first_to"\nwins = 2\nblock = 4\ncap = 20']
)
def test_an_export_agrees_and_a_winner_that_was_not_first_is_found(tmp_path, match):
    spec = make_spec(match, 'format = "single_elimination"')
    arena = Arena(spec, SECRET, entrants(3))
    results = arena.run()
    path = tmp_path / "cup.export.jsonl"
    arena.write(path, results)
    assert verify(path).differences == ()


def test_a_rehearsed_match_to_a_number_of_wins_ends_with_them():
    """In a block in which both have enough, whoever came first wins: half of the time each."""
    match = make_spec('kind = "first_to"\nwins = 1\nblock = 100\ncap = 100').match
    rng = np.random.default_rng(1)
    ended = play_matches(match, model_scores("win", 0.2), np.full(400, 0.5), np.zeros(400, bool), rng)
    assert set(ended.rule) == {FIRST_TO}
    assert 150 < (ended.won > 0).sum() < 250
