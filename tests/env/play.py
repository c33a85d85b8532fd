"""Random play at a table of an environment."""

from __future__ import annotations

import random

from maumau.env.choices import Choices
from maumau.env.table import EnvTable
from maumau.game import deal, load
from tests.game.play import dealt

MOST = 400  # decisions of a deal: some options let a deal go on for thousands


def list_open(row: bytes) -> list[int]:
    return [number for number, may in enumerate(row) if may]


def table_at(name: str, number: int, calls: str = "owed") -> tuple[EnvTable, random.Random]:
    """Return a table of a variant with options, seats and a deal drawn from a number."""
    d, rng = dealt(name, number)
    d.left = min(d.left, MOST)
    return EnvTable(Choices(d.rules, d.seats, calls), d), rng


def plain_table(name: str, seats: int, seed: str) -> EnvTable:
    rules = load(name)
    return EnvTable(Choices(rules, seats), deal(rules, seats, seed))


def play_on(table: EnvTable, rng: random.Random, steps: int) -> None:
    for _ in range(steps):
        if table.seat >= 0:
            table.step(rng.choice(list_open(table.row)))
