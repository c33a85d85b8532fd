"""Use of banks by the house bots: `python -m bench.play.banks` writes it into docs/reference/house-bots.md.

In every variant and at every number of seats the bots play each other, each in its own process, as in the
arena.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from bench.play.house_bots import replace_lines
from bench.support.house import house_program
from maumau.bots import HOUSE
from maumau.errors import PlatformFault
from maumau.game import load, variants
from maumau.referee.block import BlockOrder, play_block
from maumau.referee.pace import Pace
from maumau.sandbox.launch import choose_sandbox

START, END = "<!-- measured banks -->", "<!-- end of measured banks -->"
SEARCHER = "rollout"  # gets its own column
DEALS = 100  # of each bot, in each variant, at each number of seats
TRIES = 5  # a block disturbed by the host is replayed

Uses = dict[str, list[float]]  # reference milliseconds of each deal, by bot


def write_banks(deals: int = DEALS) -> None:
    """Measure and print the banks used, and update the page's table."""
    replace_lines(START, _write_rows(deals), END)


def _write_rows(deals: int) -> Iterator[str]:
    yield from map(print_row, (("variant", "seats", SEARCHER, "the others"), ("---",) * 4))
    pace = Pace()
    for name in variants():
        fewest, most = load(name).seats
        tables = [measure_table(name, seats, deals, pace) for seats in range(fewest, most + 1)]
        uses = {bot: [table[bot] for table in tables] for bot in HOUSE}
        others = [table for bot, of_bot in uses.items() if bot != SEARCHER for table in of_bot]
        yield print_row(
            (f"`{name}`", f"{fewest} to {most}", format_cell(uses[SEARCHER]), format_cell(others))
        )


def print_row(cells: tuple[str, ...]) -> str:
    """Return a row of the table, after printing it."""
    row = "| " + " | ".join(cells) + " |"
    print(row, flush=True)
    return row


def measure_table(variant: str, seats: int, deals: int, pace: Pace) -> Uses:
    """Return the bank used by each bot at a table with other house bots, in one seating."""
    uses: Uses = {}
    for first in range(0, len(HOUSE), seats):
        names = [HOUSE[(first + seat) % len(HOUSE)] for seat in range(seats)]
        seeds = [f"banks {variant} {seats} {number}" for number in range(deals)]
        order = BlockOrder(variant, seats, seeds, seatings=[0])
        for name, used in zip(names, _play_order(order, names, pace), strict=True):
            uses.setdefault(name, used)
    return uses


def _play_order(order: BlockOrder, names: list[str], pace: Pace) -> list[list[float]]:
    for _ in range(TRIES - 1):
        try:
            return _read_uses(order, names, pace)
        except PlatformFault as fault:
            print(f"again: {fault}", file=sys.stderr)
    return _read_uses(order, names, pace)


def _read_uses(order: BlockOrder, names: list[str], pace: Pace) -> list[list[float]]:
    outcome = play_block(order, [house_program(name) for name in names], choose_sandbox("process"), pace=pace)
    return [use.deals_ms for use in outcome.measured.uses]


def format_cell(tables: Sequence[Sequence[float]]) -> str:
    """Return the highest mean of a table, and the longest deal at any table."""
    highest = max(sum(deals) / len(deals) for deals in tables)
    return f"{highest:.1f} / {max(map(max, tables)):.0f}"


if __name__ == "__main__":
    write_banks(*map(int, sys.argv[1:2]))
