"""A variant of one's own at home: every command that plays takes its file."""

from __future__ import annotations

import json

import pytest

from maumau.sandbox.launch import choose_sandbox
from tests.support.kinds import one_of
from tests.support.terminal import Terminal

MINE = """\
title = "Wasp: sevens sting thrice"
source = "at home"
extends = "prsi"
[options]
seven_n = { least = 1, most = 3, default = 3 }
"""
ALONE = ["--sandbox", "process", "-j", "1"]  # starts sooner
SEARCHER = """try:
            return str(view.deal_like_this(self.rng).legal(self.seat)[0])
        except Exception as error:
            assert "BadGuess" in repr(error), error
            return view.legal[0]"""


@pytest.fixture
def author(home: Terminal) -> Terminal:
    (home.home / "mine.toml").write_text(MINE)
    return home


def test_a_deal_is_played_kept_and_shown(author: Terminal) -> None:
    said = author.run(
        "play", "greedy", "rollout", "--rules", "mine.toml", "--seed", "1", "--sandbox", "process",
        "--record", "deal.txt", "--replay", "deal.html",
    )  # fmt: skip
    assert "fault" not in said.out
    record = (author.home / "deal.txt").read_text()
    assert record.splitlines()[1].startswith("[rules mine {} ")
    assert '"rules":"mine"' in (author.home / "deal.html").read_text()
    assert "mine" in author.run("replay", "deal.txt", "--rules", "mine.toml", "--at", "3").out
    refused = author.run("replay", "deal.txt", code=1).err
    assert "there is no variant 'mine'; known: app" in refused
    assert "a custom variant needs its file" in refused


def test_a_record_of_a_file_that_was_changed_is_of_other_rules(author: Terminal) -> None:
    author.run("play", "first", "first", "--rules", "mine.toml", "--record", "d.txt", "--sandbox", "process")
    (author.home / "mine.toml").write_text(MINE.replace("default = 3", "default = 2"))
    refused = author.run("replay", "d.txt", "--rules", "mine.toml", code=1).err
    assert "these are not the rules of the record" in refused


@pytest.mark.long
def test_a_duel_names_the_file_in_the_command_that_plays_a_fault_again(author: Terminal, write) -> None:
    write("bad", 'raise ValueError("no idea")')
    words = ["bad", "first", "-n", "5", "--rules", "mine.toml", "--seed", "s", *ALONE]
    said = author.run("duel", *words).out
    assert "mirrored sets of mine" in said
    assert "its log says: ValueError: no idea" in said
    (again,) = [line.partition("again: maumau ")[2] for line in said.splitlines() if "again: " in line]
    assert "--rules mine.toml" in again
    assert "ValueError: no idea" in author.run(*again.split(), "--sandbox", "process", code=1).out


@pytest.mark.long
def test_a_duel_chooses_an_option_of_ones_own(author: Terminal) -> None:
    words = ["greedy", "random", "-n", "10", "--rules", "mine.toml", "--seed", "s", *ALONE]
    one, two = (author.run("duel", *words, "-o", f"seven_n={n}", "--json").json() for n in (1, 3))
    assert one["options"] == {"seven_n": 1}
    assert (two["options"], two["rules"]) == ({}, "mine")
    assert one["score"] != two["score"]


@pytest.mark.long
def test_a_league_goes_on_with_the_same_file_and_not_with_a_changed_one(author: Terminal) -> None:
    words = ["league", "greedy", "first", "--rules", "mine.toml", "-n", "20", *ALONE]
    author.run(*words)
    head = json.loads((author.home / "league.jsonl").read_text().splitlines()[0])
    assert head["variant_toml"] == MINE
    assert author.run(*words, "--json").json()["table"][0]["sets"] == 20
    (author.home / "mine.toml").write_text(MINE.replace("default = 3", "default = 2"))
    assert "these are other rules" in author.run(*words, code=1).err


@pytest.mark.long
def test_a_league_of_a_known_variant_has_no_text_in_its_file(author: Terminal) -> None:
    author.run("league", "greedy", "first", "--rules", "prsi", "-n", "10", *ALONE)
    head = json.loads((author.home / "league.jsonl").read_text().splitlines()[0])
    assert list(head) == ["ladder", "rules", "options", "hash", "seed"]


@pytest.mark.long
@pytest.mark.parametrize("bot", one_of(2, ["rollout", "searcher"]))
def test_a_bot_is_validated_in_it(author: Terminal, write, bot: str) -> None:
    write("searcher", SEARCHER)
    said = author.run("validate", bot, "--rules", "mine.toml", "--sandbox", "process").out
    assert "played 20 deals in each of mine at 2, 3, 4 seats" in said


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (["play", "first", "first", "--rules", "nosuch.toml"], "nosuch.toml cannot be read: No such file"),
        (["play", "first", "first", "--rules", "prsi.toml"], "there is already a variant prsi"),
        (["duel", "first", "random", "--rules", "long.toml"], "variant long has more than 32 KiB"),
        (["league", "first", "random", "--rules", "bad.toml"], "line 1, column 1: there is no 'titel' here"),
        (["validate", "first", "--rules", "bad.toml"], "did you mean title?"),
        (["rules", "show", "bad.toml"], "did you mean title?"),
        (["tournament", "create", "--name", "x", "--rules", "bad.toml"], "did you mean title?"),
    ],
)
def test_a_file_that_cannot_be_played_is_refused_by_every_command(
    author: Terminal, words: list[str], refused: str
) -> None:
    (author.home / "prsi.toml").write_text(MINE)
    (author.home / "long.toml").write_text(MINE + "#" * (10 << 20))
    (author.home / "bad.toml").write_text(MINE.replace("title", "titel"))
    assert refused in author.run(*words, code=1).err


def test_it_is_played_behind_the_wall(author: Terminal) -> None:
    if choose_sandbox("auto").name != "bwrap":
        pytest.skip("NOT TESTED here in bwrap")
    author.run("play", "rollout", "counter", "--rules", "mine.toml", "--seed", "1")
