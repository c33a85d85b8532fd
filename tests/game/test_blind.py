"""Face-down play: who sees what, in messages, events and records; and with other rules beside it."""

from __future__ import annotations

import random

import pytest

from maumau.errors import BadVariant
from maumau.game import Deal, Rules, deal, deal_by_hand, load, record, replay
from maumau.game.ruleset.variant import read_variant
from tests.game.play import step
from tests.support.kinds import one_of

BLIND = """
title = "Face down, with calls, covers, reversals and mirrors"
source = "000, Rules and Variation: Blind"
extends = "{base}"

[[blind]]

{more}
"""
MORE = {
    "mau_mau": "[options]\ncut_on = { values = [true, false], default = false }",
    "haft_khabis": "",
    "pesten": "",
    "shop_basic": "",
    "shop_extended": '[[card]]\non = ["T"]\nplain = true\nmirror = true',
    "tschau_sepp": "",
    "app": "",
}


def laid_down() -> Deal:
    d = deal_by_hand(load("prsi_blind"), {0: "8D KC KH", 1: "9H QC 7C", 2: "TD TC 8C"}, "TS", "8H")
    d.apply(0, "8D~QS>H")
    return d


def test_only_its_player_sees_the_card_that_lies_face_down() -> None:
    d = laid_down()
    assert d.view(0).events[-1] == "A 8D~QS>H"
    assert d.view(1).events[-1] == d.view(2).events[-1] == d.watched()[-1] == "A ~QS>H"


def test_who_is_asked_to_doubt_is_told_the_claim_and_whose_it_is() -> None:
    view = laid_down().view(1)
    assert (view.ask, view.claim, view.by, view.legal) == ("doubt", "QS", 0, ["accept", "doubt"])
    assert (view.top, view.wish, view.counts) == ("TS", None, [2, 3, 3])


def test_a_believed_card_is_never_shown() -> None:
    d = laid_down()
    d.apply(1, "accept")
    assert (d.view(2).top, d.view(2).wish) == ("QS", "H")
    assert not any("8D" in event for event in d.seen(1) + d.seen(2) + d.watched())


def test_a_doubted_card_is_shown_to_all() -> None:
    d = laid_down()
    d.apply(1, "doubt")
    assert "A shows 8D" in d.watched()


def test_a_record_has_the_hidden_card() -> None:
    d = laid_down()
    assert record(d).endswith("A 8D~QS>H\n")
    again = replay(record(d))
    assert again.view(1) == d.view(1)
    again.apply(1, "doubt")
    assert record(replay(record(again))) == record(again)


def test_a_copy_made_while_a_claim_is_open_goes_its_own_way() -> None:
    d = laid_down()
    twin = d.copy()
    d.apply(1, "accept")
    twin.apply(1, "doubt")
    assert (d.top, twin.top) != (twin.top, d.top)
    assert twin.hands[0].bit_count() == 4
    assert d.hands[0].bit_count() == 2


def test_a_deal_that_stops_while_a_claim_is_open_gives_the_card_back() -> None:
    rules = load("prsi_blind", max_decisions=1)
    d = deal_by_hand(rules, {0: "8D KC", 1: "9H QC"}, "TS", "8H")
    d.apply(0, "8D~9S")
    assert d.over
    assert d.hands[0].bit_count() == 2


@pytest.mark.parametrize("base", one_of(3, MORE))
def test_face_down_play_goes_with_other_rules(base: str) -> None:
    rules = Rules("own", read_variant(BLIND.format(base=base, more=MORE[base]), "own"), {})
    for number in range(12):
        rng = random.Random(f"{base} {number}")
        d = deal(rules, 2 + number % 3, f"{base} {number}")
        while not d.over:
            step(d, rng, owed=number % 4 != 0)
            claimed = d.features.claimed
            held = [*d.hands, d.stock, d.topmost, claimed.card if claimed else 0]
            assert sum(held) == sum(held) & d.made.full
            assert sum(map(int.bit_count, held)) == sum(held).bit_count()
        assert d.out or d.left <= 0


def test_a_word_where_true_or_false_belongs_is_an_error() -> None:
    text = BLIND.format(base="mau_mau", more="").replace("[[blind]]", '[[blind]]\nwrong_miss = "maybe"')
    with pytest.raises(BadVariant, match="wrong_miss = 'maybe' is neither true nor false"):
        deal(Rules("own", read_variant(text, "own"), {}), 2, "x")
