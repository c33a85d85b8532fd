"""The bound of a deal's length in a new contest: twice as long as honest play ever lasts.

A deal ends without a winner after `max_decisions` decisions. The variants' own bound is 2,000, which nobody
reaches by playing; but two bots that only draw do, in every deal, and take a worker as long as twenty honest
pairs. So a contest that does not choose its bound gets that of its rules and seats: twice the length that one
deal in 10,000 reaches between players who lay a card whenever they can. It is an option of the contest like
any other: its spec, its rules' hash, its records and its export say it, and contests made before have none.

The tail of the lengths falls by the same factor with every further decision, so that length is
q99 + 2·(q99 - q90), the quantiles of `DEALS` deals. For the variants as they are, at two to four seats, the
bounds stand in `length_table.py`, which `make lengths` writes; others are found in the same way when a
contest is made, from seeds that are always the same.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, Final

from maumau.contest.length_table import MOST_DECISIONS
from maumau.game import Deal, Rules, deal, load_any

OPTION: Final = "max_decisions"
DEALS: Final = 200
OF_GAMES: Final = (OPTION, "target", "rounds", "lives", "max_hands", "scoring")
"""Options that change nothing of how long a deal would last: its bound, and what ends a game."""
LEAST_STALLED: Final = 3
"""Deals of a seating that may stall before the rest is forfeited, however few it has."""

MOST_MEASURED: Final = 200_000
"""Decisions after which the measurement ends, some seconds: the variant's own bound remains."""

LEAST: Final = 60
"""No bound is lower: a deal has to be dealt, played and answered."""


def bound_length(rules: str, options: dict[str, Any], text: str, seats: int) -> dict[str, Any]:
    """Return the options with the bound of a deal's length, where they do not choose one themselves.

    text: of a custom variant, "" for a known one.
    """
    loaded = load_any(rules, text, **options)
    if OPTION in options:
        return options
    most = choose_bound(loaded, seats)
    return options if most == loaded.number(OPTION) else dict(sorted({**options, OPTION: most}.items()))


def bound_stalled(rules: Rules, seats: int, sets: int) -> int:
    """Return after how many stalled deals the rest of a seating is forfeited; 0: never.

    A tenth of the seating's deals, at least LEAST_STALLED. There is no such limit where deals have no bound
    of their own, as in contests made before there was one, or where a contest has chosen a lower one, which
    honest play reaches.
    """
    if OPTION not in rules.chosen:
        return 0
    others = {name: value for name, value in rules.chosen.items() if name not in OF_GAMES}
    usual = choose_bound(load_any(rules.name, rules.text, **others), seats)
    return max(LEAST_STALLED, -(-sets // 10)) if rules.number(OPTION) >= usual else 0


def choose_bound(rules: Rules, seats: int) -> int:
    """Return after how many decisions a deal of these rules is stopped at this many seats."""
    known = MOST_DECISIONS.get((rules.hash, seats))
    return measure_bound(rules, seats, DEALS) if known is None else known


def measure_bound(rules: Rules, seats: int, deals: int) -> int:
    """Return twice the length that one deal in 10,000 reaches, in tens; never more than the rules allow."""
    return _measure_bound(_Key(rules), seats, deals)


class _Key:
    """Rules as a key of the cache: equal if their hashes are."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.rules.hash == self.rules.hash

    def __hash__(self) -> int:
        return hash(self.rules.hash)


@lru_cache(maxsize=256)
def _measure_bound(key: _Key, seats: int, deals: int) -> int:
    lengths, made = list[int](), 0
    for number in range(deals):
        lengths.append(_count_decisions(key.rules, seats, number))
        made += lengths[-1]
        if made > MOST_MEASURED:  # a custom variant whose deals hardly end
            return key.rules.number(OPTION)
    lengths.sort()
    q90, q99 = (lengths[round(share * (deals - 1))] for share in (0.90, 0.99))
    bound = max(LEAST, -(-2 * (q99 + 2 * (q99 - q90)) // 10) * 10)
    return min(bound, key.rules.number(OPTION))


def _count_decisions(rules: Rules, seats: int, number: int) -> int:
    """Return the number of decisions of a deal between players who lay a card, any that fits, if they can."""
    rng = random.Random(number)  # noqa: S311 - a measurement, not a secret
    return play_honestly(deal(rules, seats, f"length {number}"), rng)


def play_honestly(d: Deal, rng: random.Random) -> int:
    """Play a deal to its end as such players do; return the number of decisions."""
    made = 0
    while not d.over:
        _decide_action(d, rng)
        made += 1
    return made


def _decide_action(d: Deal, rng: random.Random) -> None:
    seat = d.to_act[0]
    listed = d.legal(seat)
    action = rng.choice([one for one in listed if not one.word] or listed)
    d.apply(seat, action + d.due(seat, action))
