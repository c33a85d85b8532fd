"""The house bots use at most a quarter of their bank, wherever they may be entered."""

from __future__ import annotations

import pytest

from bench.support.house import house_program
from maumau.bots import HOUSE
from maumau.game import load, variants
from maumau.protocol.fault import Fault
from maumau.referee.block import BlockOrder, Program, play_block
from maumau.sandbox.launch import choose_sandbox
from tests.support.again import play_until_a_result

QUARTER = 25  # reference ms a deal, of 100
DEALS = 8


BOTS = [house_program(name) for name in HOUSE]


def everywhere() -> list[tuple[str, int]]:
    """Return every variant and number of seats that a house bot can be entered for: they name neither."""
    assert not any(bot.manifest.rules or bot.manifest.seats for bot in BOTS)
    ranges = [(name, load(name).seats) for name in variants()]
    return [(name, seats) for name, (fewest, most) in ranges for seats in range(fewest, most + 1)]


def assert_a_quarter_is_enough(variant: str, seats: int) -> None:
    """Check that each bot needs a quarter of its bank at most, at a table with others of them."""
    for first in range(0, len(HOUSE), seats):
        table = [BOTS[(first + seat) % len(HOUSE)] for seat in range(seats)]
        seeds = [f"bank {variant} {seats} {number}" for number in range(DEALS)]
        order = BlockOrder(variant, seats, seeds, deal_ms=QUARTER, seatings=[0])
        faults = played(order, table)
        assert [(table[fault.entrant].name, fault.words) for fault in faults] == []


def played(order: BlockOrder, table: list[Program], tries: int = 5) -> list[Fault]:
    """Return the faults of a block, played again as in the arena if the host kept a program waiting."""
    outcome = play_until_a_result(lambda: play_block(order, table, choose_sandbox("process")))
    faults = [fault for one in outcome.sets for deal in one.deals for fault in deal.faults]
    if tries > 1 and any(fault.kind == "wall" for fault in faults):
        return played(order, table, tries - 1)
    return faults


COSTLY = {"mau_mau", "pesten"}
"""The variants whose deals cost the search most."""


@pytest.mark.long
@pytest.mark.parametrize(
    "variant", [pytest.param(name, marks=[] if name in COSTLY else pytest.mark.long) for name in variants()]
)
def test_a_quarter_of_the_bank_is_enough_at_two_seats(variant: str) -> None:
    assert_a_quarter_is_enough(variant, 2)


@pytest.mark.long
@pytest.mark.parametrize(("variant", "seats"), [pair for pair in everywhere() if pair[1] > 2])
def test_a_quarter_of_the_bank_is_enough_everywhere(variant: str, seats: int) -> None:
    assert_a_quarter_is_enough(variant, seats)
