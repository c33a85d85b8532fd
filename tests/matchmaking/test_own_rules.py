"""A contest's own variant from the terminal: its rules, its file, practice by it, in a real arena."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from maumau.client.arena import Arena as Client
from tests.support.arenas.tournament import ADMIN
from tests.support.terminal import home_of

if TYPE_CHECKING:
    from tests.support.arenas.matchmaker import Matchmaker
    from tests.support.terminal import Terminal

DATABASES = ["sqlite"]  # nothing here depends on the kind
OWN = """title = "Class: sevens double"
source = "class 7"
extends = "mau_mau"
[[card]]
on = ["7"]
answer = ["7"]
doubles = true
"""


@pytest.fixture
def terminal(arena: Matchmaker, tmp_path: Path) -> Terminal:
    made = home_of(arena, tmp_path / "home", ADMIN)
    (made.home / "klasse7.toml").write_text(OWN)
    return made


@pytest.fixture
def cup(terminal: Terminal) -> str:
    """A contest by the own variant, with an option of its own."""
    name = f"cup-{uuid.uuid4().hex[:8]}"
    terminal.run("tournament", "create", "--name", name, "--rules", "klasse7.toml", "-o", "deal=6")
    return name


@pytest.mark.long
def test_the_rules_of_a_contest_are_told_as_those_of_its_file(terminal: Terminal, cup: str) -> None:
    told = terminal.run("rules", "show", "--contest", cup).out
    assert "Class: sevens double" in told
    assert "the cards owed double" in told
    assert "Each player is dealt six cards." in told
    assert terminal.run("rules", "show", "klasse7", "--contest", cup).out == told
    hashes = [
        terminal.run("rules", "show", *words, "--json").json()["hash"]
        for words in (["--contest", cup], ["klasse7.toml", "-o", "deal=6"])
    ]
    assert hashes[0] != hashes[1]  # the contest bounds how long its deals may be
    assert terminal.run("rules", "show", "--contest", cup, "--file").out == OWN


@pytest.mark.long
def test_what_cannot_be_told_is_refused_in_words(arena: Matchmaker, terminal: Terminal, cup: str) -> None:
    ladder = arena.ladder()
    for words, said in (
        (["rules", "show"], "Name a variant, or a contest with --contest"),
        (["rules", "show", "prsi", "--contest", cup], f"{cup} is played by klasse7, not by prsi"),
        (["rules", "show", "--contest", cup, "-o", "deal=6"], "leave out --option"),
        (["rules", "show", "--contest", cup, "--ladder", ladder], "Name a contest or a ladder, not both"),
        (["rules", "show", "--contest", "nosuch"], "There is no tournament"),
        (["rules", "show", "--ladder", ladder, "--file"], "mau_mau is a variant of maumau itself"),
        (["practice", "a", "b", "--contest", cup, "--rules", "prsi"], "leave out --rules and --option"),
    ):
        assert said in terminal.run(*words, code=1).err
    assert "Mau-Mau: match suit or rank" in terminal.run("rules", "show", "--ladder", ladder).out


@pytest.mark.long
def test_practice_is_played_by_the_rules_of_a_contest(arena: Matchmaker, cup: str, tmp_path: Path) -> None:
    author, _ = arena.author()
    mine, other = arena.bot("first", client=author, rules=()), arena.bot("first", rules=())
    theirs = home_of(arena, tmp_path / "theirs", author.token)
    asked = arena.calls(author.token).Practice(
        bot=mine, against=other, rules=_rules_of(author, cup), sets=2
    ).practice  # fmt: skip
    assert asked.rules.name == "klasse7"
    assert asked.rules.variant_toml == OWN
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(theirs.spawn, "practice", mine, other, "-n", "2", "--contest", cup)
        arena.play(said.done)
    assert f"{mine} v1 against {other} v1, klasse7: score 0.500" in said.result().out


def _rules_of(client: Client, contest: str) -> dict[str, str]:
    rules = client.tournament(contest).rules
    assert rules is not None
    return {"name": rules.name, "options_json": rules.options_json, "variant_toml": rules.variant_toml}
