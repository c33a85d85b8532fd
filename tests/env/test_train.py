"""docs/tutorial/train.md: its programs run, the script learns, and its bot is as strong as the page says."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from bench.support.house import play_sets
from maumau.bot import View
from maumau.bot.inside import bot_class, play_inside
from maumau.bots import folder as house
from maumau.contest.statistics.sequential import Sums
from maumau.env.choices import Choices
from maumau.env.observation import Encoder
from maumau.env.table import EnvTable
from maumau.game import load
from maumau.referee.block import Program
from maumau.sandbox.launch import choose_sandbox
from maumau.submission import package
from maumau.submission.validate import validate_program
from tests.support.again import play_until_a_result

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/tutorial/train.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
POLICY = Path(__file__).with_name("policy.json")
SETS = 300


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("self_play", ROOT / "docs/examples/self_play.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def share(sums: Sums) -> float:
    """Return the share of deals won."""
    return sums.total / (sums.sets * sums.unit)


@pytest.fixture
def kept(tmp_path) -> Path:
    """The folder that the script wrote, with the weights that are kept."""
    folder = tmp_path / "self-play"
    script = load_script()
    script.Trainer(tables=2).export(folder)
    shutil.copy(POLICY, folder / "policy.json")
    return folder


def test_the_programs_of_the_page_run(capsys):
    assert len(PROGRAMS) == 2
    for program in PROGRAMS:
        exec(compile(program, "train.md", "exec"), {})
    first, second = capsys.readouterr().out.splitlines()
    assert sorted(first) == sorted("[1, 2, 2]")
    assert second.startswith("[")


def test_the_bot_sees_the_same_numbers_as_its_policy_was_trained_on(kept):
    """In whole deals, decision by decision, and every number of the kept weights has its place."""
    rules, compared = load("mau_mau"), 0
    choices = Choices(rules, 2)
    encoder, script = Encoder(choices), load_script()
    parts = [part for field, part in encoder.fields.items() if field in script.FIELDS]
    columns = np.concatenate([np.arange(part.start, part.stop) for part in parts])
    trained = script.Trainer(tables=2)
    bot = bot_class(kept / "bot.py")

    class Checked(bot):
        def act(self, view: View) -> str:
            nonlocal compared
            found = self.inputs(view, [])
            row = encoder.encode([EnvTable(choices, REPLAYED[0])], [view.seat])[0]
            expected = row[columns] / trained.scale
            assert {at: value for at, value in enumerate(expected) if value} == pytest.approx(found)
            compared += 1
            return super().act(view)

    for number in range(16):
        play_watched(rules, Checked, f"watched {number}")
    assert compared > 60
    assert Checked.known["actions"] == choices.names
    assert Checked.known["cards"] == encoder.cards
    assert len(Checked.known["w"]) == len(columns)


REPLAYED: list = [None]


def play_watched(rules, bot, seed: str) -> None:
    """Play a deal between two of these, whose deal is in `REPLAYED`."""
    from maumau.bot import inside

    kept = inside.deal

    def remember(*words):
        REPLAYED[0] = kept(*words)
        return REPLAYED[0]

    inside.deal = remember
    try:
        play_inside(rules, (bot, bot), seed)
    finally:
        inside.deal = kept


@pytest.mark.long
def test_training_gets_better(tmp_path):
    """Against its own beginning, after a few thousand deals."""
    script = load_script()
    script.BATCH = 1024
    trainer = script.Trainer(seed=3, tables=64)
    trainer.export(tmp_path / "before")
    for _ in range(16):
        trainer.learn(trainer.collect(), script.RATE)
    trainer.export(tmp_path / "after")
    bots = [bot_class(tmp_path / name / "bot.py") for name in ("after", "before")]
    sums = play_sets(load("mau_mau"), bots, 60)
    assert share(sums) > 0.54


@pytest.mark.long
def test_the_kept_policy_wins_more_than_55_of_100_deals_against_greedy(kept):
    bots = [bot_class(kept / "bot.py"), bot_class(house("greedy") / "bot.py")]
    sums = play_sets(load("mau_mau"), bots, SETS)
    assert share(sums) > 0.55


@pytest.mark.long
def test_the_arena_accepts_the_bot(kept, tmp_path):
    packed = package.pack_submission(kept)
    stored = tmp_path / "stored"
    package.unpack_archive(packed.archive, stored)
    program = Program(stored, packed.manifest, packed.sha256, "self-play")
    report = play_until_a_result(lambda: validate_program(program, choose_sandbox("process")))
    assert report.ok, report.words
    assert [each for each in report.bank if each.share > 0.5] == []  # a busy host counts up to twice as much
