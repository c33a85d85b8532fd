"""The order of a turn: as documented, and the same whether or not plain cards take the short way."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import get_args

import pytest

from maumau.errors import BadDeal
from maumau.game import Deal, Rules, deal, load, load_text, parse, record, variants
from maumau.game.model.move import Kind
from maumau.game.play.run import RUNS
from maumau.game.play.start import compile_rules
from maumau.game.play.turn import LAST_CARD_STAGES, NEEDS, STAGES, find_stages
from tests.game.play import rules_with, step
from tests.support.house_rules import HOUSES, load_house_rules

PAGE = Path(__file__).parents[2] / "docs/explanation/architecture.md"
DEALS = 5  # of each variant


def names(stages: object) -> list[str]:
    assert isinstance(stages, tuple)
    return [stage.__name__ for stage in stages]


@pytest.mark.parametrize(("title", "stages"), [("STAGES", STAGES), ("LAST_CARD_STAGES", LAST_CARD_STAGES)])
def test_the_order_of_a_turn_is_the_documented_one(title: str, stages: object) -> None:
    _, _, text = PAGE.read_text().partition(f"(`{title}`):\n\n")
    listed, _, _ = text.partition("\n\n")
    assert re.findall(r"^\d+\. `(\w+)`", listed, re.MULTILINE) == names(stages)


@pytest.mark.parametrize(
    ("name", "card", "stages"),
    [
        # no calls in prsi: the next player answers a seven or an ace at once
        ("prsi", "7H", ["apply_effects", "pass_turn"]),
        ("prsi", "AH", ["apply_effects", "pass_turn"]),
        ("prsi", "9H", ["begin_next_turn"]),
        # "Mau" must be said, and is missing until somebody else acts; an ace must be covered
        ("mau_mau", "7H", ["apply_effects", "settle_missed_call", "judge_own_call", "pass_turn"]),
        ("mau_mau", "AH", ["settle_missed_call", "judge_own_call", "play_again", "end_turn", "pass_turn"]),
        ("mau_mau", "9H", ["settle_missed_call", "judge_own_call", "begin_next_turn"]),
        # on a king another one may be thrown in; a Zug ends with accusations
        (
            "schweizer",
            "KH",
            [
                "settle_missed_call", "judge_own_call", "ask_for_kings", "throw_king",
                "end_turn", "ask_for_accusations", "end_zug", "pass_turn",
            ],
        ),
    ],
)  # fmt: skip
def test_a_card_keeps_the_stages_that_can_do_something(name: str, card: str, stages: list[str]) -> None:
    d = deal(load(name), 3, "kept")
    d.hands = [0b11] * 3  # nobody is out
    assert names(find_stages(d, 0, d.compiled.move(parse(card)))) == stages


def test_every_kind_of_move_can_be_carried_out() -> None:
    assert {*RUNS, "hold"} == set(get_args(Kind))  # holding is a reply, and carries out nothing


def test_only_known_stages_have_needs() -> None:
    assert set(NEEDS) <= {*STAGES, *LAST_CARD_STAGES}


def slow(rules: Rules, seats: int) -> Rules:
    """Return the same rules where every card takes its turn stage by stage."""
    again = (
        load_text(rules.name, rules.text, **rules.chosen) if rules.text else load(rules.name, **rules.chosen)
    )
    compile_rules(again, seats, fuses=False)
    return again


def pair(rules: Rules, rng: random.Random) -> tuple[Deal, Deal] | None:
    """Return one deal twice, with and without the short way; None if there are too few packs."""
    seats, seed = rng.randint(*rules.seats), f"{rng.random()}"
    first = rng.randrange(seats)
    try:
        return deal(rules, seats, seed, first), deal(slow(rules, seats), seats, seed, first)
    except BadDeal:
        return None


def same(fast: Deal, staged: Deal, rng: random.Random) -> int:
    """Play a deal both ways and return the number of moves that could take the short way."""
    assert not any(move.fused for move in staged.compiled.cache.moves.values())
    while not fast.over:
        number = rng.random()
        owed = number < 0.8
        step(fast, random.Random(number), owed=owed)
        step(staged, random.Random(number), owed=owed)
        assert (fast.to_act, fast.asks, fast.hands) == (staged.to_act, staged.asks, staged.hands)
        assert [fast.legal(seat) for seat in fast.to_act] == [staged.legal(seat) for seat in fast.to_act]
    assert staged.over
    assert record(fast) == record(staged)
    return sum(move.fused for move in fast.compiled.cache.moves.values())


@pytest.mark.parametrize("name", variants())
def test_a_plain_card_laid_the_short_way_does_what_its_stages_do(name: str) -> None:
    rng = random.Random(f"{name} both ways")
    played = short = 0
    while played < DEALS:
        rules = load(name, max_decisions=400) if not played else rules_with(name, rng)
        both = pair(rules, rng)
        if both is not None:
            short += same(*both, rng)
            played += 1
    assert short or name in {"schweizer", "schweizer_2016", "prsi_blind"}  # where no card is plain


@pytest.mark.parametrize("name", HOUSES)
def test_a_plain_card_does_the_same_both_ways_with_a_house_rule(name: str) -> None:
    both = pair(load_house_rules(name), random.Random(f"{name} both ways"))
    assert both is not None
    same(*both, random.Random(name))


def test_the_short_way_can_be_switched_off_for_rules_that_were_played() -> None:
    rules = load("prsi")
    assert compile_rules(rules, 2).fuses
    assert not compile_rules(rules, 2, fuses=False).fuses
    assert deal(rules, 2, "staged").compiled is compile_rules(rules, 2)
    assert not compile_rules(rules, 2).fuses
