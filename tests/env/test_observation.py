"""Observations: by hand, and never of what is hidden."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from maumau.env.choices import Choices
from maumau.env.observation import Encoder
from maumau.env.table import EnvTable
from maumau.game import deal_by_hand, load, variants
from tests.env.play import play_on, table_at
from tests.game.check import swapped
from tests.game.play import numbered

PAGE = Path(__file__).parents[2] / "docs/reference/env.md"


def laid_out() -> tuple[Encoder, EnvTable]:
    rules = load("prsi")
    d = deal_by_hand(rules, {0: "7H 9C", 1: "8S 8C KC", 2: "TC"}, "9H", "7D 8D 9D TD", 0)
    choices = Choices(rules, 3)
    return Encoder(choices), EnvTable(choices, d)


def name_cards(encoder: Encoder, part: np.ndarray) -> list[str]:
    return [name for name, count in zip(encoder.cards, part, strict=True) for _ in range(count)]


def test_a_seat_sees_its_hand_the_pile_and_how_many_cards_the_others_hold():
    encoder, table = laid_out()
    seen = encoder.split(encoder.encode([table], [0])[0])
    assert name_cards(encoder, seen["hand"]) == ["7H", "9C"]
    assert name_cards(encoder, seen["top"]) == name_cards(encoder, seen["pile"]) == ["9H"]
    assert seen["ask"].tolist() == [1] + [0] * 12
    assert seen["counts"].tolist() == [2, 3, 1]
    assert (seen["stock"], seen["owed"], seen["clockwise"]) == (4, 0, 1)


def test_after_a_seven_the_next_seat_owes_two_cards_and_counts_from_itself():
    encoder, table = laid_out()
    table.step(table.choices.number["7H"])
    seen = encoder.split(encoder.encode([table], [1])[0])
    assert seen["counts"].tolist() == [3, 1, 1]
    assert seen["owed"] == 2
    assert name_cards(encoder, seen["pile"]) == ["7H", "9H"]
    assert not encoder.split(encoder.encode([table], [0])[0])["ask"].any()


def test_tables_together_are_seen_as_each_alone():
    tables = [table_at("schweizer", number) for number in range(3)]
    for table, rng in tables:
        play_on(table, rng, 15)
    rules = load("haft_khabis")
    choices = Choices(rules, 7)
    same = [EnvTable(choices, deal_of(rules, number)) for number in range(5)]
    encoder = Encoder(choices)
    for number, table in enumerate(same):
        play_on(table, random.Random(number), 10 * number)
    seats = [max(table.seat, 0) for table in same]
    alone = [encoder.encode([table], [seat])[0] for table, seat in zip(same, seats, strict=True)]
    assert np.array_equal(encoder.encode(same, seats), np.array(alone))


def deal_of(rules, number):
    from maumau.game import deal

    return deal(rules, 7, f"{number}")


@pytest.mark.long
@settings(max_examples=60)
@given(numbered)
def test_an_observation_tells_nothing_of_what_is_hidden(number):
    """Deals that differ only in what a seat cannot see are observed alike, and have the same mask."""
    table, rng = table_at(*number)
    play_on(table, rng, rng.randrange(60))
    encoder = Encoder(table.choices)
    for seat in range(table.deal.seats):
        d = table.deal
        if seat in d.to_act or d.over or d.asks == "window":
            twin = EnvTable(table.choices, swapped(d, seat, rng))
            twin.parts, twin.call = table.parts, table.call
            assert np.array_equal(encoder.encode([twin], [seat]), encoder.encode([table], [seat]))
            if seat == table.seat == twin.seat and not table.parts and not table.said:
                assert twin.row == table.row


@settings(max_examples=40)
@given(numbered)
def test_every_number_is_in_its_bounds_and_says_what_the_view_says(number):
    table, rng = table_at(*number)
    play_on(table, rng, rng.randrange(80))
    if table.seat < 0:
        return
    encoder, view = Encoder(table.choices), table.deal.view(table.seat)
    row = encoder.encode([table], [table.seat])[0]
    assert (row <= encoder.most).all()
    seen = encoder.split(row)
    assert name_cards(encoder, seen["hand"]) == view.hand
    assert name_cards(encoder, seen["top"]) == ([view.top] if view.top else [])
    assert seen["counts"].tolist() == view.counts[view.seat :] + view.counts[: view.seat]
    assert (seen["stock"], seen["owed"], seen["skips"]) == (view.stock, view.owed, view.skips)
    assert seen["ask"].sum() == 1


def test_the_page_names_every_part_of_an_observation():
    told = set(re.findall(r"^\| `(\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    parts = {field for name in variants() for field in Encoder(Choices(load(name), 2, "own")).fields} | set(
        Encoder(Choices(load("faraon", draw_rescue=True), 2)).fields
    )
    assert parts - told == set()
