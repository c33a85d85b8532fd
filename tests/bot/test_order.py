"""The order of play is drawn by the seeds, programs are told no more of it, and no result hangs on it."""

from __future__ import annotations

import json

import pytest

from maumau.errors import BadReport
from maumau.game import order_deals, order_seatings
from maumau.referee.block import BlockOrder, BlockOutcome, play_block
from maumau.referee.join import join_sets
from tests.bot.conftest import SEEDS
from tests.support.again import play_until_a_result
from tests.support.kinds import one_of

SETS = 8
PLAYED = {0: [4, 2, 0, 1, 6, 5, 7, 3], 1: [4, 6, 0, 5, 2, 7, 1, 3]}
"""The sets of each seating in the order in which they are played, made with openssl from the seeds."""


@pytest.fixture
def block(process, submit):
    """Plays some seatings of a block, all by default; its outcome, and the deals as they ended."""

    def played(*names, seatings=(), seeds=tuple(SEEDS[:SETS])):
        order = BlockOrder("mau_mau", len(names), list(seeds), first_set=30, seatings=list(seatings))
        programs = [submit(name) for name in names]

        def play():
            told = []
            return play_block(order, programs, process, lambda *which: told.append(which[:2])), told

        return play_until_a_result(play)

    return played


def results(outcome):
    """Return all that is compared of a block, and its faults but for what was measured."""
    return [
        (one.number, deal.seats, deal.places, deal.points, deal.record, deal.notes,
         [(fault.entrant, fault.seating, fault.deal, fault.kind, fault.words) for fault in deal.faults])
        for one in outcome.sets for deal in one.deals
    ]  # fmt: skip


def test_each_seating_plays_the_deals_in_an_order_of_its_own(block):
    outcome, told = block("good", "good")
    assert told == [(30 + place, seating) for seating in (0, 1) for place in PLAYED[seating]]
    assert [one.number for one in outcome.sets] == list(range(30, 30 + SETS))
    assert [[deal.seats for deal in one.deals] for one in outcome.sets] == [[[0, 1], [1, 0]]] * SETS


def test_which_seating_is_played_first_is_drawn_by_the_first_seed(block):
    orders = {seed: order_seatings([seed], range(2)) for seed in SEEDS[:20]}
    assert sorted(map(tuple, set(map(tuple, orders.values())))) == [(0, 1), (1, 0)]
    swapped = next(seed for seed, order in orders.items() if order == [1, 0])
    outcome, told = block("good", "good", seeds=[swapped, SEEDS[50]])
    assert [seating for _, seating in told] == [1, 1, 0, 0]
    assert [[deal.seats[0] for deal in one.deals] for one in outcome.sets] == [[0, 1]] * 2


def test_a_program_is_told_the_place_of_a_deal_in_its_seating(block):
    outcome, _ = block("garbage", "good", seeds=SEEDS[:4])
    for seating in (0, 1):
        order = order_deals(SEEDS[:4], seating)
        asked = {
            fault.deal: json.loads(fault.ask)["deal"]
            for one in outcome.sets for fault in one.deals[seating].faults
        }  # fmt: skip
        assert asked == {30 + place: number for number, place in enumerate(order)}


@pytest.mark.long
def test_deals_of_a_seating_are_measured_by_their_sets(block):
    whole, _ = block("good", "spends")  # it spends its bank in the first deal that it plays
    used = whole.measured.uses[1].deals_ms
    assert len(used) == 2 * SETS
    for seating, each in ((0, used[:SETS]), (1, used[SETS:])):
        assert each.index(max(each)) == PLAYED[seating][0]


@pytest.mark.long
@pytest.mark.parametrize("name", one_of(3, ["illegal", "crash", "early"]))
def test_a_block_ordered_seating_by_seating_has_the_result_of_the_whole(block, name):
    whole, told = block(name, "good", "good")
    parts = [block(name, "good", "good", seatings=[seating])[0] for seating in (0, 1, 2)]
    joined = BlockOutcome(join_sets([part.sets for part in parts]), whole.measured)
    assert results(joined) == results(whole)
    assert [seating for _, seating in told[::SETS]] == [0, 2, 1]


@pytest.mark.long
def test_parts_that_are_no_block_are_refused_in_words(block):
    one, two = (block("good", "good", seatings=[seating], seeds=SEEDS[:2])[0] for seating in (0, 1))
    short = block("good", "good", seatings=[1], seeds=SEEDS[:1])[0]
    for parts, words in (
        ([], "one part for each of its seatings"),
        ([one], "one part for each of its seatings"),
        ([one, one], "one part for each of its seatings"),
        ([two, one], "one part for each of its seatings"),
        ([one, short], "the same deal sets"),
    ):
        with pytest.raises(BadReport, match=words):
            join_sets([part.sets for part in parts])
    assert len(join_sets([one.sets, two.sets])) == 2
