"""A double elimination on the arena: with a withdrawal and a match taken back, exported and verified."""

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import SECRET, play_until, until
from tests.tournament.test_protest import PROTEST, let_it_be_due, play_all

DOUBLE = {"format": "double_elimination", "block": 2, "cap": 2, "top": SECRET}


def read_matches(arena, name):
    return {one.label: one for one in arena.admin.matches(name)}


def list_losses(matches):
    """Return how often each entrant has lost."""
    lost = [one.first if one.winner == one.second else one.second for one in matches.values()]
    return {number: lost.count(number) for one in matches.values() for number in (one.first, one.second)}


@pytest.mark.long
def test_a_cup_in_two_brackets_ends_verified_after_a_withdrawal_and_a_retake(arena, tmp_path):
    """Seed 2 leaves after the winners' first round; a match of that round is played again."""
    name = arena.begin("first", "random", "crash", "first", **DOUBLE)
    play_until(arena, name, "1.2.1")
    arena.admin.withdraw(name, arena.field("first", "random")[1])
    arena.admin.retake(name, "1.1.1", "a test")
    arena.finish(name)
    matches = read_matches(arena, name)
    assert matches["1.1.1"].take == 2
    assert all(one.state == "decided" for one in matches.values())
    losses = list_losses(matches)
    table = arena.admin.standings(name)
    assert table.final
    assert sorted(losses) == sorted(row.entrant for row in table.standings) == [1, 2, 3, 4]
    assert [losses[row.entrant] for row in table.standings][1:] == [2, 2, 2]
    assert losses[table.standings[0].entrant] < 2
    rounds = [one.name for one in arena.admin.bracket(name)]
    assert rounds[:6] == [
        "winners' round 1", "winners' final", "losers' round 1", "losers' final", "grand final",
        "grand final, again",
    ][: len(rounds)]  # fmt: skip
    assert ("1.6.1" in matches) == (matches["1.5.1"].winner == matches["1.5.1"].second) == (len(rounds) == 6)
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()


def retake_final_until(arena, name, *, is_twice):
    """Play the grand final with fresh seeds until it is, or is not, played a second time."""
    for _ in range(60):
        if ("1.3.1" in read_matches(arena, name)) == is_twice:
            return
        arena.admin.retake(name, "1.2.1", "a test", fresh_seeds=True)
        play_all(arena, name)
    raise AssertionError("sixty grand finals ended alike")


@pytest.mark.long
def test_a_second_grand_final_that_is_no_more_leaves_an_export_that_verifies(arena, tmp_path):
    """The chain has its blocks and its decision, and that it was taken back; the file has no result of it."""
    name = arena.begin("first", "random", **DOUBLE | {"top": PROTEST["top"]})
    play_all(arena, name)
    retake_final_until(arena, name, is_twice=True)
    again = arena.admin.match(name, "1.3.1").match
    assert again.state == "decided"
    retake_final_until(arena, name, is_twice=False)
    assert [one.state for one in arena.admin.takes(name, "1.3.1")][-1] == "withdrawn"
    assert len(arena.admin.bracket(name)) == 2
    let_it_be_due(arena, name)
    until(lambda: arena.admin.tournament(name).state == "finished")
    path = tmp_path / "cup.jsonl"
    path.write_bytes(arena.export(name))
    assert verify(path).differences == ()
    assert '"1.3.1"' not in path.read_text().partition('"kind":"measured"')[0]
    assert "1.3.1 1 retaken" in path.read_text()
