"""A cup of two groups and a bracket of three, played by the service: a withdrawal, a retake, the export."""

import pytest

from maumau.contest.export.verify import verify
from maumau.errors import TooFewEntrants, UnknownStage
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN, play_until
from tests.support.terminal import Terminal
from tests.support.waiting import until

POLICIES = ("first", "random", "first", "random", "first", "random")
STAGES = """false
groups = 2
advance = 1
[[stage]]
format = "single_elimination"
seeds = "previous"
take = 3"""
CUP = {"format": "groups", "third": STAGES, "block": 2, "cap": 2}


def play(arena, name, count):
    """Play this many of the blocks that wait."""
    for block in until(lambda: arena.blocks(name, "queued"))[:count]:
        arena.worker.play(block.id)


@pytest.mark.long
def test_a_cup_in_groups_is_played_with_a_withdrawal_and_a_retake(arena, tmp_path):
    name = arena.begin(*POLICIES, **CUP)
    labels = [one.label for one in arena.admin.matches(name)]
    assert labels == ["1.1.1", "1.1.2", "1.2.1", "1.2.2", "1.3.1", "1.3.2"]
    play(arena, name, 2)
    gone = arena.admin.tournament(name).entries[2].bot_name
    arena.admin.withdraw(name, gone)
    play_until(arena, name, "2.1.2")
    before = arena.admin.standings(name, 1).standings
    arena.admin.retake(name, "1.1.1", "a test")
    assert not [one for one in arena.admin.matches(name) if one.label.startswith("2.")]
    arena.finish(name)
    after = arena.admin.standings(name, 1).standings
    final = arena.admin.standings(name).standings
    assert [line.entrant for line in before] == [line.entrant for line in after]
    assert sorted(line.entrant for line in final[:3]) == sorted(line.entrant for line in after[:3])
    assert [line.entrant for line in final[3:]] == [line.entrant for line in after[3:]]
    assert final[2].rule == "cut"
    assert {line.rule for line in after} >= {"place in the group"}
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()
    with refused(UnknownStage, "stage 3"):
        arena.admin.standings(name, 3)
    check_terminal(arena, name, tmp_path)


def check_terminal(arena, name, folder):
    """Check that both groups are shown, with three who go on and the reason of the cut."""
    folder.joinpath("home").mkdir()
    terminal = Terminal(folder / "home", MAUMAU_TOKEN=ADMIN, COLUMNS="200")
    port = arena.address.rpartition(":")[2]
    told = terminal.run("tournament", "show", name, "--arena", f"http://{arena.address},{port}").out
    assert "group A" in told
    assert "group B" in told
    assert told.count("goes on") == 3
    assert "cut" in told


def test_too_few_for_the_groups_cannot_start_and_can_with_one_more(arena):
    name = arena.create(**{**CUP, "third": "false\ngroups = 2"})
    arena.admin.open(name)
    bots = arena.field("first", "random", "first", "random")
    for bot in bots[:3]:
        arena.enter(name, bot)
    with refused(TooFewEntrants, "stage 1: 2 groups need 4 entrants, so that nobody is alone in one"):
        arena.admin.start(name)
    assert arena.admin.tournament(name).state == "open"
    arena.enter(name, bots[3])
    assert arena.admin.start(name).state == "running"
