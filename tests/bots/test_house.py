"""The house bots: legal in every variant at small tables, the same for the same seed, in a clear order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path

import pytest

from maumau.bot import Bot, Result, View
from maumau.bot.inside import bot_class, play_inside
from maumau.bots import HOUSE, folder
from maumau.game import Action, Rules, load, record, variants
from maumau.referee.block import BlockOrder, Program, play_block
from maumau.sandbox.launch import choose_sandbox
from maumau.submission import package
from tests.support.again import play_until_a_result
from tests.support.kinds import one_of

DEALS = 200
FEW = 12
RULES = ("mau_mau", "prsi", "app")
SLOW = "rollout"
AS_EVER = {  # of three records; when the bot is changed on purpose, they change
    "mau_mau": "15f48625a43325d9",
    "prsi": "265b4be5f1589998",
    "app": "74e8003670e7374a",
    "faraon": "25eb1204728e4e82",
    "pesten": "a02d5d8b4d0bf8e3",
    "schweizer_2016": "3a0bf367cda7cd70",
    "tschau_sepp": "47ac0675983f8abc",
}


@pytest.fixture(scope="module")
def bots() -> dict[str, type[Bot]]:
    return {name: bot_class(folder(name) / "bot.py") for name in HOUSE}


def scores(rules: Rules, pair: Sequence[type[Bot]], sets: int) -> float:
    """Return the mean score of the first over mirrored deals at two seats."""
    total = 0.0
    for number in range(sets):
        for seat, seats in enumerate((pair, pair[::-1])):
            places = play_inside(rules, seats, f"pair {number}").places
            total += 0.5 + (places[1 - seat] > places[seat]) / 2 - (places[1 - seat] < places[seat]) / 2
    return total / (2 * sets)


WHOLE = [
    *(pytest.param(variant, FEW, id=variant) for variant in variants()),
    *(pytest.param(variant, DEALS, id=f"{variant}-often", marks=pytest.mark.long) for variant in RULES),
]


@pytest.mark.sample(6)
@pytest.mark.parametrize("seats", one_of(3, [2, 3, 4]))
@pytest.mark.parametrize(("variant", "deals"), WHOLE)
def test_every_house_bot_plays_whole_deals_and_nothing_illegal(
    bots: dict[str, type[Bot]], variant: str, deals: int, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(bots[SLOW].act.__globals__, "EFFORT", 1000)  # the same code, for less time
    rules = load(variant)
    for number in range(deals):
        table = islice(cycle(bots.values()), number, number + seats)
        assert play_inside(rules, list(table), f"{variant} {number}").over


@pytest.mark.parametrize("options", [{"places": True}, {"seven_stacking": True, "eight_stacking": "pass_on"}])
def test_they_play_with_options_and_two_packs(bots: dict[str, type[Bot]], options: dict[str, object]) -> None:
    rules = load("mau_mau", **options)
    for number in range(3):
        assert play_inside(rules, list(bots.values()), f"six {number}").over


@pytest.mark.parametrize("variant", RULES)
@pytest.mark.parametrize("name", HOUSE)
def test_the_same_seed_gives_the_same_decisions(bots: dict[str, type[Bot]], name: str, variant: str) -> None:
    rules = load(variant)
    table = [bots[name], bots["random"]]
    records = [record(play_inside(rules, table, seed)) for seed in ("one", "one", "two")]
    assert records[0] == records[1]
    assert records[0] != records[2]


@pytest.mark.parametrize(("variant", "digest"), sorted(AS_EVER.items()))
def test_searching_decides_as_ever(
    bots: dict[str, type[Bot]], variant: str, digest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(bots[SLOW].act.__globals__, "EFFORT", 1000)
    table = [bots[SLOW], bots["greedy"], bots[SLOW]]
    records = [record(play_inside(load(variant), table, f"as ever {number}")) for number in range(3)]
    assert hashlib.sha256(repr(records).encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize(("variant", "seats"), [("mau_mau", 10), ("pesten", 3), ("schweizer_2016", 2)])
def test_searching_plays_no_more_in_its_head_than_it_may_in_any_deal(
    bots: dict[str, type[Bot]], variant: str, seats: int
) -> None:
    known = bots[SLOW].act.__globals__
    left: list[float] = []
    over: list[float] = []

    class Watched(bots[SLOW]):  # type: ignore[misc,name-defined]
        decisions = 0

        def act(self, view: View) -> str | Action:
            self.decisions += 1
            return super().act(view)  # type: ignore[no-any-return]

        def end(self, _result: Result) -> None:
            choice = known["PLAYOUT"] + self.price
            least = known["DECISION"] + known["HIDDEN"] * len(self.rules.cards) + known["CHOICES"] * choice
            over.append(-self.left - self.decisions * least)
            left.append(self.left)

    for number in range(4):
        play_inside(load(variant), [Watched] + [bots["random"]] * (seats - 1), f"effort {number}")
    assert len(over) == 4
    assert min(left) < 0.9 * known["EFFORT"]
    assert max(over) < 0.25 * known["EFFORT"]  # it stops between two guesses


@pytest.mark.long
def test_they_decide_in_processes_of_their_own_as_they_do_inside(
    bots: dict[str, type[Bot]], tmp_path: Path
) -> None:
    pair = (SLOW, "random")
    programs = []
    for name in pair:
        packed = package.pack_submission(folder(name))
        package.unpack_archive(packed.archive, tmp_path / name)
        programs.append(Program(tmp_path / name, packed.manifest, packed.sha256, name))
    seeds = ["s1", "s2"]
    order = BlockOrder("mau_mau", 2, seeds, deal_ms=1000)
    outcome = play_until_a_result(lambda: play_block(order, programs, choose_sandbox("process")))
    rules = load("mau_mau")
    for played, seed in zip(outcome.sets, seeds, strict=True):
        for deal in played.deals:
            inside = play_inside(rules, [bots[pair[entrant]] for entrant in deal.seats], seed)
            assert deal.faults == []
            assert deal.record == record(inside)


@pytest.mark.long
@pytest.mark.parametrize(
    ("better", "worse", "variant", "least"),
    one_of(
        4,
        [
            ("first", "random", "prsi", 0.85),
            ("hoarder", "first", "mau_mau", 0.56),
            ("counter", "greedy", "mau_mau", 0.52),
            ("counter", "first", "app", 0.56),
        ],
    ),
)
def test_the_better_bot_wins_more(
    bots: dict[str, type[Bot]], better: str, worse: str, variant: str, least: float
) -> None:
    assert scores(load(variant), (bots[better], bots[worse]), 400) > least


@pytest.mark.long
def test_searching_beats_the_first_legal_card(bots: dict[str, type[Bot]]) -> None:
    assert scores(load("mau_mau"), (bots[SLOW], bots["first"]), 40) > 0.55
