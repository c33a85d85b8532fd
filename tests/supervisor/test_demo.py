"""One demonstration of each format, made against the list of formats."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from maumau.contest.format import FORMATS
from maumau.contest.spec.spec import check_start, parse_spec
from services.supervisor.contests.demo import PROGRAMMES, Demo, choose_demos
from tests.support.terminal import Terminal


def list_formats(demo: Demo) -> list[str]:
    return [stage.format for stage in parse_spec(demo.write_spec()).stages]


def test_the_usual_demonstration_is_a_round_robin_that_seeds_a_bracket() -> None:
    for demo in choose_demos("tour", None):
        assert list_formats(demo) == ["round_robin", "single_elimination"]
    assert choose_demos("quick", None) == PROGRAMMES["quick"]
    assert choose_demos(None, None) == ()
    assert Demo("prsi").name == "demo-prsi"


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_has_a_demonstration(name: str) -> None:
    """Any number of house bots from two up can play it."""
    (demo,) = choose_demos("quick", name)
    assert demo.name == f"demo-mau_mau-{name}"
    assert list_formats(demo)[0] == name
    for bots in range(2, 7):
        check_start(parse_spec(demo.write_spec()), bots)


def test_four_go_on_from_groups() -> None:
    (demo,) = choose_demos("quick", "groups")
    groups, cup = parse_spec(demo.write_spec()).stages
    assert (groups.shown["size"], cup.format, cup.take) == (4, "single_elimination", 4)


def test_an_unknown_format_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    answer = Terminal(tmp_path).run("demo", "--format", "lottery", code=2)
    words = " ".join(re.sub(r"[│╭╮╰╯─]", " ", answer.err).split())
    assert f"'lottery' is unknown; known: {', '.join(sorted(FORMATS))}" in words


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", ["swiss", "groups", "tables"])
def test_a_demonstration_of_a_format_is_decided_and_verified(tmp_path: Path, name: str) -> None:
    terminal = Terminal(tmp_path)
    answer = terminal.spawn("demo", "--data", "data", "--format", name, seconds=400)
    assert re.search(rf"\w+ wins demo-mau_mau-{name}: \d+ of \d+ matches won", answer.out)
    *_, verify, export = shlex.split(answer.out.splitlines()[-1])
    assert verify == "verify"
    terminal.run("verify", export)
