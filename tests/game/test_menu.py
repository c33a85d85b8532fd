"""Action lists never explode: few are listed, and whatever is allowed is still accepted."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from maumau.errors import BadVariant, IllegalAction
from maumau.game import Deal, Rules, deal, deal_by_hand, load, parse
from maumau.game.notation.cards import list_codes
from maumau.game.ruleset.variant import read_variant
from maumau.game.table.lay import lowest_copy

NINES = """
title = "Runs on a nine, and cards of one rank together"
source = "001"
seats = [2, 4]
packs = [[4, 2]]

[[together]]
says = "auf eine 9 beliebig viele Karten der gleichen Farbe"
base = ["9"]

[[card]]
on = ["J"]
wild = true
"""


def nines() -> Rules:
    return Rules("nines", read_variant(NINES, "nines"), {})


def test_a_run_on_a_nine_with_ten_cards_of_its_suit_stays_short() -> None:
    d = deal_by_hand(nines(), {0: "9H 7H 8H TH QH KH AH JH 7H 8H TH KC KD", 1: "9C QC"}, "9S", "TD")
    assert 20 < len(d.legal(0)) < 300


def test_any_order_and_any_choice_of_a_long_run_is_accepted() -> None:
    d = deal_by_hand(nines(), {0: "9H 7H 8H TH QH KH AH JH 7H 8H TH KC KD", 1: "9C QC"}, "9S", "TD")
    rng = random.Random(9)
    cards = ["7H", "8H", "TH", "QH", "KH", "AH", "JH", "7H", "8H", "TH"]
    for _ in range(300):
        run = rng.sample(cards, rng.randint(1, len(cards)))
        text = "+".join(["9H", *run]) + (">C" if run[-1] == "JH" else "")
        twin = d.copy()
        assert d.allows(0, text)
        twin.apply(0, text)
        assert twin.hands[0].bit_count() == 13 - 1 - len(run)


@pytest.mark.parametrize("text", ["9H+9H+7H", "9H+7H+7H+7H", "9H+KC", "7H+9H", "9H+7H+KD+8H", "9H+JH+7H>C"])
def test_what_is_no_run_is_refused(text: str) -> None:
    d = deal_by_hand(nines(), {0: "9H 7H 8H TH QH KH AH JH 7H 8H TH KC KD", 1: "9C QC"}, "9S", "TD")
    assert not d.allows(0, text)
    with pytest.raises(IllegalAction):
        d.apply(0, text)


def equal_cards() -> Deal:
    hand = "9C 9S 9H 9D 9C 9S 9H 9D KC"
    return deal_by_hand(load("prsi_quick", packs=2), {0: hand, 1: "TC QC"}, "8S", "TD")


def test_eight_equal_cards_from_two_packs_stay_short() -> None:
    d = equal_cards()
    assert 20 < len(d.legal(0)) < 300


def test_eight_equal_cards_may_be_laid_in_any_order() -> None:
    d = equal_cards()
    rng = random.Random(8)
    nines = ["9C", "9S", "9H", "9D"] * 2
    nines.remove("9S")
    for _ in range(300):
        text = "+".join(["9S", *rng.sample(nines, rng.randint(1, 7))])
        assert d.allows(0, text)
        d.copy().apply(0, text)


def test_eight_wild_cards_stay_short() -> None:
    hand = "QC QS QH QD QC QS QH QD KC"
    d = deal_by_hand(load("prsi_quick", packs=2), {0: hand, 1: "TC 9C"}, "8S", "TD")
    assert len(d.legal(0)) < 300
    for order in list(permutations(["QC", "QS", "QH", "QD"]))[::5]:
        assert d.allows(0, "+".join(order) + ">H")


def whole_pack(options: dict[str, bool | str], up: str) -> Deal:
    """Deal one seat every card except two and the up card."""
    rules = load("prsi_blind", **options)
    rest = [card for card in rules.cards if card != up]
    return deal_by_hand(rules, {0: " ".join(rest[2:]), 1: " ".join(rest[:2])}, up, "")


@pytest.mark.parametrize("up", ["8S", "QH", "JC"])
@pytest.mark.parametrize("options", [{}, {"blind_claim_legal": False}, {"ranks": "2-A"}])
def test_face_down_claims_stay_below_a_thousand(options: dict[str, bool | str], up: str) -> None:
    d = whole_pack(options, up)
    listed = d.legal(0)
    assert 400 < len(listed) <= 1000 or (d.menu.short and len(listed) < 200)


def test_every_claim_is_accepted_also_where_not_all_are_listed() -> None:
    d = whole_pack({"ranks": "2-A", "blind_claim_legal": False}, "8S")
    assert d.menu.short
    for card in d.rules.cards:
        for claim in d.rules.cards:
            text = f"{card}~{claim}" + (">D" if claim[0] == "Q" else "")
            assert d.allows(0, text) == (d.hands[0] >> parse(card).cards[0] & 1 == 1)
    assert not d.allows(0, "9C~QS")
    assert not d.allows(0, "9C~8S>H")
    assert {f"{card}~{card}" for card in d.view(0).hand if card[0] != "Q"} <= set(map(str, d.legal(0)))


def test_cards_laid_together_cannot_be_laid_face_down() -> None:
    rules = Rules("both", read_variant(f"{NINES}[[blind]]\n", "both"), {})
    with pytest.raises(BadVariant, match="one card is claimed at a time"):
        deal(rules, 2, "both")


def test_of_two_packs_either_copy_of_a_card_is_listed_by_the_same_list() -> None:
    hands = {0: "TH KD", 1: "TH QC", 2: "TC 9C", 3: "TC 9C", 4: "TS 9S", 5: "TS 9S", 6: "TD 9D"}
    d = deal_by_hand(load("mau_mau"), hands, "8H", "AC JC QS KS")
    listed = d.menu
    assert [str(action) for action in listed.actions] == ["TH"]
    d.apply(0, "TH!")
    assert d.to_act == (1,)
    assert d.menu is listed
    d.apply(1, "TH!")
    assert [hand.bit_count() for hand in d.hands[:2]] == [1, 1]


def companions(d: Deal, code: int) -> set[int]:
    """Return the kinds of card that the seat on turn can lay on this one of its cards."""
    hand = d.hands[d.seat]
    return set(list_codes(hand & d.compiled.along[code] & ~lowest_copy(hand, code)))


@pytest.mark.parametrize("name", ["prsi_quick", "faraon", "nines"])
def test_lists_of_sets_are_whole_and_in_order_also_where_the_pack_is_not_divided(name: str) -> None:
    """Each card that fits is the bottom of every set that can lie on it, and bottoms are in order."""
    rules, chance = nines() if name == "nines" else load(name), random.Random(name)
    for number in range(20):
        d = deal(rules, 3, f"sets {number}")
        assert bool(d.compiled.cache.lower_cards) == (name != "nines")
        while not d.over:
            hand = d.hands[d.seat]
            bottoms = [action.cards[0] for action in d.legal(d.seat) if not action.word]
            assert bottoms == sorted(bottoms)
            if d.asks == "turn":
                assert set(bottoms) == set(list_codes(hand & d.fits))
            pairs = {action.cards for action in d.legal(d.seat) if len(action.cards) == 2}
            assert pairs == {(low, top) for low in bottoms for top in companions(d, low)}
            d.play_out(chance, most=1)
