"""Matchmaking of seekers: worked out by hand."""

from collections import Counter

import pytest

from maumau.contest.ladder.seeking import Seeker, match_seekers


def seeker(name, **fields):
    return Seeker(
        name, fields.pop("pool", "prsi"), fields.pop("seats", 2), fields.pop("account", name), **fields
    )


def groups(*seekers, house=()):
    """Return the groups, without the order of the seats."""
    return [Counter(group) for group in match_seekers(seekers, "x", house)]


def test_two_who_want_the_same_meet_and_others_wait():
    assert groups(seeker("a"), seeker("b"), seeker("c", pool="mau_mau")) == [Counter(["a", "b"])]
    assert groups(seeker("a"), seeker("b", seats=3, pool="three")) == []


def test_who_has_waited_longest_is_served_first_and_meets_the_nearest():
    far, near = seeker("far", rating=80, waited=2), seeker("near", rating=10, waited=1)
    assert groups(seeker("first", rating=0, waited=9), far, near) == [Counter(["first", "near"])]


def test_how_far_others_may_be_away_grows_by_5_elo_a_second_for_each():
    strong = seeker("strong", rating=100, range=40, waited=11)  # reaches 95
    weak = seeker("weak", range=70, waited=5)  # reaches 95
    assert groups(strong, weak) == []
    assert groups(strong._replace(waited=12), weak) == []  # one of them alone
    assert groups(strong._replace(waited=12), weak._replace(waited=6)) == [Counter(["strong", "weak"])]


def test_nobody_plays_a_rated_game_against_a_bot_of_the_same_author():
    mine = [seeker(name, account="ada", rated=True) for name in ("one", "two")]
    assert groups(*mine) == []
    assert groups(*mine, seeker("three", rated=True)) == [Counter(["one", "three"])]
    three = [one._replace(seats=3) for one in (*mine, seeker("three", rated=True))]
    assert groups(*three) == []
    assert groups(*three, seeker("four", rated=True, seats=3)) == [Counter(["one", "three", "four"])]
    assert groups(*(one._replace(rated=False) for one in mine)) == [Counter(["one", "two"])]


def test_house_bots_take_what_is_empty_when_one_has_waited_for_it_long_enough():
    patient = seeker("patient", house_after=10.0, waited=9.0, seats=3)
    assert groups(patient, house={"prsi"}) == []
    due = patient._replace(waited=10.0)
    assert groups(due) == []  # none are there
    assert groups(due, house={"prsi"}) == [Counter({"patient": 1, None: 2})]


def test_who_refuses_house_bots_is_not_seated_with_one():
    due = seeker("due", house_after=0.0, seats=3)
    never = seeker("never", seats=3, waited=50)
    later = seeker("later", house_after=100.0, seats=3)
    assert groups(due, never, house={"prsi"}) == [Counter({"due": 1, None: 2})]
    assert groups(due, later, house={"prsi"}) == [Counter(["due", "later", None])]


def test_nobody_sits_at_two_tables_and_everybody_of_a_full_pool_sits():
    for count in range(2, 30):
        found = match_seekers([seeker(f"s{number}", waited=number) for number in range(count)], str(count))
        seated = [one for group in found for one in group]
        assert len(seated) == len(set(seated)) == count - count % 2


def test_seats_are_drawn_evenly():
    """Of 2,000 tables a seat is one's own in 1,000, give or take 5 standard deviations of 22."""
    first = Counter(match_seekers([seeker("a"), seeker("b")], str(seed))[0][0] for seed in range(2000))
    assert first["a"] == pytest.approx(1000, abs=112)
