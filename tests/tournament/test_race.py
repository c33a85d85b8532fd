"""A race and a cup of matches to a number of wins in the arena: disturbed, shown, exported, verified."""

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import SECRET, play_until, until

RACE = {"format": "race", "third": "false\nbudget = 60\nsets = 5\nsure = 0.999", "top": SECRET}
FIRST_TO = {"block": 4, "cap": 20, "delta": '0.025\nkind = "first_to"\nwins = 2', "top": SECRET}


def check_export(arena, name, path):
    path.write_bytes(arena.export(name))
    assert verify(path).differences == ()


@pytest.mark.long
def test_a_race_goes_on_without_who_has_left_and_its_chances_are_told(arena, tmp_path):
    name = arena.begin("first", "random", "first", "random", **RACE)
    assert arena.admin.standings(name).race == ()
    play_until(arena, name, "1.2.1")
    (step,) = arena.admin.standings(name).race
    assert (step.stage, step.batch, step.entrants) == (1, 1, (1, 2, 3, 4))
    assert step.chance == max(step.chances)
    arena.admin.withdraw(name, arena.admin.tournament(name).entries[3].bot_name)
    play_until(arena, name, "1.3.1")
    assert 4 not in [one for match in arena.admin.matches(name)[-1:] for one in (match.first, match.second)]
    arena.admin.retake(name, "1.1.1", "a test")
    assert len(arena.admin.standings(name).race) == 0  # the batches after it follow from it
    arena.finish(name)
    assert until(lambda: arena.admin.tournament(name).state == "finished")
    told = arena.admin.standings(name)
    assert told.standings[0].entrant == told.race[-1].leader
    assert told.standings[-1].entrant == 4
    assert {match.sets for match in arena.admin.matches(name)} <= {0, 5}
    check_export(arena, name, tmp_path / "race.jsonl")


@pytest.mark.long
def test_matches_to_a_number_of_wins_are_judged_set_by_set_and_say_how_sure_they_are(arena, tmp_path):
    name = arena.begin("first", "random", "first", **FIRST_TO)
    arena.finish(name)
    assert until(lambda: arena.admin.tournament(name).state == "finished")
    matches = arena.admin.matches(name)
    for match in matches:
        assert match.rule in {"first to", "cap: not separated"}
        assert (max(match.wins) == 2) == (match.rule == "first to") == bool(match.reached)
        assert 0.5 <= match.sure <= 1
        assert match.sets % 4 == 0
        assert match.reached <= match.sets < match.reached + 4 or not match.reached
    assert "first to" in {match.rule for match in matches}
    check_export(arena, name, tmp_path / "cup.jsonl")
