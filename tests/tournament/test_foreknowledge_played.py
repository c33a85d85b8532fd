"""In a round robin of eight that is really played, who knows deals is named and nobody else."""

from __future__ import annotations

import itertools
import tempfile
from functools import partial
from pathlib import Path
from random import Random

import pytest

from maumau.bots import folder
from maumau.contest.entrant import Entrant
from maumau.contest.export.foreknowledge import Marks, find_foreknowledge
from maumau.contest.seed import deal_seed, deal_seeds
from maumau.home.entrant import unpack_program
from maumau.referee.block import BlockOrder, play_block
from maumau.sandbox.launch import choose_sandbox
from services.tournament.domain.isolation import Candidate, choose_plan, isolate_seating
from services.tournament.play.isolator import CREDIT, mark_entrants
from services.tournament.store.blocks.isolation import PlayedAgain
from tests.support.again import play_until_a_result
from tests.support.submission import pack_submission

NAMES = ("foreknows", "rollout", "impulsive", "counter", "greedy", "hoarder", "first", "random")
SECRET, ROOT, BLOCK = "0123456789abcdef", "cd" * 32, 60
WALL_MS, START_MS, SHARE = 3000.0, 1000.0, 0.02


class Table:
    """Plays blocks between programs that stay; word: the file that one of them carries hands in."""

    def __init__(self, room: Path) -> None:
        self.word, self.sandbox = room / "word", choose_sandbox("process")
        toml = f'run = ["python3", "bot.py", "{self.word}"]\n'
        text = {f"{name}.py": (folder(name) / "bot.py").read_text() for name in ("rollout", "greedy")}
        own = {name: pack_submission(room, "", name, toml, **text) for name in ("foreknows", "impulsive")}
        self.programs = [own.get(name) or unpack_program(name, room) for name in NAMES]

    def play(self, pair, seeds, seatings=()):
        order = BlockOrder("prsi", 2, list(seeds), deal_ms=1000, seatings=list(seatings))
        return play_until_a_result(partial(self._play, order, [self.programs[one - 1] for one in pair])).sets

    def _play(self, *block):
        self.word.unlink(missing_ok=True)
        return play_block(*block, self.sandbox)

    def play_again(self, pair, label, booked, sets, *, is_told):
        """Return the marks of both entrants in deals of a seating that are replayed alone."""
        seeds = deal_seeds(SECRET, ROOT, label, range(BLOCK))
        alone = isolate_seating(seeds, 0, 1000, sets, is_told=is_told)
        again = self.play(pair, [seeds[number] for number in alone.sets], [alone.seating])
        kept = [booked[number] for number in alone.sets]
        return mark_entrants(PlayedAgain(alone.seating, list(pair), kept, again, True, False))


@pytest.fixture
def table():
    with tempfile.TemporaryDirectory(prefix="maumau-") as name:
        Path(name).chmod(0o755)
        yield Table(Path(name))


@pytest.mark.long
def test_within_one_round_robin_of_eight_the_bot_that_knows_hands_is_named_and_nobody_else(table):
    """One block a match, and no more is played again than 2 % and the credit of a contest pay for."""
    marks, blocks, credit, chance = {}, {}, CREDIT, Random(1)
    for number, pair in enumerate(itertools.combinations(range(1, len(NAMES) + 1), 2), start=1):
        seeds = [deal_seed(SECRET, ROOT, f"1.1.{number}", one) for one in range(BLOCK)]
        blocks[f"1.1.{number}"] = (pair, table.play(pair, seeds))
        credit += SHARE * WALL_MS
    waiting = [Candidate(key, pair, BLOCK, 1000, WALL_MS, START_MS) for key, (pair, _) in blocks.items()]
    while (plan := choose_plan(waiting, marks, len(NAMES), chance)) and plan.price <= credit:
        waiting.remove(plan.told)
        credit -= plan.price
        pair, booked = blocks[plan.told.block_id]
        again = partial(table.play_again, pair, plan.told.block_id, booked, plan.sets)
        told, fresh = again(is_told=True), again(is_told=False) if plan.fresh else None
        for one in pair:
            known = marks.get(one, Marks())
            marks[one] = (
                known._replace(told=known.told + told[one], fresh=known.fresh + fresh[one])
                if fresh else known._replace(screened=known.screened + told[one])
            )  # fmt: skip
    entrants = [Entrant(n, name, f"{n:064x}") for n, name in enumerate(NAMES, start=1)]
    found = {one.name: one for one in find_foreknowledge(entrants, marks)}
    assert [name for name, one in found.items() if one.suspicious] == ["foreknows"]
    assert found["foreknows"].fresh_changed == 0
    repeat = [one for name, one in found.items() if name not in {"foreknows", "impulsive"}]
    assert {(one.told_changed, one.fresh_changed, one.screened_changed) for one in repeat} == {(0, 0, 0)}
