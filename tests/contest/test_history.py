"""The points of a ladder's history that are kept: all new ones, fewer and fewer of the old ones."""

from maumau.contest.ladder.history import STEP, last_point, list_points


def test_four_hours_are_kept_whole_and_every_doubling_of_the_age_keeps_half_as_many():
    """At point 1,000: 953 to 1,000; before that the even ones from 906, those of fours from 812, …"""
    found = list_points(0, 1000)
    assert found[-48:] == list(range(953, 1001))
    assert found[-72:-48] == list(range(906, 953, 2))
    assert found[-96:-72] == list(range(812, 905, 4))
    assert found[-97] == 808


def test_a_point_comes_after_the_first_result():
    assert list_points(10 * STEP, 13) == [11, 12, 13]
    assert list_points(10 * STEP + STEP - 1, 11) == [11]
    assert list_points(11 * STEP, 11) == []
    assert last_point(11 * STEP - 1) == 10


def test_what_is_kept_was_kept_until_now_and_only_the_newest_point_is_new():
    before: set[int] = set()
    for now in range(500, 3000):
        kept = set(list_points(500 * STEP, now))
        assert kept - before <= {now}
        before = kept


def test_ten_years_are_few_points():
    assert len(list_points(0, 10 * 365 * 24 * 12)) < 400
