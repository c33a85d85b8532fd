"""Options of all commands: one word for one thing; earlier words are taken and not shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer import Context
from typer.core import TyperOption

from maumau.cli.usage import EARLIER
from tests.cli.test_help import PATHS, found
from tests.support.terminal import Terminal


def options() -> Iterator[tuple[str, TyperOption]]:
    """Yield each option of each command with the command's name."""
    for path in PATHS:
        for param in found(path).params:
            if isinstance(param, TyperOption):
                yield " ".join(path), param


def visible(param: TyperOption) -> list[str]:
    """Return the names of an option that its command's help shows."""
    names = param.opts
    return [name for name in names if not any((new, name) in EARLIER for new in names)]


def test_a_short_form_stands_for_one_word_or_for_a_count() -> None:
    """`-n` is how many, whatever is counted; the long name says what."""
    words = defaultdict(set)
    for _, param in options():
        for short in (name for name in visible(param) if not name.startswith("--")):
            long = [name for name in visible(param) if name.startswith("--")]
            assert len(long) == 1, param.opts
            words[short] |= set(long)
    assert words.pop("-n") == {"--sets", "--games", "--limit"}
    assert {short: sorted(long) for short, long in words.items()} == {
        "-f": ["--follow"],
        "-j": ["--jobs"],
        "-o": ["--option"],
    }


def test_a_word_takes_a_value_everywhere_or_nowhere() -> None:
    kinds = defaultdict(set)
    for _, param in options():
        for name in visible(param):
            kinds[name].add(param.is_flag)
    assert {name for name, found_kinds in kinds.items() if len(found_kinds) > 1} == set()


def test_each_option_has_one_name_besides_its_short_form() -> None:
    for command, param in options():
        assert len([name for name in visible(param) if name.startswith("--")]) == 1, (command, param.opts)
    assert all(len(param.secondary_opts) <= 1 for _, param in options())


def test_a_number_of_deal_sets_is_called_sets() -> None:
    counted = {command for command, param in options() if "--sets" in param.opts}
    assert counted == {"duel", "league", "practice"}
    assert all("-n" in param.opts for _, param in options() if "--sets" in param.opts)


@pytest.mark.parametrize("pair", sorted(EARLIER), ids="-".join)
def test_an_earlier_name_is_taken_and_not_shown(
    pair: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    new, old = pair
    having = [
        (path, param) for path in PATHS for param in found(path).params if {new, old} <= set(param.opts)
    ]
    assert having
    for path, param in having:
        command = found(path)
        for _ in range(2):
            command.get_help(Context(command, info_name=path[-1]))
            told = capsys.readouterr().out.split()
            assert new in told
            assert old not in told
            assert old in param.opts


@pytest.mark.long
def test_earlier_names_do_what_the_new_ones_do(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    for old, new in (("--record", "--out"), ("--replay", "--html")):
        for name in (old, new):
            code = terminal.run("play", "greedy", "first", "--seed", "1", name, f"deal{name}").code
            assert code == 0
        assert (tmp_path / f"deal{old}").read_bytes() == (tmp_path / f"deal{new}").read_bytes()
    told = [terminal.run("rules", "show", "prsi", name, "de").out for name in ("--lang", "--language")]
    assert told[0] == told[1]
