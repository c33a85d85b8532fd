"""Commands on macOS and Windows: those without a sandbox work, the others say where they would.

Simulated by taking away what those systems lack (elsewhere.py): files are opened and programs started as on
Linux.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperCommand, TyperGroup

from bench.support.patience import patient
from maumau import game
from maumau.cli.command import build_commands
from maumau.screen.keys import wait_for_key
from tests.cli.elsewhere import run_elsewhere

ROOT = Path(__file__).parents[2]
PLATFORMS = ("darwin", "win32")
WHERE = {
    "darwin": "macOS: type this on a Linux machine, or in a Docker container that has Python.",
    "win32": "Windows: type this in WSL 2, which `wsl --install` sets up.",
}
NEEDS_SANDBOX = (
    "play my-bot greedy", "duel my-bot greedy", "league my-bot greedy", "validate my-bot",
    "conformance my-bot", "doctor", "seek prsi --bot my-bot",
)  # fmt: skip


def list_commands(
    command: TyperCommand | TyperGroup, words: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    yield words
    if isinstance(command, TyperGroup):
        for name, each in command.commands.items():
            yield from list_commands(each, (*words, name))


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_command_has_its_help(platform: str, tmp_path: Path) -> None:
    lines = [shlex.join([*words, "--help"]) for words in list_commands(build_commands())]
    assert len(lines) > 60
    answers = run_elsewhere(platform, lines, tmp_path)
    assert [one for one in answers if one["code"] or one["err"] or "Usage:" not in one["out"]] == []


@pytest.fixture
def played(tmp_path: Path) -> Path:
    deal = game.deal(game.load("mau_mau"), 2, "a-seed")
    while not deal.over:
        for seat in deal.to_act:
            deal.apply(seat, game.first_action(deal, seat))
    record = tmp_path / "played.txt"
    record.write_text(game.record(deal), encoding="utf-8")
    return record


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_needs_no_sandbox_works(platform: str, tmp_path: Path, played: Path) -> None:
    (tmp_path / "own.toml").write_text('title = "Quick Prší"\nparent = "prsi"\nhand = 3\n', encoding="utf-8")
    lines = {
        "--version": "19 variants",
        "rules list": "Prší",
        "rules show mau_mau": "Mau",
        "new my-bot": "bot.py, bot.toml",
        "new other --lang rust": "bot.rs, bot.toml",
        f"replay {played.name}": "in hand",
        "runtimes": "python",
    }
    for answer, expected in zip(run_elsewhere(platform, list(lines), tmp_path), lines.values(), strict=True):
        assert (answer["code"], answer["err"]) == (0, ""), answer
        assert expected in answer["out"]


@pytest.mark.long
@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_needs_a_sandbox_says_where_there_is_one(platform: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "maumau/bots/first", tmp_path / "my-bot")
    answers = run_elsewhere(platform, [*NEEDS_SANDBOX, "up", "demo"], tmp_path)
    for answer in answers:
        subject = "Arenas" if answer["words"][0] in {"up", "demo"} else "Bots"
        assert answer["err"] == f"error: {subject} run on Linux only, and this is {WHERE[platform]}\n", answer
        assert answer["code"] == 1


def test_a_key_of_windows_is_waited_for_until_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Keyboard:
        looks = 0

        @classmethod
        def kbhit(cls) -> bool:
            cls.looks += 1
            return cls.looks == 3

    monkeypatch.setitem(sys.modules, "msvcrt", Keyboard)
    assert wait_for_key(patient(60))
    assert Keyboard.looks == 3
    assert not wait_for_key(0)
