"""The templates of `maumau new`: each is built, speaks the whole protocol and plays, where its toolchain is.

`make templates` installs the toolchains that are missing and leaves none out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.support.house import play_sets
from maumau.bot.inside import bot_class
from maumau.bots import folder as house
from maumau.game import load
from maumau.home.entrant import prepare_programs
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.files import offer
from maumau.sandbox.launch import Sandbox, choose_sandbox
from maumau.submission.conformance import check_conformance
from maumau.templates import LANGUAGES, folder
from tests.support.kinds import one_of
from tests.support.terminal import Terminal

COMPILED = {"go", "rust", "c++", "java"}
MARKED = [pytest.param(each, marks=[pytest.mark.long] if each in COMPILED else []) for each in LANGUAGES]
"""Languages, with those that need a toolchain in `make test-long`."""
PLAYED = [pytest.param(each, marks=[pytest.mark.long] if each != "python" else []) for each in LANGUAGES]
ALL = bool(os.environ.get("MAUMAU_TEMPLATES"))


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return choose_sandbox("auto")


@pytest.fixture
def language(request: pytest.FixtureRequest, not_tested) -> str:
    """Return a language whose toolchain is here; the others are named in the last lines of the run."""
    why = offer.explain_missing(request.param, own_user=os.geteuid() == 0)
    assert not (why and ALL), why
    if why:
        not_tested(f"the template in {request.param}", why.partition("; offered")[0])
    return request.param


@pytest.mark.long
@pytest.mark.parametrize("language", PLAYED, indirect=True)
def test_a_template_speaks_the_whole_protocol(language: str, sandbox: Sandbox, tmp_path: Path) -> None:
    (program,) = prepare_programs([str(folder(language))], tmp_path, sandbox)
    wrong = [check for check in check_conformance(program, sandbox) if check.state in {"wrong", "not asked"}]
    assert wrong == []


@pytest.mark.parametrize("language", PLAYED, indirect=True)
def test_a_template_is_valid_and_better_than_chance(language: str, home: Terminal) -> None:
    home.run("new", "my-bot", "--lang", language)
    assert "my-bot is valid: played 20 deals in each of" in home.run("validate", "my-bot").out
    words = ["duel", "my-bot", "random", "-n", "200", "--rules", "prsi", "--seed", "1", "--json"]
    found = home.run(*words).json()
    assert (found["winner"], found["faults"]) == ("my-bot", [{}, {}])


@pytest.mark.sample
@pytest.mark.parametrize("language", [each for each in MARKED if each.values != ("python",)], indirect=True)
def test_in_every_language_the_template_plays_the_same_deals_card_by_card(
    language: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    for rules, sets in (("mau_mau", 6), ("pesten", 3), ("schweizer_2016", 2), ("prsi_quick", 3)):
        seeds = [f"alike {number}" for number in range(sets)]
        order = BlockOrder(rules, 2, seeds, deal_ms=5000)  # slow ones play the same deals
        python, other = (
            records(order, name, sandbox, tmp_path / rules / name) for name in ("python", language)
        )
        assert python == other


def records(order: BlockOrder, language: str, sandbox: Sandbox, kept: Path) -> list[str]:
    """Return the deals of a template against `first`."""
    kept.mkdir(parents=True)
    programs = prepare_programs([str(folder(language)), "first"], kept, sandbox)
    return [deal.record for played in play_block(order, programs, sandbox).sets for deal in played.deals]


@pytest.mark.sample
@pytest.mark.parametrize("rules", one_of(2, ["mau_mau", "prsi", "app", "schweizer"]))
def test_the_template_is_better_than_first(rules: str) -> None:
    bots = [bot_class(path / "bot.py") for path in (folder("python"), house("first"))]
    assert play_sets(load(rules), bots, 150).interval[0] > 0.5  # in 95 of 100 samples, and this one is fixed


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_has_no_dependencies_and_says_how_it_is_built(language: str) -> None:
    manifest = (folder(language) / "bot.toml").read_text()
    assert 'name = "my-bot"' in manifest
    files = [path.name for path in folder(language).iterdir() if path.is_file()]
    assert len(files) == 2, files
    assert ("build = " in manifest) == (language in {"go", "rust", "c++", "java"})


@pytest.mark.long
def test_where_the_toolchain_is_missing_it_is_said_and_played_in_process_where_it_is(tmp_path: Path) -> None:
    """The tier for programs one has written oneself builds and plays them as well."""
    bash = subprocess.run(
        [sys.executable, "-m", "maumau.cli", "play", str(folder("bash")), "first", "--sandbox", "process"],
        capture_output=True, text=True, cwd=tmp_path, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    assert "on the pile" in bash.stdout
