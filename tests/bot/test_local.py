"""`maumau-bot`: deals in one process, those of `maumau duel`."""

from __future__ import annotations

from pathlib import Path

import pytest

from maumau.errors import NoBot
from maumau.game import load
from maumau.local import find_bot, main, play_sets

FAULTY = """
from maumau.bot import Bot, run

class Faulty(Bot):
    def act(self, view):
        {line}

run(Faulty)
"""


def write_bot(folder: Path, line: str) -> str:
    path = folder / "faulty.py"
    path.write_text(FAULTY.format(line=line))
    return str(path)


@pytest.mark.parametrize("seats", [2, 3])
def test_equal_programs_share_every_set(seats: int) -> None:
    """In each seating another of them has the winner's seat."""
    found = list(play_sets(load("mau_mau"), [find_bot("first")] * seats, "seed", 5))
    assert found == [[pytest.approx(1 / seats)] * seats] * 5


def test_a_seed_repeats_its_deals(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["greedy", "random", "--rules", "prsi", "-o", "packs=2", "-n", "8", "--seed"]
    told = [(main([*words, seed]), capsys.readouterr().out) for seed in ("7", "7", "8")]
    assert told[0] == told[1] != told[2]
    assert told[0][1].startswith("prsi: 8 mirrored sets, 16 deals, seed 7\ngreedy: wins ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gredy", "first"], "there is no gredy; house bots: first, random, greedy,"),
        (["first", "first", "--rules", "zz"], "there is no variant 'zz'"),
        (["first", "first", "-o", "hand"], "--option 'hand' is not KEY=VALUE"),
        (["first", "first", "-o", "hands=5"], "hands"),
        (["first"] * 11, "mau_mau is played by 2 to 10, not by 11"),
    ],
)
def test_wrong_words_are_refused_in_words(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--seed", "1"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert said in told


def test_a_name_that_no_system_takes_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["x" * 5000, "first"]) == 1
    assert "cannot be found" in capsys.readouterr().err


def test_a_wrong_answer_is_told_with_its_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([write_bot(tmp_path, "return 'dance'"), "first", "--seed", "1"]) == 1
    assert "(in deal 0 of seed 1, seating 0)" in capsys.readouterr().err


def test_a_programs_own_error_is_raised_with_its_deal(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        main([write_bot(tmp_path, "return 1 / 0"), "first", "--seed", "1"])
    assert raised.value.__notes__ == ["in deal 0 of seed 1, seating 0"]


def test_a_file_without_a_bot_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("")
    with pytest.raises(NoBot, match="defines no class of Bot"):
        find_bot(str(empty))
