"""Ladders and practice at tables of more than two seats, from the first pairing to the verified export."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from maumau.contest.ladder.played import Played
from maumau.contest.statistics.pod import Pod
from maumau.errors import BadRequest, BadSpec, NotValidated
from maumau.v1 import job_pb2
from services.matchmaking.upkeep import keeper
from tests.support.arenas.calls import refused
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal, home_of
from tests.support.waiting import until


@pytest.mark.long
def test_a_ladder_of_four_from_its_making_to_its_verified_export(arena, monkeypatch, tmp_path):
    """Five house bots, one of which crashes in every deal: it has the last place at every table."""
    terminal, bots = (
        home_of(arena, tmp_path, ADMIN),
        arena.field("first", "random", "first", "random", "crash"),
    )
    name, crash = f"four-{bots[0]}", bots[-1]
    terminal.run("ladder", "create", name, "--seats", "4")
    for bot in bots[:3]:
        terminal.run("ladder", "join", name, bot)
    assert (
        "nobody is paired just now: It takes 4 bots; 3 can play." in terminal.run("ladder", "show", name).out
    )
    for bot in bots[3:]:
        terminal.run("ladder", "join", name, bot)
    lines = arena.play(
        lambda: (found := arena.lines(name)) and min(one.sets for one in found) >= 20 and found
    )
    assert lines[-1].bot_name == crash
    assert lines[-1].faults == 4 * lines[-1].sets
    assert lines[-1].high < min(line.low for line in lines[:-1])
    booked = [one for one in arena.pairings(name) if one.booked]
    assert all(len({one.first, one.second, *one.others}) == 4 for one in booked)
    assert all(3 <= one.sets <= 10 for one in booked)
    worst = [one.score for one in booked if one.first == crash]
    assert all(score == 0 for score in worst)
    told = terminal.run("ladder", "explain", name, booked[0].id).out
    assert all(bot in told for bot in (booked[0].first, booked[0].second, *booked[0].others))
    assert "take the rest of the table." in told
    assert ", ".join(f"{bot} v1" for bot in booked[0].others) in terminal.run("ladder", "pairings", name).out
    against = arena.calls().GetHeadToHead(ladder=name, bot_name=crash).opponents
    assert all(one.high < 0.5 for one in against)
    end_epoch(arena, name, monkeypatch)
    mine = arena.pairings(name, bot_name=crash)
    assert [one.id for one in mine] == [
        one.id for one in arena.pairings(name) if crash in {one.first, one.second, *one.others}
    ]
    path = terminal.run("ladder", "export", name, "1", "--json").json()["path"]
    assert f"{path} agrees: " in terminal.run("verify", path).out


def played_enough(lines):
    return lines if min(line.sets for line in lines) >= 20 else None


def end_epoch(arena, name, monkeypatch):
    monkeypatch.setattr(keeper, "EPOCH", 0)
    until(lambda: len(arena.calls().ListEpochs(ladder=name).epochs) > 1)
    monkeypatch.setattr(keeper, "EPOCH", 86_400_000)
    arena.leave(name)
    arena.play(lambda: any(one.secret for one in arena.calls().ListEpochs(ladder=name).epochs))


@pytest.mark.long
def test_no_author_has_two_bots_at_a_table(arena):
    author, _ = arena.author()
    theirs = [arena.bot("first", client=author) for _ in range(2)]
    name = arena.ladder(*arena.field("first"), seats=3)
    for bot in theirs:
        arena.calls(author.token).JoinLadder(ladder=name, bot_name=bot)
    told = arena.calls().GetLeaderboard(ladder=name).ladder
    assert told.words == "No author has two bots at a table: it takes bots of 3 authors, not 2."
    arena.calls().JoinLadder(ladder=name, bot_name=arena.field("random")[0])
    found = arena.play(lambda: (found := arena.pairings(name)) and len(found) >= 4 and found)
    for one in found:
        assert len({one.first, one.second, *one.others} & set(theirs)) <= 1
    assert not arena.calls().GetLeaderboard(ladder=name).ladder.words
    arena.leave(name)


@pytest.mark.long
def test_practice_at_a_table_of_three(arena, tmp_path):
    crash, first, other = arena.field("crash", "first", "random")
    terminal = home_of(arena, tmp_path, ADMIN)
    words = terminal.run("practice", crash, first, "--seats", "3", code=1).err
    assert f"A table of 3 takes 2 opponents; you named 1: {first}." in words
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(
            Terminal.spawn, terminal, "practice", crash, first, other, "-n", "20", "--seats", "3"
        )
        arena.play(said.done)
    out = until(said.result).out
    assert f"{crash} v1 against {first} v1, {other} v1, mau_mau: score 0.000" in out
    assert f"{crash} v1 lost 60 deals by its own fault" in out


def test_what_cannot_be_at_a_table_of_many_is_refused_in_words(arena):
    calls, (first, second) = arena.calls(), arena.field("first", "random")
    rules = {"name": "mau_mau"}
    with refused(BadSpec, "goes by places, not by win"):
        calls.CreateLadder(ladder={"name": "x", "rules": rules, "seats": 4, "score": job_pb2.SCORE_WIN})
    with refused(BadSpec, "seats: 11"):
        calls.CreateLadder(ladder={"name": "x", "rules": rules, "seats": 11})
    with refused(BadRequest, "against itself"):
        calls.Practice(bot=first, against=second, more_against=[first], rules=rules)
    with refused(BadSpec, "seats"):
        calls.Practice(bot=first, against=second, more_against=[second] * 10, rules=rules)
    two = arena.bot("first", seats=(2,))
    with refused(NotValidated, "not validated for 4 seats"):
        calls.JoinLadder(ladder=arena.ladder(seats=4), bot_name=two)


def test_what_was_played_is_counted_by_player_and_by_pair():
    played = Played(pods=[Pod((0, 2, 5), 4, (9, 9, 9), (0,) * 6), Pod((0, 1, 2), 3, (9, 9, 9), (0,) * 6)])
    assert played.sets == 7
    assert played.count_sets() == {0: 7, 1: 3, 2: 7, 5: 4}
    assert played.count_meetings() == {(0, 2): 7, (0, 5): 4, (2, 5): 4, (0, 1): 3, (1, 2): 3}
