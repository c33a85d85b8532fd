"""At home, too, a spent bank or a kill is believed the second time: duel, league, validate play it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.terminal import Terminal

BOT = """import os
from maumau.bot import Bot, run
MARK = {mark!r}
class Mine(Bot):
    def act(self, view):
        if {always} or not os.path.exists(MARK):
            open(MARK, "w").close()
            while True:
                {then}
        return view.legal[0]
run(Mine)
"""
TOML = 'name = "{name}"\nrun = ["python3", "bot.py"]\nrules = ["prsi"]\nseats = [2]\n'
HOW = ["--rules", "prsi", "--sandbox", "process"]


@pytest.fixture
def bot(tmp_path: Path):
    """Return a program that thinks until its bank is spent: in the first process of all, or always.

    then: what it does meanwhile.
    """

    def made(name: str, *, always: bool, then: str = "pass") -> str:
        folder = tmp_path / name
        folder.mkdir()
        mark = str(tmp_path / f"{name}-was-here")
        (folder / "bot.py").write_text(BOT.format(mark=mark, always=always, then=then))
        (folder / "bot.toml").write_text(TOML.format(name=name))
        return name

    return made


@pytest.fixture
def hurried(home: Terminal) -> Terminal:
    """CPU clocks run ten times as fast: a bank is spent in a tenth of the time."""
    return Terminal(home.home, MAUMAU_HANDICAP="10")


@pytest.mark.long
def test_a_duel_plays_a_block_once_more_and_who_keeps_to_its_time_then_has_no_fault(hurried: Terminal, bot):
    words = ["duel", bot("once", always=False), "first", *HOW, "-n", "20", "--all", "--seed", "s"]
    said = hurried.run(*words).out
    assert "once ran out of time in one block, which was played a second time" in said
    assert "faults of" not in said
    again = hurried.run(*words).out
    assert "a second time" not in again
    assert said.splitlines()[0] == again.splitlines()[0]


@pytest.mark.long
def test_who_runs_out_of_time_twice_has_lost_these_deals_in_a_duel(hurried: Terminal, bot):
    words = ["duel", bot("always", always=True), "first", *HOW, "-n", "10", "--seed", "s"]
    assert hurried.run(*words, "--json").json()["faults"][0]["time"] >= 1
    said = hurried.run(*words).out
    assert "always ran out of time in one block, which was played a second time" in said


@pytest.mark.long
def test_a_league_counts_the_second_run(hurried: Terminal, bot):
    words = ["league", bot("once", always=False), "first", *HOW, "-n", "10", "--json"]
    assert [row["faults"] for row in hurried.run(*words).json()["table"]] == [0, 0]


@pytest.mark.long
def test_validation_refuses_who_runs_out_of_time_twice(hurried: Terminal, bot):
    said = hurried.run("validate", bot("once", always=False), "--sandbox", "process")
    assert "but not when played again" in said.out
    said = hurried.run("validate", bot("always", always=True), "--sandbox", "process", code=1)
    spent = re.search(r"its bank of CPU time is spent: ([\d,]+) of 1,000 reference ms", said.out + said.err)
    assert spent
    assert int(spent[1].replace(",", "")) >= 1000


@pytest.mark.long
def test_play_says_that_it_would_be_played_again(hurried: Terminal, bot):
    said = hurried.run("play", bot("always", always=True), "first", *HOW, code=1)
    assert "only a repetition would be a fault" in said.out


DIES = "os.kill(os.getpid(), 9)"


@pytest.mark.long
def test_a_duel_plays_a_block_again_in_which_a_bot_was_killed(home: Terminal, bot):
    said = home.run(
        "duel", bot("once", always=False, then=DIES), "first", *HOW, "-n", "20", "--seed", "s"
    ).out
    assert "once was killed in one block, which was played a second time" in said
    assert "faults of" not in said
    said = home.run(
        "duel", bot("always", always=True, then=DIES), "first", *HOW, "-n", "10", "--seed", "s"
    ).out
    assert "faults of always: crash" in said
    assert "always was killed in one block, which was played a second time" in said


@pytest.mark.long
def test_validation_refuses_a_bot_that_is_killed_twice(home: Terminal, bot):
    how = ["--sandbox", "process"]
    said = home.run("validate", bot("once", always=False, then=DIES), *how)
    assert "it ended with signal 9 (SIGKILL), but not when played again" in said.out
    said = home.run("validate", bot("always", always=True, then=DIES), *how, code=1)
    assert "it ended with signal 9 (SIGKILL)" in said.out + said.err


BURNS = """import time
from maumau.bot import Bot, run
class Mine(Bot):
    burnt = False
    def act(self, view):
        if not self.burnt:
            self.burnt, until = True, time.process_time() + 0.01
            while time.process_time() < until:
                pass
        return view.legal[0]
run(Mine)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "command", [["play", "burns", "first", "--deal-ms", "100", *HOW], ["validate", "burns", *HOW]]
)
def test_a_handicap_makes_a_bot_run_out_of_time_that_has_enough_without_it(
    home: Terminal, tmp_path: Path, command: list[str]
):
    """In play or at its start; 10 ms of 100 for a deal are 2 to 50 reference ms, without a handicap."""
    (tmp_path / "burns").mkdir()
    (tmp_path / "burns" / "bot.py").write_text(BURNS)
    (tmp_path / "burns" / "bot.toml").write_text(TOML.format(name="burns"))
    home.run(*command)
    slow = Terminal(home.home, MAUMAU_HANDICAP="100")
    said = slow.run(*command, code=1)
    assert re.search("CPU time( for starting)? is spent", said.out)
    refused = Terminal(home.home, MAUMAU_HANDICAP="fast").run(*command, code=1).err
    assert "MAUMAU_HANDICAP is a number from 1 to 100, not 'fast'" in refused
