"""The race: chances by hand, batches that depend on complete batches alone, disturbed races, exports."""

import math
import random

import pytest

from maumau.contest.export.verify import verify
from maumau.contest.format.race_chance import FEW, NONE, Totals, add_sets, choose_pairs, estimate
from maumau.contest.judge import judge_match
from maumau.contest.rehearsal.play import play_contests
from maumau.contest.rehearsal.set_score import model_scores
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.score import SetScore
from maumau.contest.spec.spec import parse_spec
from maumau.contest.statistics.rating import Duel, compute_posterior
from maumau.contest.statistics.sequential import Sums
from maumau.errors import BadSpec
from tests.contest.conftest import SECRET, Arena, entrants
from tests.contest.field import field
from tests.contest.round_hall import RoundHall

EVERYBODY = tuple(range(6))


def make_spec(keys="budget = 300\nsets = 5", more=""):
    text = f'name = "cup"\nrules = "prsi"\n[[stage]]\nformat = "race"\n{keys}\n{more}'
    return parse_spec(f"{text}\n[entries]\nmost = 64\n")


def decide(spec, plan, rng):
    """Return the verdict of a match of random sets, in which the lower number is a little better."""
    better = plan.first < plan.second
    scores = rng.choices([0, 2, 4], [1, 6, 2] if better else [2, 6, 1], k=spec.choose_match(plan.stage).cap)
    return judge_match(spec, plan, [SetScore(n, h, (0, 0), 0) for n, h in enumerate(scores)])


def play(spec, count, rng, pick=lambda matches: matches[:1]):
    """Play a race; `pick` says which of the open matches come in next."""
    results = {}
    while not (now := advance_schedule(spec, field(count), results.values())).done:
        results |= {one.label: decide(spec, one, random.Random(one.label)) for one in pick(now.matches)}
    return now


def test_of_two_the_chance_is_that_of_a_normal_distance():
    """The strengths apart, in deviations of the difference; then the error function."""
    sums = Sums(4, 100, 230, 700)
    posterior = compute_posterior(2, [Duel(0, 1, sums)])
    spread = posterior.covariance
    variance = spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]
    far = (posterior.theta[0] - posterior.theta[1]) / math.sqrt(variance)
    found = estimate(2, Totals(((0, 1, sums),)), (0, 1))
    assert found.leader == 0
    assert found.chances[0] == round((1 + math.erf(far / math.sqrt(2))) / 2, 4)
    assert sum(found.chances) == pytest.approx(1, abs=1e-3)


def test_before_the_first_set_all_chances_are_equal_and_all_meet():
    assert estimate(6, NONE, EVERYBODY).chances == (0.1667,) * 6
    pairs = choose_pairs(6, NONE, EVERYBODY, 1, 20)
    assert sorted(place for pair in pairs for place in pair) == list(EVERYBODY)


def test_once_few_can_be_the_best_the_leader_meets_them():
    """0 is far ahead of 3, 4, 5 and near 1 and 2; so it meets 1 and 2 only."""
    close, far = Sums(4, 400, 820, 2000), Sums(4, 400, 1200, 4000)
    met = ((0, 1, close), (0, 2, close), *((0, other, far) for other in (3, 4, 5)))
    totals = add_sets(NONE, met)
    pairs = choose_pairs(6, totals, EVERYBODY, 9, 20)
    assert {frozenset(pair) for pair in pairs} == {frozenset((0, 1)), frozenset((0, 2))}
    assert sum(chance > 0.05 for chance in estimate(6, totals, EVERYBODY).chances) <= FEW
    assert choose_pairs(6, totals, (3,), 9, 20) == ()


def test_the_sums_of_a_pair_are_those_of_its_lower_place_whoever_sits_first():
    found = add_sets(NONE, ((1, 0, Sums(4, 2, 6, 20)), (0, 1, Sums(4, 1, 4, 16))))
    assert found.lines == ((0, 1, Sums(4, 3, 6, 20)),)  # 8 - 6 and 20 - 48 + 32 of 0, then 4 and 16


@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_results_and_no_number_of_workers_changes_a_race(seed):
    """One result at a time, all at once, or some at random: a match's sets depend on its label alone."""
    spec, rng = make_spec(), random.Random(seed)
    whole = play(spec, 7, rng, pick=lambda matches: matches)
    assert play(spec, 7, rng, pick=lambda matches: rng.sample(matches, rng.randint(1, len(matches)))) == whole
    assert play(spec, 7, rng, pick=lambda matches: matches[-1:]) == whole


def test_a_batch_is_chosen_only_when_the_one_before_is_complete():
    spec = make_spec()
    first = advance_schedule(spec, field(6), [])
    part = [decide(spec, one, random.Random(1)) for one in first.matches[1:]]
    now = advance_schedule(spec, field(6), part)
    assert [one.name for one in now.draws[0].rounds] == ["batch 1"]
    assert now.draws[0].race == ()
    assert now.matches == first.matches[:1]


def test_out_of_budget_the_best_estimate_wins_and_its_chance_is_known():
    now = play(make_spec("budget = 60\nsets = 5\nsure = 0.9999"), 6, random.Random(1), lambda found: found)
    (draw,) = now.draws
    assert sum(len(one.matches) for one in draw.rounds) == 12
    assert draw.race[-1].sets == 60
    assert now.table[0].entrant == draw.race[-1].leader
    assert now.table[0].rule == "race"
    assert draw.race[-1].chance == max(draw.race[-1].chances) < 0.9999


def chaos(spec, count, rng):
    """Play with departures and retakes at random moments, then to the end; return the last plan."""
    players, results = field(count), {}
    for _ in range(25):
        now = advance_schedule(spec, players, results.values())
        gone = {one.number for one in players if one.withdrawn or one.disqualified}
        assert not [one for one in now.matches if gone.intersection(one.players)]
        assert bool(now.matches) != now.done
        results |= {one.label: decide(spec, one, rng) for one in now.matches if rng.random() < 0.7}
        if results and rng.random() < 0.1:
            del results[rng.choice(sorted(results))]
        if rng.random() < 0.1:
            out = rng.choice([{"withdrawn": {1}}, {"disqualified": {2}}, {"withdrawn": set(range(1, count))}])
            players = field(count, **out) if not gone else players
    while (now := advance_schedule(spec, players, results.values())).matches:
        results |= {one.label: decide(spec, one, rng) for one in now.matches}
    shuffled = rng.sample(sorted(results), len(results))
    assert advance_schedule(spec, players, [results[label] for label in shuffled]) == now
    return now


@pytest.mark.parametrize("count", [2, 3, 5, 9])
def test_a_disturbed_race_ends_and_places_everybody_once(count):
    for seed in range(3):
        now = chaos(make_spec(), count, random.Random(100 * count + seed))
        assert now.done
        assert sorted(row.entrant for row in now.table) == list(range(1, count + 1))
        gone = {one.number for one in now.entrants if one.withdrawn or one.disqualified}
        behind = [row.entrant in gone for row in now.table]
        assert behind == sorted(behind)


@pytest.mark.long
@pytest.mark.parametrize("count", [4, 6, 16, 33, 64])
def test_a_large_disturbed_race_ends_too(count):
    assert chaos(make_spec("budget = 2000\nsets = 5"), count, random.Random(count)).done


@pytest.mark.parametrize("count", [5, 7])
@pytest.mark.parametrize("played", [1, 2])
def test_who_sat_out_and_leaves_undoes_nothing_that_was_played_of_a_batch(count, played):
    """A bot chooses when it leaves: a batch that went badly must not be drawn anew for it."""
    spec, results = make_spec("budget = 300\nsets = 5\nsure = 0.9999"), {}
    for batch in (1, 2, 3):
        now = advance_schedule(spec, field(count), results.values())
        last = [decide(spec, one, random.Random(one.label)) for one in now.matches]
        results |= {one.label: one for one in (last if batch < 3 else last[-played:])}
    before = advance_schedule(spec, field(count), results.values()).draws[0].rounds
    assert len(before) >= 3
    for drawn in before[1:3]:
        seated = {one for match in drawn.matches for one in match.players}
        for gone in set(range(1, count + 1)) - seated:
            rounds = advance_schedule(spec, field(count, withdrawn={gone}), results.values()).draws[0].rounds
            assert [one.matches for one in rounds[:2]] == [one.matches for one in before[:2]]
            standing = {one.label: one.players for one in rounds[2].matches}
            third = [
                one for one in results.values() if one.label.startswith("1.3.") and gone not in one.players
            ]
            assert all(standing.get(one.label) == one.players for one in third)


def test_who_leaves_after_its_race_is_over_changes_no_batch():
    """In a second stage the winner leaves: the race before it stands."""
    more = '[[stage]]\nformat = "single_elimination"\nseeds = "previous"\ntake = 4\n'
    spec, results = make_spec(more=more), {}
    while len((now := advance_schedule(spec, field(6), results.values())).draws) == 1:
        results |= {one.label: decide(spec, one, random.Random(one.label)) for one in now.matches}
    leader = now.draws[0].race[-1].leader
    after = advance_schedule(spec, field(6, withdrawn={leader}), results.values())
    assert after.draws[0] == now.draws[0]
    assert len(after.draws) == 2


def test_the_matches_of_a_race_can_be_foreseen_within_its_budget():
    assert len(foresee_matches(make_spec(), field(6), [])) <= 60


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("", "so it needs a budget of deal sets"),
        ("budget = 10", "less than one match of 20"),
        ("budget = 1000000\nsets = 5", "more than 20,000 matches"),
        ("budget = 500\nsure = 0.4", "sure"),
        ("budget = 500\nthird_place = true", "third_place belongs to single_elimination"),
    ],
)
def test_a_race_that_cannot_be_run_is_refused_in_words(keys, words):
    with pytest.raises(BadSpec, match=words):
        make_spec(keys)


@pytest.mark.parametrize("change", [{}, {"withdrawn": [1], "after": 2}, {"disqualified": [2], "after": 3}])
def test_an_export_of_a_race_agrees(tmp_path, change):
    spec = make_spec("budget = 40\nsets = 5", "[match]\nblock = 4\ncap = 8\n")
    arena = RoundHall(spec, 4)
    path = tmp_path / "race.export.jsonl"
    arena.write(path, arena.run(**change))
    assert verify(path).differences == ()


def test_a_forged_chance_is_found(tmp_path):
    arena = Arena(make_spec("budget = 10\nsets = 5"), SECRET, entrants(2))
    path = tmp_path / "race.export.jsonl"
    arena.write(path, arena.run())
    text = path.read_text()
    assert '"kind":"race"' in text
    path.write_text(text.replace('"kind":"race","stage":1', '"kind":"race","stage":2'))
    assert not verify(path).ok


@pytest.mark.long
def test_a_race_names_the_best_of_sixteen_within_the_games_that_were_asked():
    """Mean games at most 6,000 and right in 95 %, by the real schedule; 24 runs, so 90 % is enough here."""
    np = pytest.importorskip("numpy")
    from bench.support.field import spread_strengths
    from maumau.contest.statistics.rating import ELO

    rng = np.random.default_rng(5)
    best_first = spread_strengths() * ELO
    strengths = np.stack([rng.permutation(best_first) for _ in range(24)])
    played = play_contests(make_spec("budget = 15000"), model_scores("win", 0.07), strengths, rng)
    assert np.mean([2 * one.sets for one in played]) <= 6000
    right = [row[one.order[0] - 1] == best_first[0] for row, one in zip(strengths, played, strict=True)]
    assert np.mean(right) >= 0.9
