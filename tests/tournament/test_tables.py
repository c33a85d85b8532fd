"""Cups at tables of more than two, played by the service: departures, a retake, the export, the terminal."""

import json

import pytest

from maumau.contest.export.verify import verify
from tests.support.arenas.tournament import ADMIN, play_all
from tests.support.terminal import Terminal
from tests.support.waiting import until

pytestmark = pytest.mark.long

POLICIES = ("first", "random", "first", "random", "first", "random", "first")
CUP = {"format": "tables", "third": "false\nseats = 3\nrounds = 2", "block": 1, "cap": 2}


def play(arena, name, count):
    """Play this many of the blocks that wait."""
    for block in until(lambda: arena.blocks(name, "queued"))[:count]:
        arena.worker.play(block.id)


def play_match(arena, name, label):
    """Play the blocks of a match until it is decided."""
    while arena.admin.match(name, label).match.state != "decided":
        for block in until(lambda: arena.admin.match(name, label).blocks):
            if block.state == "queued":
                arena.worker.play(block.id)


def find_take(arena, name, label, take):
    """Return this take of a match once it has begun."""
    now = arena.admin.match(name, label).match
    return now if now.take == take else None


def test_a_cup_at_tables_is_played_with_a_withdrawal_and_a_retake(arena, tmp_path):
    """Seven at tables of three and two twos; whoever leaves is replaced by nobody."""
    name = arena.begin(*POLICIES, **CUP)
    matches = arena.admin.matches(name)
    assert [one.label for one in matches] == ["1.1.1", "1.1.2", "1.1.3", "1.2.1", "1.2.2", "1.2.3"]
    assert sorted(len(one.names) for one in matches) == [2, 2, 2, 2, 3, 3]
    whole = next(one for one in matches if one.players)
    play_match(arena, name, whole.label)
    other = next(one for one in matches if one.players and one.label != whole.label)
    gone = next(one for one in whole.players if one.entrant not in other.names)  # that one stays of three
    arena.admin.withdraw(name, gone.bot_name)
    arena.admin.retake(name, whole.label, "a test")
    again = until(lambda: find_take(arena, name, whole.label, 3))  # the second take had the table as it was
    assert set(again.names) == set(whole.names) - {gone.entrant}
    arena.finish(name)
    assert arena.admin.standings(name).standings[-1].entrant == gone.entrant
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()
    check_details(arena, name)
    check_terminal(arena, name, tmp_path)


def check_details(arena, name):
    """Check the places of a table, its sets, a record and the use of banks."""
    table = next(one for one in arena.admin.matches(name) if one.players)
    assert min(one.place for one in table.players) == 1
    assert sum(one.score for one in table.players) == pytest.approx(1.5, abs=1e-5)
    found = arena.admin.match(name, table.label)
    assert not found.walk
    assert len(table.players) == len(table.faults) == 3
    sets = arena.admin.sets(name, table.label)
    assert [len(one.scores) for one in sets] == [3] * table.sets
    assert {one.unit for one in sets} == {12}
    assert {sum(one.scores) for one in sets} == {18}
    assert arena.admin.deal_set(name, table.label, 0).names == tuple(one.bot_name for one in table.players)


def check_terminal(arena, name, folder):
    """Check that the tables of a round are shown with all their bots and places."""
    folder.joinpath("home").mkdir()
    terminal = Terminal(folder / "home", MAUMAU_TOKEN=ADMIN, COLUMNS="200")
    port = arena.address.rpartition(":")[2]
    told = terminal.run("tournament", "show", name, "--arena", f"http://{arena.address},{port}").out
    table = next(one for one in arena.admin.matches(name) if one.players)
    assert all(one.bot_name in told for one in table.players)
    assert "round 1" in told


def test_a_table_of_four_is_played_and_verified(arena, tmp_path):
    name = arena.begin(*POLICIES[:4], format="tables", third="false\nseats = 4", block=1, cap=1)
    before = arena.admin.match(name, "1.1.1").match
    arena.finish(name)
    assert len(before.players) == 4
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    report = verify(tmp_path / "cup.jsonl")
    assert report.differences == ()
    assert report.matches == 1
    assert [line.entrant for line in arena.admin.standings(name).standings[:1]]


def test_a_disqualified_bot_is_taken_out_of_tables_that_were_decided(arena, tmp_path):
    keys = "false\nseats = 3\nrounds = 1\n[schedule]\nprotest_minutes = 60"
    name = arena.begin(*POLICIES[:6], format="tables", third=keys, block=1, cap=1)
    play_all(arena, name)
    first = arena.admin.match(name, "1.1.1").match
    arena.admin.disqualify(name, first.players[1].bot_name, "a test")
    again = until(lambda: find_take(arena, name, "1.1.1", 2))
    assert set(again.names) == set(first.names) - {first.players[1].entrant}
    assert arena.admin.match(name, "1.1.2").match.take == 1
    play_all(arena, name)
    assert arena.admin.standings(name).standings[-1].rule == ""


def test_a_knock_out_at_tables_is_played_and_verified(arena, tmp_path):
    """Of seven two tables of four and three let two go on each; one leaves the open final."""
    keys = "false\nseats = 4\nthrough = 2\n"
    name = arena.begin(*POLICIES, format="single_elimination", third=keys, block=1, cap=2)
    assert [len(one.names) for one in arena.admin.matches(name)] == [4, 3]
    for label in ("1.1.1", "1.1.2"):
        play_match(arena, name, label)
    final = until(lambda: find_take(arena, name, "1.2.1", 1))
    on = [number for label in ("1.1.1", "1.1.2") for number in arena.admin.match(name, label).match.ahead]
    assert (sorted(final.names), final.through) == (sorted(on), 1)
    arena.admin.withdraw(name, final.players[1].bot_name)
    again = until(lambda: find_take(arena, name, "1.2.1", 2))
    arena.finish(name)
    table = arena.admin.standings(name).standings
    assert arena.admin.match(name, "1.2.1").match.winner == table[0].entrant in again.names
    assert len(arena.admin.bracket(name)) == 2
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()


def test_guests_lots_and_accounts_are_in_the_export(arena, tmp_path):
    bots = arena.field(*POLICIES[:5])
    lots = 'seeds = "draw"\n'
    cut = f'[[stage]]\nformat = "single_elimination"\n{lots}take = 4\napart = "account"\n'
    keys = f'false\nseats = 3\nrounds = 1\n{cut}[entries]\nguests = ["{bots[4]}"]'
    name = arena.create(format="tables", seeds="draw", third=keys, block=1, cap=1)
    arena.admin.open(name)
    for bot in bots:
        arena.enter(name, bot)
    arena.admin.start(name)
    entries = arena.admin.tournament(name).entries
    assert [one.guest for one in entries] == [False] * 4 + [True]
    arena.finish(name)
    assert arena.admin.standings(name).standings[-1].entrant == 5
    (tmp_path / "cup.jsonl").write_bytes(arena.export(name))
    assert verify(tmp_path / "cup.jsonl").differences == ()
    lines = [json.loads(line) for line in (tmp_path / "cup.jsonl").read_bytes().splitlines()]
    told = [line for line in lines if line["kind"] == "entry"]
    assert all(one["account"] and len(one["lot"]) == 64 for one in told)
    assert [one.get("guest", False) for one in told] == [False] * 4 + [True]
