"""The number of matches left in a tournament, whoever wins them."""

import pytest
from msgspec.structs import replace

from maumau.contest.entrant import Entrant
from maumau.contest.judge import walkover
from maumau.contest.schedule.advance import advance_schedule
from maumau.contest.schedule.foresight import foresee_matches
from maumau.contest.spec.spec import parse_spec

ROBIN, BRACKET = ('format = "round_robin"',), ('format = "single_elimination"',)
THIRD = (*BRACKET, "third_place = true")


def field(count, gone=()):
    return [Entrant(n, f"bot-{n}", f"{n:064x}", n in gone) for n in range(1, count + 1)]


def spec(*stages):
    lines = "\n".join("\n".join(("[[stage]]", *stage)) for stage in stages)
    return parse_spec(f'name = "cup"\nrules = "mau_mau"\n{lines}')


@pytest.mark.parametrize(
    ("stages", "count", "matches"),
    [
        ((ROBIN,), 4, 6),
        ((ROBIN,), 7, 21),
        ((BRACKET,), 2, 1),
        ((BRACKET,), 7, 6),
        ((THIRD,), 8, 8),
        ((THIRD,), 3, 2),  # there is no fourth
        ((ROBIN, (*THIRD, 'seeds = "previous"')), 5, 15),  # 10 and 4 and one for the third place
    ],
)
def test_a_format_has_so_many_matches(stages, count, matches):
    assert len(foresee_matches(spec(*stages), field(count), ())) == matches


def test_what_is_decided_is_not_left_whoever_won_it():
    cup, bots = spec(THIRD), field(4)
    first = advance_schedule(cup, bots, ()).matches[0]
    for winner in (first.first, first.second):
        left = foresee_matches(cup, bots, [walkover(cup, first, winner)])
        assert [plan.label for plan in left] == ["1.1.2", "1.2.1", "1.2.2"]
        assert winner in {left[1].first, left[1].second}


def test_nobody_plays_against_who_was_withdrawn():
    """Of four, one is gone: his semi-final is none, nor the match for third place that he would be in."""
    left = foresee_matches(spec(THIRD), field(4, gone={4}), ())
    assert [plan.label for plan in left] == ["1.1.2", "1.2.1"]


def test_an_open_match_is_left_with_all_that_was_played_of_it():
    cup, bots = spec(ROBIN), field(2)
    (plan,) = advance_schedule(cup, bots, ()).matches
    half = replace(walkover(cup, plan, 1), decided=False, rule="", winner=None, counted=100)
    assert foresee_matches(cup, bots, [half]) == (plan,)
