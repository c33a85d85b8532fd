"""Cuts: `take` lets the top of the table so far play on."""

import random

import pytest

from maumau.contest.export.verify import verify
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.spec.spec import parse_spec
from maumau.errors import BadSpec
from tests.contest.field import chaos, field, make_spec, play

ROBIN = 'format = "round_robin"'


def cup(take):
    return f'format = "single_elimination"\nseeds = "previous"\ntake = {take}'


def rows(plan):
    return [(row.entrant, row.rule) for row in plan.table]


def test_the_others_keep_their_places_behind_those_who_are_taken():
    """Of five, in the order of entry, two play the final; they exchange places, nobody else does."""
    spec = make_spec(ROBIN, cup(2))
    upset = {"2.1.1": 2}
    plan = advance_schedule(spec, field(5), play(spec, field(5), upset))
    assert plan.draws[1].seeds == (1, 2)
    assert plan.done
    assert rows(plan) == [(2, "final"), (1, "cut"), (3, "rating"), (4, "rating"), (5, "")]
    assert [row.place for row in plan.table] == [1, 2, 3, 4, 5]


def test_the_table_has_a_cut_while_the_stage_is_played():
    spec = make_spec(ROBIN, cup(4))
    results = [one for one in play(spec, field(6)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(6), results)
    assert [(one.first, one.second) for one in plan.matches] == [(1, 4), (2, 3)]
    assert {row.entrant for row in plan.table[:4]} == {1, 2, 3, 4}
    assert rows(plan)[3:] == [(plan.table[3].entrant, "cut"), (5, "rating"), (6, "")]


def test_who_is_cut_plays_in_no_later_stage_either():
    """Six, then four, then those four again, then two; the places behind stay as they were."""
    spec = make_spec(ROBIN, f'{ROBIN}\nseeds = "previous"\ntake = 4', f'{ROBIN}\nseeds = "previous"', cup(2))
    plan = advance_schedule(spec, field(6), play(spec, field(6)))
    assert [draw.seeds for draw in plan.draws] == [(1, 2, 3, 4, 5, 6), (1, 2, 3, 4), (1, 2, 3, 4), (1, 2)]
    assert rows(plan) == [(1, "final"), (2, "cut"), (3, "rating"), (4, "cut"), (5, "rating"), (6, "")]


def test_those_taken_can_be_seeded_by_entry():
    spec = make_spec(ROBIN, f"{ROBIN}\ntake = 3")
    plan = advance_schedule(
        spec, field(6), play(spec, field(6), better=lambda one: one.number != 6 and one.number)
    )
    assert plan.tables[0][0].entrant == 6
    assert plan.draws[1].seeds == (1, 2, 6)


def test_a_smaller_field_plays_whole():
    spec = make_spec(ROBIN, cup(8))
    plan = advance_schedule(spec, field(3), play(spec, field(3)))
    assert plan.draws[1].seeds == (1, 2, 3)
    assert "cut" not in {row.rule for row in plan.table}


def test_whoever_is_disqualified_is_not_taken():
    spec = make_spec(ROBIN, cup(3))
    results = [one for one in play(spec, field(5)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(5, disqualified=[2]), results)
    assert plan.draws[1].seeds == (1, 3, 4)
    assert rows(plan)[2:] == [(plan.table[2].entrant, "cut"), (5, "disqualified"), (2, "")]


def test_whoever_is_withdrawn_is_taken_and_loses_by_a_walkover():
    """Nobody's seed depends on when somebody leaves, so the fourth does not come in for the second."""
    spec = make_spec(ROBIN, cup(3))
    results = [one for one in play(spec, field(5)) if one.label.startswith("1.")]
    plan = advance_schedule(spec, field(5, withdrawn=[2]), results)
    assert plan.draws[1].seeds == (1, 2, 3)
    assert [(one.label, one.winner, one.rule) for one in plan.walkovers] == [("2.1.2", 3, "withdrawn")]


def test_whoever_leaves_after_the_cut_keeps_the_place_of_before():
    spec = make_spec(ROBIN, f'{ROBIN}\nseeds = "previous"\ntake = 2')
    plan = advance_schedule(spec, field(5, withdrawn=[1, 3]), play(spec, field(5)))
    assert [row.entrant for row in plan.table] == [2, 1, 3, 4, 5]


def test_two_play_even_if_all_are_disqualified():
    spec = make_spec(ROBIN, cup(2))
    plan = advance_schedule(spec, field(4, disqualified=[1, 2, 3, 4]), [])
    assert plan.done
    assert len(plan.draws[1].seeds) == 2
    assert len(plan.table) == 4


def test_the_matches_left_are_foreseen_with_the_cut():
    spec = make_spec(ROBIN, cup(4))
    assert len(foresee_matches(spec, field(6), [])) == 15 + 3


@pytest.mark.parametrize(
    ("stages", "words"),
    [
        ((f"{ROBIN}\ntake = 4", cup(2)), "stage 1.take: there is no earlier stage whose table could be cut"),
        ((ROBIN, cup(17)), "stage 2.take: at most 16 can play in stage 1, so stage 2 cannot take 17."),
        ((ROBIN, cup(1)), "stage 2.take: expected a whole number of at least 2, not 1."),
        ((ROBIN, cup(4), cup(6)), "stage 3.take: at most 4 can play in stage 2, so stage 3 cannot take 6."),
    ],
)
def test_a_cut_that_is_none_is_refused(stages, words):
    with pytest.raises(BadSpec) as raised:
        make_spec(*stages)
    assert words in str(raised.value)


def test_a_spec_without_a_cut_is_written_as_before():
    spec = make_spec(ROBIN, cup(4))
    assert spec.shown["stage"] == [
        {"format": "round_robin", "seeds": "entry", "third_place": False},
        {"format": "single_elimination", "seeds": "previous", "third_place": False, "take": 4},
    ]
    assert parse_spec(spec.to_toml()) == spec
    assert spec.to_toml().count("take") == 1


@pytest.mark.long
@pytest.mark.parametrize("case", range(60))
def test_random_histories_end_in_one_table(case):
    rng = random.Random(case)
    count = rng.choice([2, 3, 4, 5, 7, 8, 11, 16, rng.randint(17, 40)])
    second = rng.choice([cup(rng.randint(2, 16)), f"{ROBIN}\ntake = {rng.randint(2, 16)}"])
    chaos(make_spec(ROBIN, second, 'format = "single_elimination"\ntake = 2'), count, rng)


def test_a_contest_with_a_cut_and_two_legs_exports_and_verifies(hold):
    text = """
name = "cut"
rules = "mau_mau"
[[stage]]
format = "round_robin"
legs = 2
[[stage]]
format = "single_elimination"
seeds = "previous"
take = 2
[match]
block = 1
cap = 2
"""
    held = hold(text, 3, withdrawn=[2], after=3)
    report = verify(held.path)
    assert report.differences == ()
