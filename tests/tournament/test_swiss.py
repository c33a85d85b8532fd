"""A cup in the Swiss system in the arena, with a withdrawal and a match that is played again."""

from itertools import combinations

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import SECRET, play_until, until

SWISS = {"format": "swiss", "block": 5, "cap": 5, "top": SECRET}


def pairs(arena, name):
    """Return the pairs of each round, and the byes."""
    rounds = arena.admin.bracket(name, 1)
    return [[(one.first, one.second) for one in turn.matches] for turn in rounds], [t.byes for t in rounds]


@pytest.mark.long
@pytest.mark.parametrize("third", ["false", 'false\norder = "points"'], ids=["rating", "points"])
def test_a_cup_of_five_goes_on_without_who_has_left_and_is_verified(arena, tmp_path, third):
    name = arena.begin("first", "random", "crash", "first", "random", **SWISS, third=third)
    play_until(arena, name, "1.2.1")
    before, byes = pairs(arena, name)
    assert before[0] == [(1, 3), (2, 4)]
    assert byes[0] == (5,)
    gone = before[1][0][0]
    arena.admin.withdraw(name, arena.admin.tournament(name).entries[gone - 1].bot_name)
    assert pairs(arena, name)[0][1] == before[1]  # its match of this round is a walkover
    play_until(arena, name, "1.3.1")
    arena.admin.retake(name, "1.1.2", "a test")
    assert len(pairs(arena, name)[0]) == 1  # the rounds after it follow from it
    arena.finish(name)
    found, byes = pairs(arena, name)
    assert not any(gone in pair for turn in found[2:] for pair in turn)
    met = [set(pair) for turn in found[:3] for pair in turn]
    assert all(met.count(pair) == 1 for pair in met)
    stayed = {1, 2, 3, 4, 5} - {gone}
    assert all(set(pair) in [set(one) for turn in found for one in turn] for pair in combinations(stayed, 2))
    assert until(lambda: arena.admin.tournament(name).state == "finished")
    assert arena.admin.standings(name).standings[-1].entrant == gone
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()
