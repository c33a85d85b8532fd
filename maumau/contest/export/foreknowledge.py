"""Test whether a bot decides otherwise in a deal that it may know from an earlier seating.

A booked deal is played again by fresh processes that have seen no other seating of its block, with the same
seeds and the same messages. A bot that decides by what it is told and by `rng` plays it again to the letter.
A deal of the seating that was played second (or of a second run) is `told`, since the bot may have known the
cards when it counted; a deal of the seating played first is `fresh`. Of each only the first difference of the
two records counts: it belongs to the bot that made it, and the other bot's decisions after it are unknown.

Told and fresh deals of a bot are paired in the order in which they were compared. Of the pairs in which it
decided otherwise in exactly one deal (McNemar 1947), let a be those of a told deal, b those of a fresh one.
A bot that knows nothing may decide by the clock, and hosts are busy at times; the null hypothesis is that,
whatever came before, the told deal is at most ODDS times as likely as the fresh one to be it: chance at most
q = ODDS / (1 + ODDS). Against it speaks the mixture over a uniform prior of that chance p on (q, 1),

    e = Σ w (p / q)^a ((1 - p) / (1 - q))^b

by the nodes p and the weights w of Gauss and Legendre, whose sum is 1. It is a supermartingale under the null
hypothesis, so (Ville 1939; Robbins 1970) it ever reaches N with a chance of at most 1 / N, whenever somebody
looks and however the deals to compare are chosen from what is known before. A bot is suspicious if
p = 1 / e <= ALPHA / entrants (Bonferroni). For a bot that decided otherwise in fresh deals, too, the larger
of the p for ODDS and for CLOCK_ODDS counts: its odds follow the load of hosts, which differs from run to run.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from maumau.contest.entrant import Entrant
from maumau.contest.export.carryover import ALPHA
from maumau.game import drop_mark
from maumau.game.notation.action import SEATS

Floats = NDArray[np.float64]

ODDS: Final = 2.0
"""The tolerated odds that an honest bot decides otherwise in the told deal of a pair."""

CLOCK_ODDS: Final = 4.0
"""The tolerated odds for a bot that does not repeat its fresh deals."""

NODES: Final = 24
SAME, CHANGED, UNKNOWN = "0", "1", "."
"""Marks of a deal: decided alike, decided otherwise first, cut short by another bot or by a fault."""


class Marks(NamedTuple):
    """Marks of a bot's deals that are evidence, in the order in which they were compared.

    screened: of told deals that were compared to choose where to look, and are no evidence.
    """

    told: str = ""
    fresh: str = ""
    screened: str = ""


class Foreknowledge(msgspec.Struct, frozen=True):
    """A bot's deals that were played again alone. told, fresh: how many are paired; changed: of those.

    screened: told deals compared to choose where to look. p: at least the chance that a bot without knowledge
    of the deals ever seems to have some.
    """

    entrant: int
    name: str
    told: int
    told_changed: int
    fresh: int
    fresh_changed: int
    screened: int
    screened_changed: int
    p: float
    suspicious: bool


def find_first_change(record: str, again: str) -> int | None:
    """Return the seat that first decided otherwise, -1 if nobody can be named, None if nobody did."""
    if record == again:
        return None
    for line, other in itertools.zip_longest(
        *(drop_mark(text).splitlines() for text in (record, again)), fillvalue=""
    ):
        if line != other:
            seat, seat_again = line.partition(" ")[0], other.partition(" ")[0]
            is_named = seat == seat_again and len(seat) == 1 and seat in SEATS
            return SEATS.index(seat) if is_named else -1
    return -1


def mark_deal(seat: int, changed: int | None) -> str:
    """Return the mark of a deal for the bot in this seat. changed: as from `find_first_change`."""
    if changed is None:
        return SAME
    return CHANGED if changed == seat else UNKNOWN


def find_foreknowledge(entrants: Sequence[Entrant], marks: Mapping[int, Marks]) -> list[Foreknowledge]:
    """Return the test of each entrant, in the order of entry. marks: by the entrant's number."""
    alpha = ALPHA / len(entrants) if entrants else ALPHA
    return [_test_entrant(entrant, marks.get(entrant.number, Marks()), alpha) for entrant in entrants]


@lru_cache(maxsize=4096)
def find_p(told_only: int, fresh_only: int, odds: float = ODDS) -> float:
    """Return 1 / e, at most 1, for pairs in which only the told or only the fresh deal was changed."""
    for_told, for_fresh, weights = _read_mixture(odds)
    logarithm = float(np.logaddexp.reduce(told_only * for_told + fresh_only * for_fresh + weights))
    return math.exp(-max(logarithm, 0.0))


@cache
def _read_mixture(odds: float) -> tuple[Floats, Floats, Floats]:
    """Return the logarithms of p / q, of (1 - p) / (1 - q) and of w at the nodes."""
    chance = odds / (1 + odds)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    higher = chance + (1 - chance) * (nodes + 1) / 2
    return np.log(higher / chance), np.log((1 - higher) / (1 - chance)), np.log(weights / 2)


def _test_entrant(entrant: Entrant, marks: Marks, alpha: float) -> Foreknowledge:
    told, fresh = (_drop_unknown(one) for one in (marks.told, marks.fresh))
    screened = _drop_unknown(marks.screened)
    pairs = [(a == CHANGED, b == CHANGED) for a, b in zip(told, fresh, strict=False)]
    counts = pairs.count((True, False)), pairs.count((False, True))
    p = find_p(*counts)
    if CHANGED in marks.fresh:
        p = max(p, find_p(*counts, CLOCK_ODDS))
    return Foreknowledge(
        entrant=entrant.number,
        name=entrant.name,
        told=len(pairs),
        told_changed=sum(one for one, _ in pairs),
        fresh=len(pairs),
        fresh_changed=sum(one for _, one in pairs),
        screened=len(screened),
        screened_changed=screened.count(CHANGED),
        p=float(f"{p:.3g}"),
        suspicious=p <= alpha,
    )


def _drop_unknown(marks: str) -> str:
    return marks.replace(UNKNOWN, "")
