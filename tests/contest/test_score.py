"""What a deal set is worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.contest.score import UNITS, DealScore, score_set
from maumau.errors import BadResult

FIRST_WINS_0 = DealScore((1, 2), (0, 30))
FIRST_WINS_1 = DealScore((2, 1), (12, 0))
SECOND_WINS_1 = DealScore((1, 2), (0, 7))
BLOCKED = DealScore((1, 1), (9, 4))


@pytest.mark.parametrize("mode", ["win", "places"])
@pytest.mark.parametrize(
    ("deals", "half_points", "points"),
    [
        ([FIRST_WINS_0, FIRST_WINS_1], 4, (0, 42)),
        ([FIRST_WINS_0, SECOND_WINS_1], 2, (7, 30)),
        ([FIRST_WINS_0, BLOCKED], 3, (4, 39)),
        ([BLOCKED, BLOCKED], 2, (13, 13)),
        ([BLOCKED, SECOND_WINS_1], 1, (16, 4)),
    ],
)
def test_a_won_deal_counts_two_a_drawn_one_counts_one(mode, deals, half_points, points):
    score = score_set(mode, 17, deals)
    assert (score.number, score.half_points, score.points) == (17, half_points, points)


@pytest.mark.parametrize(
    ("deals", "half_points"),
    [
        ([FIRST_WINS_0, FIRST_WINS_1], 200 + 30 + 12),
        ([FIRST_WINS_0, SECOND_WINS_1], 200 + 30 - 7),
        ([BLOCKED, SECOND_WINS_1], 200 - 7),
        ([DealScore((1, 2), (0, 140)), BLOCKED], 300),
        ([DealScore((1, 2), (2, 0)), BLOCKED], 202),
        ([DealScore((1, 2), (-40, 12)), BLOCKED], 252),
    ],
)
def test_by_points_the_winner_of_a_deal_is_ahead_by_the_difference_at_most_a_hundred(deals, half_points):
    assert score_set("points", 0, deals).half_points == half_points


places = st.sampled_from([(1, 2), (2, 1), (1, 1)])
points = st.tuples(st.integers(-60, 300), st.integers(-60, 300))
deals = st.builds(DealScore, places, points)


@given(st.sampled_from(["win", "places", "points"]), deals, deals)
def test_what_the_first_does_not_get_the_second_gets(mode, one, two):
    """The second's set has the seatings the other way round."""
    first = score_set(mode, 0, [one, two])
    second = score_set(mode, 0, [two, one])
    assert first.half_points + second.half_points == UNITS[mode]
    assert 0 <= first.half_points <= UNITS[mode]
    assert first.points == second.points[::-1]


def test_a_set_without_all_its_seatings_is_refused():
    with pytest.raises(BadResult) as raised:
        score_set("win", 3, [BLOCKED])
    assert str(raised.value) == "Set 3 has 1 deals, not one in each of its 2 seatings."
