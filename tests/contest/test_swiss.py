"""The Swiss system: rounds by hand, disturbed tournaments, scores."""

import random
import subprocess
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maumau.contest.export.line import ResultLine
from maumau.contest.export.stated import list_stated
from maumau.contest.export.verify import verify
from maumau.contest.format.swiss.pairing import pair_round
from maumau.contest.format.swiss.score import BYE, PlayedRound, SwissMeeting, score_rounds
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadSpec
from tests.contest.conftest import entrants
from tests.contest.round_hall import RoundHall
from tests.contest.swiss import Cup, better_seed, choose_by, make_spec


def test_eight_meet_by_halves_of_equal_points():
    """Upper half against lower half, as in the Dutch system; in round 3 the winners of two meet."""
    cup = Cup(make_spec("rounds = 3"), 8)
    cup.play(better_seed)
    assert cup.rounds == [
        [(1, 5), (2, 6), (3, 7), (4, 8)],
        [(1, 3), (2, 4), (5, 7), (6, 8)],
        [(1, 2), (3, 5), (4, 6), (7, 8)],
    ]
    assert [one.name for one in cup.plan.draws[0].rounds] == ["round 1", "round 2", "round 3"]
    assert cup.plan.done
    assert not any(match.bracket for match in cup.plan.known.values())


def test_a_level_match_gives_half_a_point_to_each():
    """After 1-3 and 2-4, the first level: 2 has a point, 1 and 3 half a one, 4 none; 1 and 3 have met."""
    cup = Cup(make_spec("rounds = 2"), 4)
    cup.play(lambda match: None if match.label == "1.1.1" else better_seed(match))
    assert cup.rounds == [[(1, 3), (2, 4)], [(1, 2), (3, 4)]]


def test_of_an_odd_field_the_last_has_the_bye_then_the_last_of_those_without_one():
    """After 1-3 and 2-4: 1, 2 and 5 have a point; 3 and 4 have none, so that 4 has the next bye.

    One of these must meet 3; 1 has met 3, and 5, who had the bye, would float down twice in a row.
    """
    cup = Cup(make_spec("rounds = 2"), 5)
    cup.play(better_seed)
    assert cup.byes == [5, 4]
    assert cup.rounds[0] == [(1, 3), (2, 4)]
    assert cup.rounds[1] == [(1, 5), (2, 3)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("count", range(2, 18))
def test_by_default_a_field_plays_two_rounds_more_than_a_bracket_and_nobody_meets_again(count):
    rounds = min((count - 1).bit_length() + 2, count - 1 + count % 2)
    for seed in range(8):
        cup = Cup(make_spec(), count)
        cup.play(choose_by(random.Random(seed)))
        pairs = [frozenset(pair) for turn in cup.rounds for pair in turn]
        assert len(cup.rounds) == rounds
        assert len(set(pairs)) == len(pairs)
        assert len(set(cup.byes)) == len(cup.byes) == (rounds if count % 2 else 0)


def test_four_in_four_rounds_end_after_three_since_all_have_met():
    cup = Cup(make_spec("rounds = 4"), 4)
    cup.play(better_seed)
    assert cup.plan.done
    assert len(cup.rounds) == 3


def test_five_in_five_rounds_have_all_met():
    for seed in range(30):
        cup = Cup(make_spec("rounds = 5"), 5)
        cup.play(choose_by(random.Random(seed)))
        assert len({frozenset(pair) for turn in cup.rounds for pair in turn}) == 10
        assert sorted(cup.byes) == [1, 2, 3, 4, 5]


def test_all_of_two_rounds_before_the_last_are_known_only_when_they_are_decided():
    cup = Cup(make_spec(), 4)
    cup.decide("1.1.1", 1)
    assert [match.label for match in cup.plan.matches] == ["1.1.2"]
    cup.decide("1.1.2", None)
    assert [match.label for match in cup.plan.matches] == ["1.2.1", "1.2.2"]
    cup.take_back("1.1.2")
    assert [match.label for match in cup.plan.matches] == ["1.1.2"]


def test_who_goes_keeps_its_match_of_this_round_and_is_in_no_later_one():
    cup = Cup(make_spec(), 8)
    cup.leave(3)
    assert cup.rounds == [[(1, 5), (2, 6), (3, 7), (4, 8)]]
    assert [(one.label, one.winner) for one in cup.plan.verdicts if one.decided] == [("1.1.3", 7)]
    cup.play(better_seed)
    assert sorted({one for turn in cup.rounds[1:] for pair in turn for one in pair}) == [1, 2, 4, 5, 6, 7, 8]
    assert cup.plan.table[-1].entrant == 3
    assert cup.plan.table[-2].rule == "withdrawn"
    assert cup.byes[0] == 8  # 7 has won a walkover, 5 and 6 come before it


def test_who_goes_between_two_rounds_is_not_paired_again_and_gives_nobody_a_point():
    cup = Cup(make_spec(), 4)
    cup.decide("1.1.1", 1)
    cup.leave(1)
    cup.decide("1.1.2", 2)
    assert cup.rounds[1:] == [[(2, 3)]]
    assert cup.byes == [4]
    assert not cup.plan.walkovers


def test_who_goes_while_it_has_the_bye_changes_no_pair():
    for seed in range(10):
        cup = Cup(make_spec(), 13)
        rng = random.Random(seed)
        while len(cup.rounds) < 3:
            match = cup.plan.matches[0]
            cup.decide(match.label, choose_by(rng)(match))
        before = cup.rounds
        cup.leave(cup.byes[-1])
        assert cup.rounds == before


def test_a_stage_whose_entrants_have_gone_but_one_is_over():
    cup = Cup(make_spec(), 5)
    for number in (1, 2, 3, 4):
        cup.leave(number)
    assert cup.plan.done
    assert cup.rounds == [[(1, 3), (2, 4)], [(3, 5)], [(4, 5)]]  # all of them walkovers
    assert cup.plan.table[0].entrant == 5


def test_all_gone_before_the_first_round_leave_nothing_to_play():
    spec = make_spec()
    plan = advance_schedule(spec, entrants(4, withdrawn=[1, 2, 3, 4]), [])
    assert (plan.done, plan.matches, plan.draws[0].rounds) == (True, (), ())


def test_results_of_who_has_gone_stand_in_any_format_wherever_they_come():
    """A round robin asks for no match after the first open one; results there are not stale."""
    spec = parse_spec('name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "round_robin"\n')
    cup = Cup(spec, 4)
    cup.decide("1.3.2", 1)  # 3-1 in the last round
    cup.leave(1)
    assert cup.plan.results["1.3.2"].rule == "sequential"
    assert [one.label for one in cup.plan.verdicts if one.rule == "withdrawn"] == ["1.1.1", "1.2.2"]


def disturb(cup, rng):
    """Do one thing that may happen at any time."""
    here = [one.number for one in cup.entrants if one.number not in cup.gone]
    kind = rng.choice(["decide"] * 8 + ["leave", "disqualify", "take back"])
    stand = [one.label for one in cup.plan.verdicts if one.decided and one.counted]
    if kind == "take back" and stand:
        cup.take_back(rng.choice(stand))
    elif kind in {"leave", "disqualify"} and here:
        cup.leave(rng.choice(here), disqualified=kind == "disqualify")
    elif cup.plan.matches:
        match = rng.choice(cup.plan.matches)
        cup.decide(match.label, choose_by(rng)(match))


def check(cup):
    """No bot that is out plays, none has two byes before all have one, and any order and any call agree."""
    plan = cup.plan
    assert all({match.first, match.second}.isdisjoint(cup.gone) for match in plan.matches)
    for turn in plan.draws[-1].rounds:
        paired = [*turn.byes, *(one for match in turn.matches for one in (match.first, match.second))]
        assert len(set(paired)) == len(paired)
    mixed = random.Random(0).sample(list(cup.results.values()), len(cup.results))
    settled = advance_schedule(cup.spec, cup.entrants, cup.results.values())
    assert advance_schedule(cup.spec, cup.entrants, mixed) == settled
    assert (settled.table, settled.draws, settled.matches) == (plan.table, plan.draws, plan.matches)
    assert not settled.walkovers


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(
    st.integers(2, 14), st.integers(0, 10**6), st.sampled_from(["rating", "points"]),
    st.sampled_from(["", '[[stage]]\nformat = "round_robin"\nseeds = "previous"']),
)  # fmt: skip
def test_a_disturbed_stage_ends_and_its_table_is_that_of_its_results_in_any_order(count, seed, order, more):
    play_disturbed(count, random.Random(seed), order, 30, more if order == "rating" else "")


@pytest.mark.long
@pytest.mark.parametrize("count", [15, 16, 23, 32, 33, 47, 64])
def test_a_large_disturbed_stage_ends_too(count):
    play_disturbed(count, random.Random(count), "points", 150)


def play_disturbed(count, rng, order, events, more=""):
    cup = Cup(make_spec(f'order = "{order}"', more), count)
    for _ in range(events):
        disturb(cup, rng)
        check(cup)
    left = count * (12 + count)
    while cup.plan.matches:
        left -= 1
        assert left
        match = cup.plan.matches[-1]
        cup.decide(match.label, choose_by(rng)(match))
    check(cup)
    assert cup.plan.done
    last = {row.entrant for row in cup.plan.table[count - len(cup.gone) :]}
    assert last == cup.gone


def test_a_result_pairs_no_round_a_second_time():
    cup = Cup(make_spec("rounds = 5"), 32)
    cup.play(better_seed)
    before = pair_round.cache_info().misses
    assert advance_schedule(cup.spec, cup.entrants, cup.results.values()) == cup.plan
    assert pair_round.cache_info().misses == before


def test_all_its_matches_can_be_foreseen():
    assert len(foresee_matches(make_spec("rounds = 4"), entrants(9), [])) == 16


def test_a_later_stage_is_seeded_by_the_table_of_a_swiss_stage():
    cup = Cup(make_spec("", '[[stage]]\nformat = "single_elimination"\nseeds = "previous"'), 8)
    cup.play(lambda match: max(match.first, match.second))
    assert cup.plan.draws[1].seeds == tuple(row.entrant for row in cup.plan.earlier[0])
    assert cup.plan.draws[1].seeds[0] == 8


def meet(label, first, second, winner=None, **more):
    return SwissMeeting(label, first, second, True, winner, **more)


def test_scores_are_those_of_a_hand_written_table():
    """Round 1: A beats C, B and D level. Round 2: A beats B, C beats D. All in halves, quarters at last.

    A has 2 points, B ½, C 1, D ½. A met C and B: 1½; both beaten, 1½. B met D and A: 2½, half of D's ½: ¼.
    C met A and D: 2½, and has beaten D: ½. D met B and C: 1½, half of B's ½: ¼.
    """
    rounds = [
        PlayedRound([meet("1.1.1", 1, 3, 1), meet("1.1.2", 2, 4)]),
        PlayedRound([meet("1.2.1", 1, 2, 1), meet("1.2.2", 3, 4, 3)]),
    ]
    scores = {entrant: line.scores for entrant, line in score_rounds([1, 2, 3, 4], rounds).items()}
    assert scores == {1: (4, 3, 6), 2: (1, 5, 1), 3: (2, 5, 2), 4: (1, 3, 1)}


def test_a_round_without_play_counts_as_one_against_an_opponent_with_ones_own_points():
    """1 beats 2 and has a bye: 2 points; Buchholz 2's ½ and 2 of its own. 3 wins by a walkover: 1 point."""
    rounds = [
        PlayedRound([meet("1.1.1", 1, 2, 1)], byes=[3]),
        PlayedRound([meet("1.2.1", 2, 3, 3, is_walkover=True)], byes=[1]),
        PlayedRound([SwissMeeting("1.3.1", 1, 3)]),
    ]
    lines = score_rounds([1, 2, 3], rounds)
    assert {one: line.scores for one, line in lines.items()} == {1: (4, 4, 8), 2: (0, 4, 0), 3: (4, 8, 16)}
    assert [game and (game.opponent, game.result) for game in lines[1].games] == [(2, 2), (BYE, 2), (3, None)]


def test_by_points_the_table_says_what_puts_each_above_the_next():
    """Four in three rounds: 1 beats all; 2, 3 and 4 beat each other in a circle and have the same scores."""
    cup = Cup(make_spec('rounds = 3\norder = "points"'), 4)
    beats = {(2, 3): 2, (3, 4): 3, (2, 4): 4}
    cup.play(lambda match: beats.get((match.first, match.second), 1))
    first = cup.plan.table[0]
    assert (first.entrant, first.rule) == (1, "points")
    assert {row.entrant for row in cup.plan.table[1:]} == {2, 3, 4}
    assert [len(group.entrants) for group in cup.plan.draws[0].groups] == [1, 3]


def test_by_points_a_bot_with_more_points_is_above_one_with_a_better_rating():
    cup = Cup(make_spec('rounds = 3\norder = "points"'), 8)
    plan = cup.play(better_seed)
    lines = score_rounds(range(1, 9), [
        PlayedRound([meet(one.label, one.first, one.second, plan.results[one.label].winner)
                     for one in turn.matches])
        for turn in plan.draws[0].rounds
    ])  # fmt: skip
    scores = [lines[row.entrant].scores for row in plan.table]
    assert scores == sorted(scores, reverse=True)
    assert {row.rule for row in plan.table} >= {"points", "Buchholz"}


@pytest.mark.parametrize(
    ("most", "keys", "words"),
    [
        (8, "rounds = 8", "8 rounds are more than at most 8 entrants can play without meeting again; 7 are"),
        (7, "rounds = 8", "8 rounds are more than at most 7 entrants can play without meeting again; 7 are"),
        (8, "rounds = 0", "rounds"),
        (256, "rounds = 64", "at most 63"),
        (8, 'order = "luck"', "known: points, rating"),
        (8, "third_place = true", "third_place belongs to single_elimination, not swiss"),
    ],
)
def test_what_cannot_be_played_is_refused(most, keys, words):
    text = f'name = "cup"\nrules = "prsi"\n[entries]\nmost = {most}\n[[stage]]\nformat = "swiss"\n{keys}'
    with pytest.raises(BadSpec, match=words):
        parse_spec(text)


def test_its_keys_are_bound_only_where_they_differ_from_the_defaults():
    [stage] = make_spec().shown["stage"]
    assert stage == {"format": "swiss", "seeds": "entry", "third_place": False}
    [stage] = make_spec('rounds = 4\norder = "points"').shown["stage"]
    assert (stage["rounds"], stage["order"]) == (4, "points")
    spec = make_spec("rounds = 4")
    assert parse_spec(spec.to_toml()) == spec


def test_no_matching_is_loaded_before_a_stage_is_paired():
    code = "import sys, maumau.contest.schedule.advance; sys.exit('rustworkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_few_lines_of_a_forged_file_ask_for_no_rounds():
    """Nine that have gone need four lines a round, one of them having the bye."""

    def state(*lines):
        score = (None, "", 0, 4, 0, 0, (0, 0), 0.5, (0.0, 1.0), "", 0.0)
        found = [ResultLine(f"1.{turn}.{board}", *pair, *score) for turn, board, *pair in lines]
        items = [SimpleNamespace(line=line) for line in found]
        gone = entrants(9, withdrawn=range(1, 10))
        return [
            one.label for one in list_stated(SimpleNamespace(items={"matches": items}), make_spec(), gone)
        ]

    first = [(1, board, 2 * board - 1, 2 * board) for board in range(1, 5)]
    assert state(*first) == ["1.1.1", "1.1.2", "1.1.3", "1.1.4"]
    assert state(*first, (2, 1, 9, 1)) == ["1.1.1", "1.1.2", "1.1.3", "1.1.4", "1.2.1"]
    assert state((63, 1, 9, 1)) == []
    assert state((1, 1, 1, 2), (2, 1, 3, 4), (2, 2, 5, 6)) == []


TOML = 'name = "cup"\nrules = "mau_mau"\n[[stage]]\nformat = "swiss"\n{}\n[match]\nblock = 1\ncap = 2\n'


@pytest.mark.sample(5)
@pytest.mark.parametrize("keys", ["", 'order = "points"'])
@pytest.mark.parametrize(
    ("count", "change"),
    [
        (5, {}),
        (6, {"withdrawn": [1], "after": 2}),
        (6, {"withdrawn": [1], "after": 3}),
        (5, {"withdrawn": [5], "after": 1}),
        (5, {"withdrawn": [1, 2, 3, 4], "after": 3}),
    ],
)
def test_an_export_agrees_also_where_somebody_has_gone(tmp_path, keys, count, change):
    arena = RoundHall(parse_spec(TOML.format(keys)), count)
    results = arena.run(**change)
    path = tmp_path / "cup.export.jsonl"
    arena.write(path, results)
    assert verify(path).differences == ()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(24))
def test_exports_of_many_disturbed_fields_agree(tmp_path, seed):
    rng = random.Random(seed)
    count = rng.randrange(3, 10)
    gone = rng.sample(range(1, count + 1), rng.randrange(1, count))
    cup = '\n[[stage]]\nformat = "single_elimination"\nseeds = "previous"'
    keys = rng.choice(["", 'order = "points"', cup])
    arena = RoundHall(parse_spec(TOML.format(keys)), count)
    results = arena.run(withdrawn=gone, after=rng.randrange(1, 3 * count))
    path = tmp_path / "cup.export.jsonl"
    arena.write(path, results)
    assert verify(path).differences == ()


def test_points_seed_no_later_stage():
    """The bot with the last bye would change its seeds by leaving."""
    later = '[[stage]]\nformat = "single_elimination"\nseeds = "previous"'
    with pytest.raises(BadSpec, match=r"stage 1\.order: points cannot seed the next stage"):
        make_spec('order = "points"', later)
    assert make_spec("", later)
    assert make_spec('order = "points"', later.replace("previous", "entry"))


def test_a_field_that_must_look_far_ahead_is_paired_in_a_bounded_search():
    """Eleven in eleven rounds, of whom one is disqualified: to search to the end would take minutes."""
    cup = Cup(make_spec("rounds = 11"), 11)
    cup.decide(cup.plan.matches[0].label, cup.plan.matches[0].first)
    cup.leave(3, disqualified=True)
    assert cup.play(choose_by(random.Random(1))).done
