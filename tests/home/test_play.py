"""New, play, validate, runtimes and doctor as a user meets them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import tomllib

import pytest

from bench.support.checkout import ROOT
from bench.support.patience import Deadline, patient
from maumau.cli.author import play
from maumau.game import deal_by_hand, load, record, replay, variants
from maumau.screen.narrate import narrate_deal
from maumau.screen.picture import FRENCH, GERMAN
from maumau.templates import LANGUAGES
from tests.support.kinds import one_of
from tests.support.terminal import Terminal


@pytest.mark.long
def test_a_new_bot_plays_at_once(home: Terminal) -> None:
    assert "maumau play my-bot greedy" in home.run("new", "my-bot").out
    said = home.run("play", "my-bot", "greedy", "--rules", "prsi", "--seed", "42").out
    assert said.startswith("my-bot ")
    assert "on the pile" in said
    assert re.search(r"^greedy (lays|draws) ", said, re.MULTILINE)
    assert "seed 42, deal 0" in said
    assert "1. " in said.splitlines()[-2]
    raw = home.run("play", "my-bot", "greedy", "--rules", "prsi", "--seed", "42", "--raw").out
    assert raw.startswith("A my-bot, B greedy\n\ndeal A ")


def test_a_deal_is_told_in_sentences_with_the_hands_that_remain() -> None:
    deal = deal_by_hand(load("prsi"), {0: "7H QH 9C", 1: "8H 8C"}, "9H", "TC TD TS")
    for action in ("7H", "take", "QH>C"):
        deal.apply(deal.to_act[0], action)
    lines = [line.plain.rstrip() for line in narrate_deal(record(deal), [], ["ada", "bob"], FRENCH)]
    assert lines[:4] == ["ada          7♥ 9♣ Q♥", "bob          8♣ 8♥", "on the pile  9♥", ""]
    assert [re.split(r"  +", line) for line in lines[4:8]] == [
        ["ada lays 7♥", "9♣ Q♥"],
        ["bob has no answer"],
        ["bob takes 2: 10♣ 10♦", "8♣ 8♥ 10♣ 10♦"],
        ["ada lays Q♥ and wishes for ♣", "9♣"],
    ]
    german = [line.plain for line in narrate_deal(record(deal), [], ["ada", "ada"], GERMAN)]
    assert german[0].split() == ["ada", "(A)", "7♥", "9🌰", "O♥"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_bot_has_its_own_name_and_names_its_runtime(home: Terminal, language: str) -> None:
    found = home.run("new", "Grüße an C", "--language", language, "--json").json()
    assert found["name"] == "gruesse-an-c"
    manifest = tomllib.loads((home.home / "Grüße an C" / "bot.toml").read_text())
    assert manifest["name"] == "gruesse-an-c"
    assert manifest.get("runtime", "python") == language
    lines = max(len((home.home / "Grüße an C" / file).read_text().splitlines()) for file in found["files"])
    assert 30 <= lines <= 120  # one page to read; the longest is in Go, without a JSON library


def test_what_to_do_next_can_be_copied_whatever_the_folder_is_called(home: Terminal) -> None:
    said = home.run("new", "my bot").out
    assert "next: maumau play 'my bot' greedy" in said
    assert "note: the bot is called my-bot;" in said
    assert "note" not in home.run("new", "another-bot").out


def test_a_folder_whose_name_no_bot_may_have_is_not_made(home: Terminal) -> None:
    said = home.run("new", "c", code=1).err
    assert "No bot's name can be made of 'c': it is 2 to 40 of a-z, 0-9, - and _" in said
    assert not (home.home / "c").exists()


def test_a_new_bot_overwrites_nothing(home: Terminal) -> None:
    (home.home / "mine").mkdir()
    (home.home / "mine" / "thesis.tex").write_text("years of work")
    assert "is not empty; nothing was written" in home.run("new", "mine", code=1).err
    assert [path.name for path in (home.home / "mine").iterdir()] == ["thesis.tex"]
    assert "--language is one of python, node, go" in home.run("new", "x", "--lang", "cobol", code=2).err


def test_the_same_seed_is_the_same_deal_and_its_record_replays(home: Terminal) -> None:
    words = ["play", "greedy", "counter", "--seed", "42", "--json"]
    one, two = (home.run(*words).json()["outcome"] for _ in range(2))
    assert one == two
    assert home.run(*words, "--deal", "1").json()["outcome"] != one
    home.run("play", "greedy", "counter", "--seed", "42", "--record", "deal.txt")
    deal = replay((home.home / "deal.txt").read_text())
    assert deal.places == one["places"]


@pytest.mark.long
@pytest.mark.parametrize("variant", one_of(10, variants()))
def test_a_new_bot_plays_every_variant_at_two_to_four_seats(home: Terminal, variant: str) -> None:
    home.run("new", "my-bot")
    for others in (["greedy"], ["greedy", "first", "random"]):
        home.run("play", "my-bot", *others, "--rules", variant, "--seed", "1", "--sandbox", "process")


def test_a_deal_is_told_even_if_its_record_cannot_be_kept(home: Terminal) -> None:
    for words in (["--record", "gone/deal.txt"], ["--replay", "gone/deal.html"]):
        answer = home.run("play", "greedy", "first", "--seed", "7", *words, code=1)
        assert "seed 7, deal 0" in answer.out
        assert f"{words[1]} cannot be written: No such file or directory" in answer.err


def test_options_are_read_and_checked(home: Terminal) -> None:
    said = home.run("play", "first", "first", "--rules", "prsi", "-o", "ace_stack=none", "--json").json()
    assert said["outcome"]["record"].startswith('[maumau 1]\n[rules prsi {"ace_stack":"none"}')
    assert "ace_stack" in home.run("play", "first", "first", "--rules", "prsi", "--option", "x=1", code=1).err
    assert "prsi" in home.run("play", "first", "first", "--rules", "nothing", code=1).err
    assert "is played by 2 to 10; one program is named" in home.run("play", "first", code=1).err


def test_notes_faults_and_logs_are_shown(home: Terminal, write) -> None:
    write("talks", "print('thinking'); self.note = 'why\\x1b[2J not'; return view.legal[0]")
    answer = home.run("play", "talks", "first", "--seed", "1", "--log")
    first = answer.out.index("talks keeps ")
    assert answer.out[first:].splitlines()[1] == "    talks: why\ufffd[2J not"
    assert "log of talks:\nthinking" in answer.out
    assert "log of first:\n(empty)" in answer.out
    write("fails", "return 1 // 0")
    answer = home.run("play", "fails", "first", code=1)
    error = "ZeroDivisionError: integer division or modulo by zero"
    assert f"fault of fails: crash: it ended with exit code 1: {error}\n" in answer.out
    assert f"  log: {error}\n" in answer.out


@pytest.mark.long
def test_validate_says_what_the_arena_will_say(home: Terminal, write) -> None:
    home.run("new", "good")
    assert "good is valid: played 20 deals in each of" in home.run("validate", "good").out
    write("bad", "return 'QQ'", toml='rules = ["prsi"]\nseats = [2]\n')
    report = home.run("validate", "bad", "--json", code=1).json()
    assert report["ok"] is False
    assert report["words"].startswith("in prsi at 2 seats: unreadable")
    assert "< QQ" in report["log"]
    (home.home / "empty").mkdir()
    assert home.run("validate", "empty", "--json", code=1).error()["reason"] == "NO_MANIFEST"


@pytest.mark.long
def test_runtimes_are_listed_with_their_versions(home: Terminal) -> None:
    found = {each["name"]: each for each in home.run("runtimes", "--json").json()}
    assert set(found) == {"python", "native", *LANGUAGES}
    assert found["python"]["version"].startswith("Python 3.")
    assert found["bash"]["version"].startswith("GNU bash")
    for each in found.values():
        assert bool(each["version"]) != bool(each["missing"])
    assert "GNU bash" in home.run("runtimes").out


@pytest.mark.long
def test_the_doctor_says_which_tier_this_machine_gives(home: Terminal) -> None:
    found = {each["what"]: each for each in home.run("doctor", "--json").json()}
    assert found["process"]["ok"]
    assert found["tier"]["words"].startswith("bwrap" if found["bwrap"]["ok"] else "process")
    assert {"control groups", "cores", "memory", "artifact cache", "runtime bash", "[arena]"} <= set(found)
    parts = {"wall: user", "wall: /proc", "wall: core files", "wall: children", "wall: caches"}
    assert (parts & set(found)) == (parts if found["bwrap"]["ok"] else set())
    assert "cores" in home.run("doctor").out


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_who_is_asked_to_end_leaves_no_folder_behind(home: Terminal, write, number: int) -> None:
    write("sleeper", "import time; time.sleep(1000)")
    room = home.home / "rooms"
    room.mkdir()
    words = [sys.executable, "-m", "maumau.cli", "play", "sleeper", "first", "--deal-ms", "60000"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(room)}
    playing = subprocess.Popen(words, cwd=home.home, env=environment, stdout=subprocess.DEVNULL)
    deadline = Deadline(60)  # until the bots are being laid there; walk skips folders that are gone again
    while not any(folders or files for path, folders, files in os.walk(room) if path != str(room)):
        assert not deadline.has_passed()
        time.sleep(0.02)
    playing.send_signal(number)
    assert playing.wait(patient(60)) == 128 + number
    assert list(room.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_in_a_pipe_it_is_said_once_for_how_long_a_silent_program_is_waited_for(
    home: Terminal, write, monkeypatch, words
) -> None:
    """A deal of 20 ms of CPU time may take ten times as long; with --json stderr is for errors."""
    monkeypatch.setattr(play, "SILENCE", 0.05)
    write("sleeps", "import time; time.sleep(600)")
    said = home.run("play", "sleeps", "first", "--deal-ms", "20", *words, code=1).err
    told = re.findall(r"still playing; .* at most \d+ s to start and \d+ s in the deal\n", said)
    assert len(told) == (not words)


def test_the_longest_wait_for_a_program_is_that_of_its_limits() -> None:
    """A core of half the pace may take twice as long, except for a start, which may take 15 s anyway."""
    for pace, start, deal in ((1.0, 15, 10), (2.0, 15, 20), (4.0, 24, 40)):
        assert play._say_wait(pace, 1000).endswith(f"at most {start} s to start and {deal} s in the deal")
