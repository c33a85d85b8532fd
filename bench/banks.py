"""What the house bots use of their banks: `python -m bench.banks` rewrites the table of docs/house-bots.md.

In every variant and at every number of seats they play each other in processes of their own, as in the arena.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import ceil

from bench.house_bots import write
from maumau.bot import package
from maumau.bot.pace import Pace
from maumau.bot.referee import BlockOrder, Program, play_block
from maumau.bot.sandbox import choose_sandbox
from maumau.bots import HOUSE, folder
from maumau.errors import PlatformFault
from maumau.game import load, variants

START, END = "<!-- measured banks -->", "<!-- end of measured banks -->"
DEALS = 100  # of each bot, in each variant, at each number of seats
TRIES = 5  # a block that the host spoiled is played again

Uses = dict[str, list[float]]  # reference milliseconds of each deal, by bot


def main(deals: int = DEALS) -> None:
    """Measure, print, and write the page's table."""
    write(START, _rows(deals), END)


def _rows(deals: int) -> Iterator[str]:
    yield from map(show, (("variant", "seats", *HOUSE), ("---",) * (2 + len(HOUSE))))
    pace = Pace()
    for name in variants():
        fewest, most = load(name).seats
        for seats in range(fewest, most + 1):
            uses = measure(name, seats, deals, pace)
            yield show((f"`{name}`", str(seats), *(cell(uses[bot]) for bot in HOUSE)))


def show(cells: tuple[str, ...]) -> str:
    """A row of the table, printed as soon as it is known."""
    row = "| " + " | ".join(cells) + " |"
    print(row, flush=True)
    return row


def measure(variant: str, seats: int, deals: int, pace: Pace) -> Uses:
    """Each bot at a table with others of them, in one seating."""
    uses: Uses = {}
    for first in range(0, len(HOUSE), seats):
        names = [HOUSE[(first + seat) % len(HOUSE)] for seat in range(seats)]
        seeds = [f"banks {variant} {seats} {number}" for number in range(deals)]
        order = BlockOrder(variant, seats, seeds, seatings=[0])
        for name, used in zip(names, _play(order, names, pace), strict=True):
            uses.setdefault(name, used)
    return uses


def _play(order: BlockOrder, names: list[str], pace: Pace) -> list[list[float]]:
    for _ in range(TRIES - 1):
        try:
            return _played(order, names, pace)
        except PlatformFault as fault:
            print(f"again: {fault}", file=sys.stderr)
    return _played(order, names, pace)


def _played(order: BlockOrder, names: list[str], pace: Pace) -> list[list[float]]:
    outcome = play_block(order, [program(name) for name in names], choose_sandbox("process"), pace=pace)
    return [use.deals_ms for use in outcome.measured.uses]


def program(name: str) -> Program:
    """A house bot as it lies in its folder; it has no build step."""
    packed = package.pack_submission(folder(name))
    return Program(folder(name), packed.manifest, packed.sha256, name)


def cell(deals: list[float]) -> str:
    """The mean, what 99 of 100 deals did not exceed, and the largest."""
    nearly_all = sorted(deals)[ceil(0.99 * len(deals)) - 1]
    return f"{sum(deals) / len(deals):.1f} / {nearly_all:.0f} / {max(deals):.0f}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
