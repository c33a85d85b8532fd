"""The text of `--help`: every command has an example that its own parser accepts, and no type names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer import Context
from typer.core import TyperCommand, TyperGroup

from maumau.cli.command import HEADINGS, build_commands
from maumau.contest.score import UNITS
from tests.support.terminal import Terminal

ROOT = build_commands()


def commands(group: TyperGroup, *path: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, *path, name)
        else:
            yield (*path, name)


def found(path: tuple[str, ...]) -> TyperCommand:
    command: TyperGroup | TyperCommand = ROOT
    for name in path:
        assert isinstance(command, TyperGroup)
        command = command.commands[name]  # type: ignore[assignment]
    assert isinstance(command, TyperCommand)
    return command


PATHS = list(commands(ROOT))


def test_there_are_commands_in_groups_and_outside() -> None:
    assert ("duel",) in PATHS
    assert ("tournament", "create") in PATHS
    assert len(PATHS) > 30


def test_every_command_has_one_heading(tmp_path: Path) -> None:
    names = [name for names in HEADINGS.values() for name in names.split()]
    assert len(names) == len(set(names))
    assert {path[0] for path in PATHS} == set(names)
    told = Terminal(tmp_path).run("--help").out
    assert [told.index(heading) for heading in HEADINGS] == sorted(told.index(one) for one in HEADINGS)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_has_an_example_that_it_understands(path: tuple[str, ...]) -> None:
    command = found(path)
    examples = re.findall(r"^Example: (.*)$", command.help or "", re.MULTILINE)
    assert examples
    for example in examples:
        program, *words = shlex.split(example)
        assert program == "maumau"
        assert tuple(words[: len(path)]) == path
        command.make_context(path[-1], words[len(path) :])  # raises what the command line would refuse


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_paragraphs_are_wrapped_by_the_terminal_alone(path: tuple[str, ...]) -> None:
    assert not re.search(r"[^\n]\n[^\n]", found(path).help or "")


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_values_are_named_for_readers(path: tuple[str, ...]) -> None:
    command = found(path)
    shown = command.get_help(Context(command, info_name=path[-1]))
    assert not re.search(r"<(bool|str|int|float|path|list)", shown, re.IGNORECASE)


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_option_and_argument_is_explained_in_a_sentence(path: tuple[str, ...]) -> None:
    for param in found(path).params:
        said = str(getattr(param, "help", "") or "")
        assert said, param.name
        assert said[0].isupper() or said[0] in "`.", said
        assert said.endswith("."), said


def test_the_help_as_typed_shows_the_example(tmp_path: Path) -> None:
    told = Terminal(tmp_path).run("duel", "--help").out
    assert "Example: maumau duel my-bot greedy -n 2000" in told
    assert "<bool>" not in told
    assert "--json" in told


def test_the_help_of_duel_names_every_way_to_score() -> None:
    score = next(option for option in found(("duel",)).params if option.name == "score")
    assert all(word in getattr(score, "help", "") for word in UNITS)
