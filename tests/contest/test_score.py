"""Scores of deal sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maumau.contest.score import UNITS, DealScore, count_units, score_set
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


def test_by_points_a_fault_costs_the_full_stake():
    """However the stand-in plays on: it may go out, or the deal may be blocked with equal points."""
    stand_in_out = DealScore((2, 1), (18, 18), (0,))
    assert score_set("points", 0, [stand_in_out, FIRST_WINS_1]).half_points == 0 + 112
    blocked = DealScore((1, 2), (19, 19), (1,))
    assert score_set("points", 0, [FIRST_WINS_0, blocked]).half_points == 130 + 0
    both = DealScore((1, 1), (19, 19), (0, 1))
    assert score_set("points", 0, [both, both]).half_points == 200


places = st.sampled_from([(1, 2), (2, 1), (1, 1)])
points = st.tuples(st.integers(-60, 300), st.integers(-60, 300))
deals = st.builds(DealScore, places, points, st.sampled_from([(), (0,), (1,), (0, 1)]))


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


THREE = [
    DealScore((1, 2, 3), (0, 5, 150)),
    DealScore((1, 1, 1), (7, 7, 9)),
    DealScore((2, 2, 1), (30, 20, 0)),
]


@pytest.mark.parametrize(
    ("mode", "scores"),
    [
        # seat by seat: 6 0 0, 2 2 2, 0 0 6; seating 1 has entrants 1 2 0 in seats 0 1 2, seating 2 2 0 1
        ("win", (6 + 2 + 0, 0 + 2 + 6, 0 + 2 + 0)),
        # 4 2 0, 2 2 2, 1 1 4
        ("places", (4 + 2 + 1, 2 + 2 + 4, 0 + 2 + 1)),
        # leads: A B 5, A C 100 at most, B C 100; none; C A 30, C B 20
        ("points", (405 - 100 + 200 + 180, 295 + 200 + 250, 0 + 200 + 170)),
    ],
)
def test_at_three_seats_each_scores_by_its_seat_in_each_seating(mode, scores):
    found = score_set(mode, 17, THREE, 3)
    assert found.by_entrant(mode) == found.scores
    assert (found.half_points, found.scores) == (scores[0], scores)
    assert found.points == (0 + 9 + 20, 5 + 7 + 0, 150 + 7 + 30)


def test_units_at_two_seats_are_those_of_tournaments():
    assert UNITS == {"win": 4, "places": 4, "points": 400}


@pytest.mark.long
@given(st.sampled_from(["win", "places", "points"]), st.integers(2, 10), st.data())
def test_all_scores_of_a_set_are_the_same_altogether(mode, seats, data):
    marks = st.lists(st.integers(0, 3), min_size=seats, max_size=seats)
    points = st.lists(st.integers(-60, 300), min_size=seats, max_size=seats)
    sets = [data.draw(marks) for _ in range(seats)]
    given = [
        DealScore([1 + sum(other < mark for other in each) for mark in each], data.draw(points))
        for each in sets
    ]
    scores = score_set(mode, 0, given, seats).by_entrant(mode)
    most = count_units(mode, seats)
    assert sum(scores) == (most if mode == "win" else most * seats // 2)
    assert all(0 <= score <= most for score in scores)
    if mode == "places":  # two seats: 4 altogether
        assert sum(scores) == seats * seats * (seats - 1)
