"""The two reports of a contest: to whom they are told, in the contract and in the terminal."""

import json

import pytest

from maumau.errors import NotAllowed, NotYours
from tests.support.arenas.tournament import ADMIN
from tests.tournament.test_nonce import terminal

pytestmark = pytest.mark.long
DATABASES = ["sqlite"]  # no store asks anything new
CUP = {"block": 40, "cap": 40}


@pytest.fixture(scope="module")
def house(start):
    with start() as arena:
        yield arena


@pytest.fixture(scope="module")
def cup(house):
    """Return a decided contest: bots 1 and 3 are the same player."""
    name = house.begin("first", "random", "first", **CUP)
    house.finish(name)
    return name


def test_who_plays_alike_to_the_letter_is_told_with_the_match(house, cup):
    found = house.admin.fairness(cup)
    first, *rest = found.alike
    assert (first.first, first.second, first.deals, first.changed, first.share) == (1, 3, 40, 0, 1.0)
    assert first.named
    assert not any(one.named for one in rest)
    assert found.pairs_compared == 3
    (match,) = [match for match in house.admin.matches(cup) if match.label == first.label]
    assert {match.first, match.second} == {1, 3}


def test_help_is_tested_for_each_two_and_nobody_is_named(house, cup):
    found = house.admin.fairness(cup)
    assert found.help_tests == len(found.helps) == 6
    assert not any(one.named for one in found.helps)
    labels = {match.label for match in house.admin.matches(cup)}
    assert all(set(one.matches) < labels and one.sets == 40 for one in found.helps)


def test_only_its_organiser_and_admins_are_told(house, cup):
    author, _ = house.author()
    with pytest.raises(NotAllowed):
        author.fairness(cup)
    _, account = house.author()
    other = house.admin.with_token(house.admin.create_token(account, ("organiser",)).token)
    with pytest.raises(NotYours):
        other.fairness(cup)


def test_before_the_first_set_there_is_nothing_to_tell(house):
    name = house.begin("first", "random", **CUP)
    found = house.admin.fairness(name)
    assert (found.helps, found.alike, found.help_tests, found.pairs_compared) == ((), (), 0, 0)


def test_the_terminal_shows_both_and_says_them_as_json(house, cup, tmp_path):
    admin = terminal(house, tmp_path / "admin", ADMIN)
    said = admin.run("tournament", "fairness", cup).out
    assert "who helps whom" in said
    assert "who copied whom" in said
    assert "Neither is a verdict" in said
    told = json.loads(admin.run("tournament", "fairness", cup, "--json").out)
    assert told["tournament"] == cup
    assert told["copies"][0]["decisions"]["named"]
    assert {"name", "account"} == told["copies"][0]["first"].keys()
    assert len(told["unreadable"]) == 3  # their programs are one line each
