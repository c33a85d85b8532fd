"""`maumau ladder` and `maumau practice` against a real arena."""

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from bench.support.patience import patient
from maumau.bots import folder
from maumau.client.matchmaking import Matchmaking
from maumau.errors import InternalFault, NotAllowed
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import Terminal, home_of
from tests.support.waiting import until


@pytest.fixture
def terminal(arena, tmp_path):
    return home_of(arena, tmp_path, ADMIN)


@pytest.mark.long
def test_a_contest_is_rehearsed_with_the_bots_of_a_ladder(arena, terminal):
    name = arena.ladder(*arena.field("first", "random", "crash"))
    words = ("tournament", "rehearse", "--stage", "round_robin", "--runs", "20", "--no-others", "--field")
    told = terminal.run(*words, f"ladder:{name}", "--rules", "prsi")
    assert (
        f"Field: the 3 bots of the ladder {name}, each drawn anew from the interval of its rating."
        in told.out
    )
    assert f"the ladder {name} plays mau_mau, the contest prsi" in told.err
    two = terminal.run(*words, f"ladder:{name}", "--bots", "2")
    assert f"Field: the best 2 of 3 bots of the ladder {name}" in two.out
    assert two.err == ""
    for given, said in (
        (("ladder:nothing",), "There is no ladder 'nothing'."),
        ((f"ladder:{name}", "--bots", "4"), f"the ladder {name} has 3 bots, not 4"),
        (
            (f"ladder:{arena.ladder(seats=4)}",),
            "has tables of 4: its ratings say little about matches of two",
        ),
        ((f"ladder:{arena.ladder()}",), "a field of 0: a contest has 2 to 256 bots"),
    ):
        assert said in terminal.run(*words, *given, code=1).err


@pytest.mark.long
def test_admins_ask_which_bots_help_which(arena, terminal):
    name = arena.ladder(*arena.field("first", "random", "crash"))
    assert "nothing can be said" in terminal.run("ladder", "fairness", name).out
    arena.play(lambda: all(one.sets >= 10 for one in arena.lines(name)))
    assert (
        "tests named; chance names a bot in at most 1 % of contests"
        in terminal.run("ladder", "fairness", name).out
    )
    told = terminal.run("ladder", "fairness", name, "--json").json()
    assert told["tests"] == len(told["helps"]) > 0
    assert not any(one["named"] for one in told["helps"])
    assert "ladder 'nothing'" in terminal.run("ladder", "fairness", "nothing", code=1).err
    author, _ = arena.author()
    with pytest.raises(NotAllowed):
        arena.calls(author.token).GetLadderHelps(ladder=name)


@pytest.mark.long
def test_a_ladder_from_its_making_to_its_table(arena, terminal):
    first, second = arena.field("first", "random")
    name = f"made-{first}"
    assert f"the ladder {name} is open" in terminal.run("ladder", "create", name).out
    rows = [line.split() for line in terminal.run("ladder", "list").out.splitlines()]
    assert [name, "mau_mau,", "max_decisions", "=", "490", "2", "0", "0", "0", "waits"] in rows
    assert "nobody has been paired yet" in terminal.run("ladder", "pairings", name).out
    for bot in (first, second):
        assert f"{bot} is on the ladder {name}" in terminal.run("ladder", "join", name, bot).out
    shown = terminal.run("ladder", "show", name).out
    assert shown.count("no result yet") == 2
    arena.play(lambda: arena.lines(name)[0].sets >= 20)
    lines = terminal.run("ladder", "show", name, "--json").json()["lines"]
    assert {line["bot_name"] for line in lines} == {first, second}
    assert lines[0]["sets"] >= 20
    pairing = terminal.run("ladder", "pairings", name, first, "-n", "1", "--json").json()[0]
    assert terminal.run("ladder", "explain", name, pairing["id"]).out.count("\n") == 1
    assert "epoch 1: running, " in terminal.run("ladder", "epochs", name).out
    for bot in (first, second):
        terminal.run("ladder", "leave", name, bot)
    assert not terminal.run("ladder", "show", name, "--json").json()["lines"]


def test_what_is_refused_is_one_line_with_exit_code_1(arena, tmp_path):
    author, _ = arena.author()
    theirs, name = home_of(arena, tmp_path / "home", author.token), arena.ladder()
    for words, said in (
        (("ladder", "show", "nothing"), "There is no ladder 'nothing'."),
        (("ladder", "join", name, arena.field("first")[0]), "belongs to admin"),
        (("ladder", "leave", name, "nobody"), "is not on the ladder"),
        (("ladder", "create", "mine"), "Only admins may do this"),
        (("ladder", "explain", name, "x"), "is not the id of a pairing"),
        (("workers",), "error: Only admins may do this. It takes a token with the scope admin; "),
        (("practice", "nobody", arena.field("first")[0]), "nobody"),
    ):
        answer = theirs.run(*words, code=1)
        assert said in answer.err
        assert answer.err.count("\n") == 1


@pytest.mark.long
def test_practice_says_score_interval_and_faults(arena, terminal):
    crash, first = arena.field("crash", "first")
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(
            Terminal.spawn, terminal, "practice", crash, first, "-n", "20", "--rules", "mau_mau"
        )
        arena.play(said.done)
    out = until(said.result).out
    assert f"{crash} v1 against {first} v1, mau_mau: score 0.000 (0.000 to 0." in out
    assert f"{crash} v1 lost 40 deals by its own fault; the first: crash: it died" in out


def test_a_practice_match_left_with_ctrl_c_is_listed_in_the_queue(arena, tmp_path, monkeypatch):
    author, _ = arena.author()
    home = home_of(arena, tmp_path, author.token)
    mine, other = arena.bot("first", author), arena.field("random")[0]

    def interrupted(link, practice_id):
        until(lambda: author.queue().matches)
        raise KeyboardInterrupt

    monkeypatch.setattr(Matchmaking, "watch_practice", interrupted)
    out = home.run("practice", mine, other, "-n", "20", code=130).out
    assert out == "the match goes on in the arena; `maumau practices list` tells how far it is\n"
    assert f"{mine} v1 : {other} v1" in home.run("queue").out
    assert [one["state"] for one in home.run("practices", "list", "--json").json()] == ["open"]
    arena.play(lambda: not author.queue().matches)


@pytest.mark.long
def test_the_queue_names_pairings_as_explain_takes_them(arena, tmp_path, monkeypatch):
    author, _ = arena.author()
    home, name = home_of(arena, tmp_path, author.token), arena.ladder()
    mine, other = arena.bot("first", author), arena.field("random")[0]
    arena.calls(author.token).JoinLadder(ladder=name, bot_name=mine)
    arena.calls().JoinLadder(ladder=name, bot_name=other)
    until(lambda: author.queue().matches)
    out = home.run("queue").out
    pairing, said, ladder = out.splitlines()[2].split()[:3]
    assert (said, ladder) == ("ladder", name)
    assert mine in home.run("ladder", "explain", name, pairing).out

    def fail(link):
        raise InternalFault

    monkeypatch.setattr(Matchmaking, "ladders", fail)
    words = home.run("queue").out.splitlines()[2].split()
    assert words[:2] == [pairing.partition(".")[2], "ladder"]
    arena.leave(name)


def seek(terminal, *words):
    """`maumau seek` as a process of its own."""
    options = ("--bot", str(folder("first")), "--no-house", "--sandbox", "process", "--json")
    return subprocess.Popen(
        [sys.executable, "-m", "maumau.cli", "seek", "prsi", *options, *words],
        env=terminal.variables, cwd=terminal.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.long
def test_two_who_type_seek_find_each_other_and_play(arena, tmp_path):
    authors = [arena.author() for _ in range(2)]
    homes = [home_of(arena, tmp_path / name, client.token) for client, name in authors]
    seeking = [seek(home, "--rated", "-n", "2", "--name", "mine") for home in homes]
    (mine, _), (theirs, _) = (one.communicate(timeout=patient(60)) for one in seeking)
    assert [one.returncode for one in seeking] == [0, 0]
    played = [[msgspec.json.decode(line) for line in out.splitlines()] for out in (mine, theirs)]
    own = {f"mine ({name})" for _, name in authors}
    for one, other in zip(*played, strict=True):
        assert one["table"] == other["table"]
        if "seat" in one:
            assert (one["seat"], one["rated"]) == (1 - other["seat"], True)
            assert one["names"][other["seat"]] == ""
            assert one["names"][one["seat"]] in own
        else:
            assert (one["end"]["places"], one["fault"]) == (other["end"]["places"], "")
    assert [list(one) for one in played[0]] == [
        ["table", "seat", "names", "rated"],
        ["table", "end", "fault"],
    ] * 2
    ratings = homes[0].run("ladder", "live", "prsi", "--json").json()["ratings"]
    assert {one["games"] for one in ratings if one["account_name"] in {name for _, name in authors}} == {2}


@pytest.mark.long
def test_ctrl_c_withdraws_a_seek_and_nobody_is_seated_with_it(arena, tmp_path):
    client, name = arena.author()
    process = seek(home_of(arena, tmp_path, client.token), "--bank", "77")

    def mine():
        return [one for one in arena.loop.run(arena.seeks().list_waiting()) if one.seek.account_name == name]

    until(lambda: [one for one in mine() if one.here], 30)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=patient(20))
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    until(lambda: not [one for one in mine() if one.here])
