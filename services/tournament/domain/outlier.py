"""Outlier workers: those whose report is the odd one out of three, again and again. Pure.

One difference says little: a program may use entropy or the clock, and then the odd worker is any of
the three. So a worker is named only if it was the odd one more often than that, even with any single
program left out of account: a program may play otherwise on one host in order to have it suspended.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

ALPHA = 0.01
"""Accepted probability that each of the three workers was equally likely to be the odd one."""

PLAYS = 3


class OddOne(NamedTuple):
    """A block that three workers played, two of them alike. worker: the third; programs: their hashes."""

    worker: str
    workers: tuple[str, ...]
    programs: tuple[str, ...]


def find_outlier(audits: Sequence[OddOne]) -> str | None:
    """Return the worker that is the odd one too often for chance or one program; None if there is none."""
    count = len({name for audit in audits for name in audit.workers})
    for suspect in dict.fromkeys(audit.worker for audit in audits):
        seen = [audit for audit in audits if suspect in audit.workers]
        programs = {one for audit in seen if audit.worker == suspect for one in audit.programs}
        without = ([audit for audit in seen if one not in audit.programs] for one in programs)
        if all(count * _compute_chance(suspect, some) <= ALPHA for some in without):
            return suspect
    return None


def _compute_chance(suspect: str, audits: Sequence[OddOne]) -> float:
    """Return the probability of being the odd one at least this often if all three are equally likely."""
    times, odd = len(audits), sum(audit.worker == suspect for audit in audits)
    ways = (comb(times, k) * (PLAYS - 1) ** (times - k) for k in range(odd, times + 1))
    return float(sum(ways) / PLAYS**times)
