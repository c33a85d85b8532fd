"""Rehearsals: simulated matches end as real ones, forecasts are what can be worked out by hand."""

import math
import random
import statistics
from typing import Annotated

import msgspec
import numpy as np
import pytest
from msgspec import Meta

from maumau.contest.format import FORMATS
from maumau.contest.format.format import Format
from maumau.contest.format.match import MatchPlan
from maumau.contest.format.round_robin import schedule
from maumau.contest.format.stage import Stage
from maumau.contest.judge import WIDEST, judge_blocks, judge_match
from maumau.contest.match_rule import MatchRule
from maumau.contest.rehearsal import match as simulated
from maumau.contest.rehearsal.field import NormalField, RatedField, take_best
from maumau.contest.rehearsal.forecast import estimate_chance
from maumau.contest.rehearsal.match import judge_sums, play_matches, say_verdict
from maumau.contest.rehearsal.other import find_equal_match, list_others, scale_match
from maumau.contest.rehearsal.play import make_entrants, play_contests
from maumau.contest.rehearsal.rehearse import Settings, rehearse_contest
from maumau.contest.rehearsal.set_score import find_variance, model_scores
from maumau.contest.rehearsal.table_match import find_means, find_scatter, find_separated, play_tables
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.score import BlockSums, SetScore, count_units
from maumau.contest.spec.part import Entries
from maumau.contest.spec.spec import Spec, parse_spec
from maumau.contest.statistics.rating import ELO
from maumau.contest.statistics.table_sums import TableSums
from maumau.contest.table_judge import list_level
from maumau.errors import BadRequest, BadSpec

CUP, ROUND_ROBIN = Stage("single_elimination"), Stage("round_robin")
OUTLIER = 2.576
"""The standard errors within which 99 of 100 shares are."""
QUICK = MatchRule(block=10, cap=50, delta=0.1)


def contest(*stages, match=QUICK, **keys):
    return Spec("cup", "prsi", stages, match=match, **keys)


def plan(bracket):
    return MatchPlan("1.1.1", 1, 1, 1, first=3, second=2, bracket=bracket, better_seed=2)


class Recorder:
    """Random numbers that keep what was drawn."""

    def __init__(self, seed):
        self.rng, self.counts = np.random.default_rng(seed), []

    def multinomial(self, size, chances):
        self.counts.append(self.rng.multinomial(size, chances))
        return self.counts[-1]


def random_rule(rng):
    block = rng.choice((1, 3, 10, 50, 100))
    return MatchRule(
        block=block,
        cap=block * rng.choice((1, 2, 5, 20)),
        delta=rng.choice((0.01, 0.025, 0.1, 0.3)),
        alpha=0.05 if (better := rng.random() < 0.3) else rng.choice((0.01, 0.05, 0.2)),
        decide="better" if better else None,
    )


@pytest.mark.sample(50)
@pytest.mark.parametrize("seed", range(150))
def test_a_simulated_match_has_the_verdict_of_the_same_block_sums(seed):
    rng = random.Random(seed)
    rule, mode, bracket = random_rule(rng), rng.choice(("win", "points")), rng.random() < 0.6
    scores = model_scores(mode, rng.choice((0.05, 0.08)))
    drawn = Recorder(seed)
    mean = np.array([rng.choice((0.5, 0.5, 0.52, 0.45, 0.8))])
    ended = play_matches(rule, scores, mean, np.array([bracket]), drawn)
    blocks = [
        BlockSums(rule.block, int(row @ scores.values), int(row @ scores.values**2), 0, 0, 0, 0)
        for (row,) in drawn.counts
    ]
    spec = contest(ROUND_ROBIN, match=rule, score=mode)
    real = judge_blocks(spec, plan(bracket), blocks)
    assert real.decided
    assert real.counted == len(blocks) * rule.block
    told = say_verdict(plan(bracket), ended, 0, scores.unit)
    unseen = {"interval": WIDEST, "llr": 0.0, "wanted": 0, "gains": (), "estimate": 0.5}
    assert msgspec.structs.replace(told, **unseen) == msgspec.structs.replace(real, **unseen)


def test_a_match_of_level_sets_goes_to_the_better_seed_after_sudden_death():
    scores, rule = model_scores("win", 0.00001), MatchRule(block=1, cap=1, delta=0.001)
    better_first = msgspec.structs.replace(plan(bracket=True), better_seed=3)
    ended = play_matches(rule, scores, np.array([0.5]), np.array([True]), np.random.default_rng(1))
    told = say_verdict(better_first, ended, 0, scores.unit)
    assert (told.rule, told.winner, told.counted, told.total) == ("seed", 3, 11, 22)
    real = judge_blocks(contest(CUP, match=rule), better_first, [BlockSums(1, 2, 4, 0, 0, 0, 0)] * 11)
    assert (real.rule, real.winner, real.counted, real.total) == ("seed", 3, 11, 22)


def test_every_rule_decides_where_it_should():
    """Level sets and at most one that is won; blocks and cap of 1 set, then 10 blocks of sudden death."""
    rule = MatchRule(block=1, cap=1, delta=0.001)

    def decide(sets, bracket, won=0):
        total, squares = 2 * (sets - won) + 4 * won, 4 * (sets - won) + 16 * won
        found = judge_sums(rule, 4, sets, np.array([total]), np.array([squares]), np.array([bracket]))
        return simulated.RULES[found[0]]

    assert decide(1, bracket=False) == "cap: not separated"
    assert decide(1, bracket=True, won=1) == "points"
    assert decide(1, bracket=True) == ""
    assert decide(5, bracket=True, won=1) == "sudden death"
    assert decide(10, bracket=True) == ""
    assert decide(11, bracket=True) == "seed"


@pytest.mark.parametrize("decide", [None, "better"])
def test_decisions_in_floating_point_are_those_of_the_exact_test(monkeypatch, decide):
    rule = MatchRule(block=10, cap=2000, delta=0.05, decide=decide)
    rng = np.random.default_rng(5)
    for played in (10, 50, 400):
        counts = rng.multinomial(played, [0.2, 0.55, 0.25], size=400)
        total, squares = counts @ np.array([0, 2, 4]), counts @ np.array([0, 4, 16])
        found = []
        for near in (0.0, 1e9):
            monkeypatch.setattr(simulated, "NEAR", near)
            found.append(judge_sums(rule, 4, played, total, squares, np.zeros(400, bool)))
        assert (found[0] == found[1]).all()
    assert 0 < (found[0] == simulated.SEQUENTIAL).sum() < 400


def test_between_equal_bots_sets_vary_as_they_are_meant_to():
    (chances,) = np.exp(model_scores("win", 0.07).logs)[None]
    assert chances == pytest.approx([0.14, 0.72, 0.14])  # 2 · 0.14 · ¼ = 0.07


def test_the_better_of_two_has_the_score_that_its_rating_expects_and_the_nearest_chances():
    """Tilted by the powers of one number: with ¼, ½, ¼ and a mean of 0.6 these are 0.16, 0.48, 0.36."""
    (chances,) = model_scores("win", 0.125).tilt_scores(np.array([0.6]))
    assert chances == pytest.approx([0.16, 0.48, 0.36])
    assert chances[0] / 0.25 * chances[2] / 0.25 == pytest.approx((chances[1] / 0.5) ** 2)


@pytest.mark.parametrize("variance", [0.00002, 0.006, 0.02])
@pytest.mark.parametrize("mean", [0.5, 0.6])
def test_scores_by_points_have_mean_and_variance(variance, mean):
    scores = model_scores("points", variance)
    (chances,) = scores.tilt_scores(np.array([mean]))
    x = scores.values / scores.unit
    assert chances @ x == pytest.approx(mean, abs=1e-6)
    assert chances @ x**2 - mean**2 == pytest.approx(variance, rel=0.05)


@pytest.mark.long
def test_two_bots_win_as_often_as_can_be_worked_out():
    """A match of one set and ten of sudden death, which the test cannot decide: 0.36 to 0.16, else level."""
    level = 0.48**11
    right = (1 - level) * 0.36 / 0.52 + level / 2
    field = RatedField((ELO * math.log(0.6 / 0.4), 0.0), (0.0, 0.0))
    spec = contest(CUP, match=MatchRule(block=1, cap=1, delta=0.001))
    found = rehearse_contest(spec, field, "two", Settings(runs=1500, variance=0.125, others=False)).contest
    assert found.best_wins.share == pytest.approx(right, abs=3 * math.sqrt(right * (1 - right) / 1500))
    assert found.best_in_three.share == 1
    assert found.unseparated == found.matches == 1


def test_costs_are_those_of_matches_that_end_with_their_first_block():
    field = RatedField((0.0, 900.0, 1800.0, 2700.0), (0.0,) * 4)
    spec = contest(ROUND_ROBIN, match=MatchRule())
    found = rehearse_contest(
        spec, field, "four", Settings(runs=20, ms_per_deal=9.0, workers=3, others=False)
    ).contest
    assert (found.best_wins.share, found.tau, found.regret) == (1, 1, 0)
    assert found.sets.median == found.sets.p90 == 6 * 100
    assert found.core_hours.median == pytest.approx(600 * 2 * 9 / 3_600_000)
    assert found.hours.median == pytest.approx(0.001)
    assert (found.matches, found.unseparated) == (6, 0)


@pytest.mark.long
def test_equal_seeds_give_equal_rehearsals_and_others_do_not():
    spec, field = contest(CUP), NormalField(5, 30.0)
    first = rehearse_contest(spec, field, "five", Settings(runs=15, seed=3))
    assert first == rehearse_contest(spec, field, "five", Settings(runs=15, seed=3))
    assert first.contest != rehearse_contest(spec, field, "five", Settings(runs=15, seed=4)).contest
    assert (
        first.contest
        == rehearse_contest(spec, field, "five", Settings(runs=15, seed=3, others=False)).contest
    )


@pytest.mark.long
def test_large_fields_are_played_in_smaller_batches():
    """Batches are smaller for large fields; all contests are played, each with every bot in its table."""
    strengths = NormalField(40, 30.0).draw_strengths(100, np.random.default_rng(1))
    told = []
    found = play_contests(
        contest(CUP), model_scores("win", 0.07), strengths, np.random.default_rng(2), told.append
    )
    assert told == [76, 24]  # 60,000 pairs at once, 780 in a contest
    assert all(sorted(one.order) == list(range(1, 41)) and one.matches == 39 for one in found)


@pytest.mark.long
@pytest.mark.parametrize("bots", [2, 3, 5, 10])
def test_every_registered_format_is_forecast_or_left_out_with_a_reason(bots):
    found = rehearse_contest(contest(CUP, ROUND_ROBIN), NormalField(bots, 30.0), "some", Settings(runs=20))
    shown = [one.formats[0] for one in found.others] + [one.format for one in found.left_out]
    assert sorted(shown) == sorted(FORMATS)
    assert all(one.reason.endswith(".") for one in found.left_out)


def test_the_contests_own_format_is_not_beside_it_unless_it_has_keys():
    assert "single_elimination" not in dict(list_others(contest(CUP), 8))
    third = Stage("single_elimination", third_place=True)
    assert "single_elimination" in dict(list_others(contest(third), 8))


class Piles(Stage, frozen=True, kw_only=True):
    """A stage that cannot do without a key."""

    piles: Annotated[int, Meta(ge=2)]


def refuse_many(stage, where, most):
    if stage.piles * 3 > most:
        raise BadSpec(f"{where}.piles: {stage.piles} piles need {stage.piles * 3} bots, not {most}.")


def register(monkeypatch, **usual):
    made = Format("piles", "piles", "piles", schedule, stage=Piles, usual=usual, check=refuse_many)
    monkeypatch.setitem(FORMATS, "piles", made)


@pytest.mark.long
def test_a_format_that_needs_a_key_is_played_with_its_usual_one(monkeypatch):
    register(monkeypatch, piles=3)
    assert dict(list_others(contest(CUP), 10))["piles"].stages == (Piles("piles", piles=3),)
    found = rehearse_contest(contest(CUP), NormalField(10, 30.0), "ten", Settings(runs=10))
    assert next(one for one in found.others if one.formats == ("piles",)).keys == "piles = 3"


@pytest.mark.long
def test_a_format_that_so_few_cannot_play_is_left_out_in_words(monkeypatch):
    register(monkeypatch, piles=2)
    found = rehearse_contest(contest(CUP), NormalField(4, 30.0), "four", Settings(runs=10))
    said = "stage 1.piles: 2 piles need 6 bots, not 4."
    assert ("piles", said) in [(one.format, one.reason) for one in found.left_out]


def test_a_contest_of_a_format_with_a_key_is_rehearsed_with_it(monkeypatch):
    register(monkeypatch)
    text = 'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "piles"\npiles = 3\n'
    found = rehearse_contest(parse_spec(text), NormalField(9, 30.0), "nine", Settings(runs=10, others=False))
    assert (found.contest.formats, found.contest.keys) == (("piles",), "piles = 3")
    with pytest.raises(BadSpec, match="3 piles need 9 bots, not 8"):
        rehearse_contest(parse_spec(text), NormalField(8, 30.0), "eight", Settings(runs=10))


def test_more_bots_than_may_enter_are_refused():
    spec = contest(CUP, entries=Entries(most=8))
    with pytest.raises(BadSpec, match=r"8 bots may enter this contest, but the field has 9"):
        rehearse_contest(spec, NormalField(9, 30.0), "nine")


def test_a_match_of_four_times_the_length_has_half_the_delta():
    assert scale_match(MatchRule(), 4) == MatchRule(block=400, cap=8000, delta=0.0125)
    assert scale_match(MatchRule(), 0.04) == MatchRule(block=4, cap=80, delta=0.125)


@pytest.mark.parametrize("factor", [1e-6, 0.003, 0.7, 11.3, 1e6])
def test_every_scaled_match_can_be_played(factor):
    rule = scale_match(MatchRule(), factor)
    toml = f"[match]\nblock = {rule.block}\ncap = {rule.cap}\ndelta = {rule.delta}\n"
    assert parse_spec(f'name = "a"\nrules = "prsi"\n{toml}[[stage]]\nformat = "round_robin"\n').match == rule


@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize("wanted", [300.0, 9000.0])
def test_the_length_of_matches_is_found_for_a_cost(power, wanted):
    rule = find_equal_match(MatchRule(), wanted, lambda match: 2000 * (match.cap / 2000) ** power)
    assert 2000 * (rule.cap / 2000) ** power == pytest.approx(wanted, rel=0.03)


@pytest.mark.long
def test_the_other_formats_cost_as_much():
    spec = contest(CUP, match=MatchRule(block=50, cap=1000))
    found = rehearse_contest(spec, NormalField(8, 30.0), "eight", Settings(runs=60))
    assert found.others
    races = [one for one in found.others if one.formats == ("race",)]
    others = [one for one in found.others if one not in races]
    assert all(map(found.is_equal, others))
    assert all(one.sets.mean <= 1.05 * found.contest.sets.mean for one in races)  # ends once it is sure


def test_the_interval_of_a_chance_is_wilsons():
    chance = estimate_chance(8, 10)
    assert (chance.share, chance.low, chance.high) == (0.8, 0.4902, 0.9433)
    assert estimate_chance(10, 10).high == 1


@pytest.mark.parametrize("spread", [0, -3, math.inf, math.nan])
def test_a_spread_that_cannot_be_is_refused(spread):
    with pytest.raises(BadRequest, match="above 0"):
        NormalField(16, spread)


@pytest.mark.parametrize("bots", [-1, 0, 1, 257])
def test_a_field_that_no_contest_can_have_is_refused(bots):
    with pytest.raises(BadRequest, match=f"a field of {bots}: a contest has 2 to 256 bots"):
        NormalField(bots, 30.0)


def test_rated_bots_that_are_all_alike_are_refused():
    with pytest.raises(BadRequest, match="none is the best"):
        RatedField((5.0, 5.0), (0.0, 0.0))


def test_a_ladder_gives_its_best_bots_each_as_uncertain_as_its_interval():
    field = take_best([(0.0, -196.0, 196.0), (50.0, 50.0, 50.0), (-80.0, -90.0, -70.0)], 2)
    assert field.ratings == (50.0, 0.0)
    assert field.errors == pytest.approx((0, 100), abs=0.01)
    drawn = field.draw_strengths(4000, np.random.default_rng(1))
    known = drawn == 50.0
    assert known.sum(axis=1).tolist() == [1] * 4000
    assert known[:, 0].mean() == pytest.approx(0.5, abs=0.03)  # in any order of entry
    assert drawn[~known].std() == pytest.approx(100, rel=0.05)


def test_the_variance_is_given_measured_or_usual_and_says_so():
    assert find_variance(contest(CUP), 0.1).source == "as given"
    assert find_variance(contest(CUP)).source == "measured for prsi"
    assert find_variance(contest(CUP, options={"deck": 32})).source == "measured for prsi without its options"
    own = Spec("cup", "mine", (CUP,), variant_toml="…")
    assert find_variance(own).source == "a usual one; none is measured for mine"
    assert find_variance(contest(CUP, score="points")).value < find_variance(contest(CUP)).value / 5


@pytest.mark.parametrize("variance", [0, -1, 0.25, math.nan])
def test_a_variance_that_cannot_be_is_refused(variance):
    with pytest.raises(BadRequest, match=r"1e-05 to 0\.24"):
        find_variance(contest(CUP), variance)


@pytest.mark.long
@pytest.mark.parametrize(
    ("stage", "sets", "variance", "right"),
    [
        (ROUND_ROBIN, 33, 0.125, 0.76),
        (ROUND_ROBIN, 33, 0.07, 0.89),
        (CUP, 267, 0.125, 0.80),
        (CUP, 267, 0.07, 0.90),
    ],
)
def test_the_best_of_sixteen_wins_as_often_as_in_another_simulation(stage, sets, variance, right):
    """8,000 games of 16 players, the best of whom wins 57.5 %; 240 contests each, single and mirrored deals.

    Its matches have a fixed length, so here the test cannot decide within the cap.
    """
    quantiles = [28.2 * statistics.NormalDist().inv_cdf((rank + 0.5) / 16) for rank in range(16)]
    field = RatedField(tuple(quantiles), (0.0,) * 16)
    spec = contest(stage, match=MatchRule(block=sets, cap=sets, delta=0.0001))
    found = rehearse_contest(spec, field, "16", Settings(runs=500, variance=variance, others=False)).contest
    error = math.sqrt(right * (1 - right) * (1 / 240 + 1 / 500))
    assert found.best_wins.share == pytest.approx(right, abs=OUTLIER * error)


STAGES = {
    "cup": (CUP,),
    "round robin": (ROUND_ROBIN,),
    "both": (ROUND_ROBIN, Stage("single_elimination", "previous")),
}


def draw_sets(rng, mean, count):
    """Return the scores of sets that vary by 0.07 between equal bots: chances 0.14, 0.72, 0.14.

    With these the chances of a set won and a set lost have a product that is the same share of the square of
    a level one's; for the mean that is a quadratic equation.
    """
    share, lead = 4 * (0.14 / 0.72) ** 2, 2 * mean - 1
    level = (1 - math.sqrt(1 - (1 - share) * (1 - lead**2))) / (1 - share)
    chances = [(1 - level - lead) / 2, level, (1 - level + lead) / 2]
    scores = rng.choice([0, 2, 4], count, p=chances).tolist()
    return [SetScore(number, score, (0, 0), 0) for number, score in enumerate(scores)]


def play_for_real(spec, strengths, rng):
    """Return the table and the sets of a contest whose matches are judged as the arena does."""
    players, results = make_entrants(len(strengths)), []
    while not (now := advance_schedule(spec, players, results)).done:
        for one in now.matches:
            mean = 1 / (1 + math.exp((strengths[one.second - 1] - strengths[one.first - 1]) / ELO))
            sets = draw_sets(rng, mean, spec.match.cap + 10 * spec.match.block)
            results.append(judge_match(spec, one, sets))
    return [row.entrant for row in now.table], sum(one.counted for one in results)


@pytest.mark.long
@pytest.mark.parametrize("name", STAGES)
def test_forecasts_are_those_of_200_contests_judged_for_real(name):
    """Chances and mean sets agree within the errors of 200 contests (of 99 %: at most 9 points)."""
    contests, ratings = 200, (40.0, 25.0, 15.0, 0.0, -15.0, -30.0)
    spec = contest(*STAGES[name], match=MatchRule(block=50, cap=400, delta=0.04))
    field = RatedField(ratings, (0.0,) * len(ratings))
    forecast = rehearse_contest(spec, field, "six", Settings(runs=4000, variance=0.07, others=False)).contest
    rng = np.random.default_rng(7)
    wins, threes, sets = 0, 0, []
    for strengths in field.draw_strengths(contests, rng):
        table, played = play_for_real(spec, strengths, rng)
        best = int(strengths.argmax()) + 1
        wins, threes = wins + (table[0] == best), threes + (best in table[:3])
        sets.append(played)
    for hits, chance in ((wins, forecast.best_wins), (threes, forecast.best_in_three)):
        error = math.sqrt(chance.share * (1 - chance.share) * (1 / contests + 1 / 4000))
        assert hits / contests == pytest.approx(chance.share, abs=OUTLIER * max(error, 0.005))
    scatter = float(np.std(sets)) / math.sqrt(contests)
    assert np.mean(sets) == pytest.approx(forecast.sets.mean, abs=OUTLIER * scatter)


@pytest.mark.parametrize("through", [0, 1, 2])
def test_simulated_tables_are_separated_as_their_sums_are_judged(through):
    """Sums of 30 sets in 40 matches, rounded, against the exact test of `list_level`."""
    rng, match = np.random.default_rng(through), MatchRule(block=30, cap=30, delta=0.1)
    means = find_means(rng.normal(0, 0.1, (40, 4)))
    ended = play_tables(match, find_scatter(4, 0.08), means, through, rng)
    totals, products = ended.totals.round(), ended.products.round()
    separated = find_separated(match, 30, totals, products, through)
    for one in range(40):
        pairs = [(a, b) for a in range(4) for b in range(a, 4)]
        rows = tuple(int(products[one][pair]) for pair in pairs)
        table = TableSums(count_units("places", 4), 30, tuple(map(int, totals[one])), rows)
        assert separated[one] == (not list_level(match, table, through))
    assert 0 < separated.sum() < 40


def test_scores_at_simulated_tables_share_all_places():
    """At three seats a deal has 6 points, a set 18; of equals each has 6."""
    means = find_means(np.array([[0.0, 0.0, 0.0], [9.0, 0.0, -9.0]]))
    assert means[0] == pytest.approx([6, 6, 6])
    assert means[1] == pytest.approx([12, 6, 0], abs=0.01)
    ended = play_tables(
        MatchRule(block=50, cap=50), find_scatter(3, 0.08), means, 0, np.random.default_rng(1)
    )
    assert ended.totals.sum(axis=1) == pytest.approx([900, 900])


def test_the_scatter_of_two_is_what_was_measured():
    """A set of two has scores 0, 2, 4 with the variance 16 times that of a set that is worth 1."""
    assert find_scatter(2, 0.08) == pytest.approx(16 * 0.08, rel=0.03)


@pytest.mark.long
@pytest.mark.parametrize(
    "stage", ['format = "tables"\nseats = 3', 'format = "single_elimination"\nseats = 4\nthrough = 2']
)
def test_contests_at_tables_are_forecast_beside_the_formats_with_as_many_seats(stage):
    spec = parse_spec(
        f'name = "c"\nrules = "prsi"\n[[stage]]\n{stage}\n[match]\nblock = 10\ncap = 50\ndelta = 0.1'
    )
    found = rehearse_contest(spec, NormalField(6, 60), "six", Settings(runs=20))
    assert found.contest.sets.mean > 0
    assert 0.3 < found.contest.best_wins.share <= 1
    assert {one.formats[0] for one in found.others} == {"tables", "single_elimination"} - (
        {"tables"} if "tables" in stage else set()
    )
    reasons = [one.reason for one in found.left_out if one.format == "swiss"]
    assert len(reasons) == 1
    assert "2 sit at its tables, not" in reasons[0]
