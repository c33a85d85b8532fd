"""`make lengths`: after how many decisions a deal is stopped in a new contest, by rules and seats."""

import os
from concurrent.futures import ProcessPoolExecutor

from bench.support.checkout import ROOT
from maumau.contest.length import DEALS, measure_bound
from maumau.contest.spec.spec import PLACES
from maumau.errors import BadOption
from maumau.game import Rules, load, variants

MOST_SEATS = 4  # larger tables are seldom asked for: their bound is found when it is needed
TABLES = range(3, 6)  # seats of contests at tables, where a deal goes on after the first is out
TABLE = ROOT / "maumau" / "contest" / "length_table.py"
HEAD = '''"""Bounds of a deal's length in new contests, by the rules' hash and the seats.

Written by `make lengths`.
"""

from typing import Final

MOST_DECISIONS: Final[dict[tuple[str, int], int]] = {
'''


def measure_length(name: str, seats: int, options: dict[str, bool]) -> str:
    """Return the line of a variant at this many seats."""
    rules = load(name, **options)
    words = ", ".join((name, *options))
    return f'    ("{rules.hash}", {seats}): {measure_bound(rules, seats, DEALS)},  # {words}\n'


def list_cases(name: str) -> list[tuple[str, int, dict[str, bool]]]:
    """Return a variant's cases: by its own options, then at tables, if its deals can go on."""
    low, high = load(name).seats
    own = [(name, seats, dict[str, bool]()) for seats in range(low, min(high, MOST_SEATS) + 1)]
    return own + [(name, seats, {PLACES: True}) for seats in TABLES if seats <= high and _can_play_on(name)]


def _can_play_on(name: str) -> bool:
    try:
        rules: Rules = load(name, **{PLACES: True})
    except BadOption:
        return False
    return rules.hash != load(name).hash


def write_lengths() -> None:
    """Measure all variants with their own options, and as they are played at tables."""
    cases = [case for name in variants() for case in list_cases(name)]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        lines = pool.map(measure_length, *zip(*cases, strict=True))
        TABLE.write_text(HEAD + "".join(lines) + "}\n")


if __name__ == "__main__":
    write_lengths()
